package main

import (
	"fmt"
	"go/ast"
	"go/doc"
	"go/doc/comment"
	"go/format"
	"go/parser"
	"go/printer"
	"go/token"
	"io/fs"
	"path"
	"slices"
	"strings"
)

// reference is the page of a package: its comment, its examples, and what it declares.
func (s *site) reference(folder string) (string, error) {
	names, err := fs.Glob(s.repository, folder+"/*.go")
	if err != nil {
		return "", err
	}
	w := &writer{site: s, folder: folder, fset: token.NewFileSet()}
	var files []*ast.File
	for _, name := range names {
		text, err := fs.ReadFile(s.repository, name)
		if err != nil {
			return "", err
		}
		file, err := parser.ParseFile(w.fset, name, text, parser.ParseComments)
		if err != nil {
			return "", err
		}
		// Files of tests that are inside of the package have no examples, and no documentation.
		if strings.HasSuffix(name, "_test.go") && !strings.HasSuffix(file.Name.Name, "_test") {
			continue
		}
		files = append(files, file)
	}
	if w.pkg, err = doc.NewFromFiles(w.fset, files, module+"/"+folder); err != nil {
		return "", fmt.Errorf("site: %s: %w", folder, err)
	}
	w.page()
	return w.String(), w.err
}

// writer writes the page of a package.
type writer struct {
	strings.Builder
	site   *site
	folder string
	fset   *token.FileSet
	pkg    *doc.Package
	err    error
}

func (w *writer) page() {
	fmt.Fprintf(&w.Builder, "# Package %s\n\n    import \"%s/%s\"\n\n", w.folder, module, w.folder)
	w.text(w.pkg.Doc)
	w.examples(w.pkg.Examples)
	w.values("Constants", w.pkg.Consts)
	w.values("Variables", w.pkg.Vars)
	if len(w.pkg.Funcs) > 0 {
		fmt.Fprint(&w.Builder, "## Functions\n\n")
		w.funcs("", w.pkg.Funcs)
	}
	for _, t := range w.pkg.Types {
		w.heading("##", "type "+t.Name, t.Name)
		w.interfaceMethods(t)
		w.text(t.Doc)
		w.examples(t.Examples)
		w.code(t.Decl)
		for _, v := range slices.Concat(t.Consts, t.Vars) {
			w.value(v)
		}
		w.funcs("", t.Funcs)
		w.funcs(t.Name, t.Methods)
	}
}

// interfaceMethods gives links to the methods of an interface a place to lead to: its declaration.
func (w *writer) interfaceMethods(t *doc.Type) {
	for _, spec := range t.Decl.Specs {
		named, ok := spec.(*ast.TypeSpec)
		if !ok {
			continue
		}
		if i, ok := named.Type.(*ast.InterfaceType); ok {
			for _, m := range i.Methods.List {
				for _, name := range m.Names {
					fmt.Fprintf(&w.Builder, "<a id=\"%s.%s\"></a>\n", t.Name, name.Name)
				}
			}
			fmt.Fprintln(&w.Builder)
		}
	}
}

func (w *writer) heading(level, text, id string) {
	fmt.Fprintf(&w.Builder, "%s %s {#%s}\n\n", level, text, id)
}

func (w *writer) values(title string, values []*doc.Value) {
	if len(values) > 0 {
		fmt.Fprintf(&w.Builder, "## %s\n\n", title)
	}
	for _, v := range values {
		w.value(v)
	}
}

func (w *writer) value(v *doc.Value) {
	for _, name := range v.Names {
		if token.IsExported(name) {
			fmt.Fprintf(&w.Builder, "<a id=\"%s\"></a>\n", name)
		}
	}
	fmt.Fprintln(&w.Builder)
	w.text(v.Doc)
	w.code(v.Decl)
}

func (w *writer) funcs(receiver string, funcs []*doc.Func) {
	for _, f := range funcs {
		title, id := "func "+f.Name, f.Name
		if receiver != "" {
			title, id = "func ("+strings.ReplaceAll(f.Recv, "*", "\\*")+") "+f.Name, receiver+"."+f.Name
		}
		w.heading("###", title, id)
		w.code(f.Decl)
		w.text(f.Doc)
		w.examples(f.Examples)
	}
}

// text writes a comment as Markdown. Its links to symbols lead to pages of the site, or to pkg.go.dev.
func (w *writer) text(text string) {
	p := w.pkg.Printer()
	p.HeadingLevel = 3
	p.HeadingID = func(h *comment.Heading) string { return "{#" + h.DefaultID() + "}" }
	p.DocLinkURL = func(link *comment.DocLink) string {
		symbol := link.Name
		if link.Recv != "" {
			symbol = link.Recv + "." + link.Name
		}
		if symbol != "" {
			symbol = "#" + symbol
		}
		if link.ImportPath == "" {
			return path.Base(apiPage(w.folder)) + symbol
		}
		if page := w.site.packages[strings.TrimPrefix(link.ImportPath, module+"/")]; page != "" {
			return path.Base(page) + symbol
		}
		return "https://pkg.go.dev/" + link.ImportPath + symbol
	}
	markdown := string(p.Markdown(w.pkg.Parser().Parse(text)))
	// The printer writes a blank before the id of a heading, in brackets of its own.
	w.WriteString(strings.ReplaceAll(strings.ReplaceAll(markdown, "{#{#", "{#"), "}}", "}"))
	w.WriteString("\n")
}

func (w *writer) examples(examples []*doc.Example) {
	for _, e := range examples {
		title := "Example"
		if e.Suffix != "" {
			title += " (" + e.Suffix + ")"
		}
		fmt.Fprintf(&w.Builder, "**%s**\n\n", title)
		w.text(e.Doc)
		if e.Play != nil {
			w.code(e.Play)
		} else {
			w.code(e.Code)
		}
		if e.Output != "" {
			fmt.Fprintf(&w.Builder, "Output:\n\n```text\n%s\n```\n\n", strings.TrimRight(e.Output, "\n"))
		}
	}
}

func (w *writer) code(node any) {
	var b strings.Builder
	if err := (&printer.Config{Mode: printer.UseSpaces | printer.TabIndent, Tabwidth: 4}).Fprint(&b, w.fset, node); err != nil {
		w.err = err
		return
	}
	text := b.String()
	if formatted, err := format.Source([]byte(text)); err == nil {
		text = string(formatted)
	}
	fmt.Fprintf(&w.Builder, "```go\n%s\n```\n\n", strings.TrimRight(text, "\n"))
}
