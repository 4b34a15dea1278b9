package main

import (
	"bytes"
	"cmp"
	"fmt"
	"maps"
	"slices"
	"strings"
	"text/tabwriter"
)

// listedFrom is how many methods a type has at least that is listed by name.
const listedFrom = 30

// report prints all figures.
func report(out *bytes.Buffer, packages []*figures, p *prose) {
	printPackages(out, packages)
	printTypes(out, packages)
	printLongFiles(out, packages)
	printProse(out, p)
}

func printPackages(out *bytes.Buffer, packages []*figures) {
	fmt.Fprintln(out, "Packages without their tests. refs: other files that a file refers to, on average; circle: the most")
	fmt.Fprintln(out, "files that all lead to each other; widest: the type with the most methods; top, exported:")
	fmt.Fprintln(out, "exported identifiers at top level, and with methods; >500, >800: files with more lines.")
	var rows bytes.Buffer
	fmt.Fprintln(&rows, "\nfiles\tlines\tmedian\t>500\t>800\trefs\tcircle\tmethods\ttop\texported\t  package (widest)")
	for _, f := range packages {
		fmt.Fprintf(&rows, "%d\t%d\t%d\t%d\t%d\t%.1f\t%d\t%d\t%d\t%d\t  %s\n", len(f.files), f.lines, f.median(),
			f.over(500), f.over(800), f.references, f.circle, f.widest().methods, f.top, f.exported, f.title())
	}
	t := tabwriter.NewWriter(out, 0, 0, 2, ' ', tabwriter.AlignRight)
	_, _ = t.Write(rows.Bytes()) // A buffer takes all.
	_ = t.Flush()
}

func (f *figures) title() string {
	if f.widest().name == "" {
		return f.name
	}
	return fmt.Sprintf("%s (%s)", f.name, f.widest().name)
}

func printTypes(out *bytes.Buffer, packages []*figures) {
	fmt.Fprintf(out, "\nTypes with %d methods or more:\n", listedFrom)
	for _, f := range packages {
		for _, t := range f.types {
			if t.methods >= listedFrom {
				fmt.Fprintf(out, "  %s.%s: %d methods in %d files, %d fields\n", f.name, t.name, t.methods, t.files, t.fields)
			}
		}
	}
}

func printLongFiles(out *bytes.Buffer, packages []*figures) {
	fmt.Fprintln(out, "\nFiles over 500 lines:")
	none := true
	for _, f := range packages {
		for _, file := range f.files[:f.over(500)] {
			fmt.Fprintf(out, "  %s/%s: %d lines\n", f.name, file.file, file.lines)
			none = false
		}
	}
	if none {
		fmt.Fprintln(out, "  none")
	}
}

func printProse(out *bytes.Buffer, p *prose) {
	fmt.Fprintf(out, "\nStilted sentences: %d of %d", len(p.hits), p.sentences)
	counts := p.byPattern()
	names := slices.SortedFunc(maps.Keys(counts), func(a, b string) int {
		return cmp.Or(counts[b]-counts[a], strings.Compare(a, b))
	})
	for _, name := range names {
		fmt.Fprintf(out, ", %s %d", name, counts[name])
	}
	fmt.Fprintln(out)
	for _, h := range p.hits {
		fmt.Fprintln(out, " ", h)
	}
}

// verdict prints which figures are worse than their bounds and what to do, and returns
// whether there are none.
func verdict(out *bytes.Buffer, b, figures bounds) bool {
	all := b.exceeded(figures)
	for _, e := range all {
		kind := "bound"
		if _, isDefault := b.on(e.subject); isDefault {
			kind = "default bound"
		}
		fmt.Fprintf(out, "WORSE: %s: %d, %d over its %s of %d: %s\n", e.subject, e.figure, e.figure-e.bound, kind, e.bound, advice[e.subject.figure])
	}
	if len(all) == 0 {
		fmt.Fprintln(out, "No figure is worse than its bound.")
	} else {
		fmt.Fprintln(out, "If the figure is worth it, raise its bound in internal/house/bounds.txt and say why in the commit.")
	}
	return len(all) == 0
}

// advice says what to do about a figure that is worse.
var advice = map[string]string{
	"files":    "move files that belong together to a package of their own",
	"lines":    "move files that belong together to a package of their own",
	"circle":   "cut a reference between two of the files; let the lower one know an interface",
	"methods":  "move methods to a type for the fields that they use",
	"top":      "unexport what only this package uses, or move it to an internal package",
	"exported": "unexport what only this package uses, or move it to an internal package",
	"over500":  "split the file by noun",
	"over800":  "split the file by noun",
	"stilted":  "write the new sentences plainly, as internal/house/prose.txt shows; make house | grep x.go lists a file's",
}

// loose returns how many bounds are worse than the figures.
func (b bounds) loose(figures bounds) (n int) {
	for s, bound := range b {
		figure, ok := figures[s]
		if s.of != anyPackage && (!ok || figure < bound) {
			n++
		}
	}
	return n
}
