// Command house measures how the house is built: how large packages and their circles of files
// are, how wide types, how much is exported, and how plain the English is. It fails if a figure is
// worse than its bound in bounds.txt. Run it as make house.
package main

import (
	"bytes"
	"flag"
	"fmt"
	"io"
	"os"
	"path/filepath"
)

const (
	boundsFile   = "internal/house/bounds.txt"
	patternsFile = "internal/house/prose.txt"
)

func main() {
	os.Exit(run(os.Args[1:], os.Stdout, os.Stderr))
}

// run runs a command line and returns the exit status: 1 if a figure is worse than its bound, 2 if
// they could not be compared.
func run(args []string, stdout, stderr io.Writer) int {
	flags := flag.NewFlagSet("house", flag.ContinueOnError)
	flags.SetOutput(stderr)
	root := flags.String("root", ".", "the folder of the project")
	tighten := flags.Bool("tighten", false, "lower the bounds to today's figures where these are better")
	redraw := flags.Bool("draw", false, "draw the picture of ARCHITECTURE.md again")
	if flags.Parse(args) != nil {
		return 2
	}
	var out bytes.Buffer
	good, err := house(&out, *root, *tighten, *redraw)
	if err == nil {
		_, err = out.WriteTo(stdout)
	}
	if err != nil {
		_, _ = fmt.Fprintln(stderr, "house:", err)
		return 2
	}
	if !good {
		return 1
	}
	return 0
}

// house prints the figures of the project below root, and reports whether they keep their bounds and the page of its
// architecture is true.
func house(out *bytes.Buffer, root string, tighten, redraw bool) (good bool, err error) {
	limits, text, err := readBounds(filepath.Join(root, boundsFile))
	if err != nil {
		return false, err
	}
	english, err := readPatterns(root)
	if err != nil {
		return false, err
	}
	sources, err := load(root)
	if err != nil {
		return false, err
	}
	var packages []*figures
	for _, s := range sources {
		packages = append(packages, measure(s))
	}
	report(out, packages, english)
	fmt.Fprintln(out)
	figures := today(packages, len(english.hits))
	if tighten {
		err = os.WriteFile(filepath.Join(root, boundsFile), []byte(limits.tighten(text, figures)), 0o666)
	} else if n := limits.loose(figures); n > 0 {
		fmt.Fprintf(out, "Bounds that can be lowered: %d. Run go run ./internal/house -tighten.\n", n)
	}
	if err != nil {
		return false, err
	}
	isTrue, err := architecture(out, root, sources, redraw)
	return verdict(out, limits, figures) && isTrue, err
}

// architecture reports whether the picture of ARCHITECTURE.md is what the imports are, and all that it names is there.
func architecture(out *bytes.Buffer, root string, sources []*source, redraw bool) (isTrue bool, err error) {
	p, err := readPage(root)
	if p == nil || err != nil {
		return err == nil, err
	}
	isTrue = true
	switch picture := draw(sources); {
	case redraw:
		err = p.redraw(picture)
	case p.picture != picture:
		fmt.Fprintf(out, "%s shows other arrows than the imports: run go run ./internal/house -draw.\n", pageFile)
		isTrue = false
	}
	for _, name := range declarations(sources).unknown(p.before + p.after) {
		fmt.Fprintf(out, "%s names %s, which is declared nowhere: was it renamed?\n", pageFile, name)
		isTrue = false
	}
	return isTrue, err
}

func readBounds(file string) (b bounds, text string, err error) {
	content, err := os.ReadFile(file)
	if err != nil {
		return nil, "", err
	}
	b, err = parseBounds(string(content))
	if err != nil {
		return nil, "", fmt.Errorf("%s: %w", file, err)
	}
	return b, string(content), nil
}

// readPatterns compares the patterns with all sentences below root.
func readPatterns(root string) (*prose, error) {
	file := filepath.Join(root, patternsFile)
	content, err := os.ReadFile(file)
	if err != nil {
		return nil, err
	}
	patterns, err := parsePatterns(string(content))
	if err != nil {
		return nil, fmt.Errorf("%s: %w", file, err)
	}
	return readProse(root, patterns)
}
