package planted

import (
	"errors"
	"fmt"
	"go/ast"
	gobuild "go/build"
	"go/parser"
	"go/token"
	"os"
	"path/filepath"
	"slices"
	"strings"
)

// source is the Go files of one directory that a build with some tags compiles.
type source struct {
	set   *token.FileSet
	files []*file
	names map[string]bool // All identifiers.
}

// file is one Go file and what a fault adds to it.
type file struct {
	path   string
	text   string
	syntax *ast.File
	set    *token.FileSet
	// inserts holds additions to the text by offset: calls of the twins at the
	// start of a body, and names in a signature that these calls need.
	inserts map[int]string
	tail    strings.Builder // The twins.
}

// load parses the directory's Go files, without its tests.
func load(dir, tags string) (*source, error) {
	dir, err := filepath.Abs(dir)
	if err != nil {
		return nil, err
	}
	ctx := gobuild.Default
	ctx.BuildTags = strings.FieldsFunc(tags, func(r rune) bool { return r == ',' })
	paths, err := filepath.Glob(filepath.Join(dir, "*.go"))
	if err != nil {
		return nil, err
	}
	s := &source{set: token.NewFileSet(), names: map[string]bool{"_": true}}
	for _, path := range paths {
		if strings.HasSuffix(path, "_test.go") {
			continue
		}
		if ok, err := ctx.MatchFile(dir, filepath.Base(path)); err != nil || !ok {
			if err != nil {
				return nil, err
			}
			continue
		}
		f, err := parseFile(s.set, path)
		if err != nil {
			return nil, err
		}
		s.files = append(s.files, f)
		ast.Inspect(f.syntax, func(n ast.Node) bool {
			if id, ok := n.(*ast.Ident); ok {
				s.names[id.Name] = true
			}
			return true
		})
	}
	if len(s.files) == 0 {
		return nil, fmt.Errorf("%s holds no Go files for the tags %q", dir, tags)
	}
	return s, nil
}

func parseFile(set *token.FileSet, path string) (*file, error) {
	text, err := os.ReadFile(path)
	if err != nil {
		return nil, err
	}
	syntax, err := parser.ParseFile(set, path, text, parser.SkipObjectResolution)
	if err != nil {
		return nil, err
	}
	return &file{path: path, text: string(text), syntax: syntax, set: set, inserts: map[int]string{}}, nil
}

// place is where a fault goes: the text from begin to end of a file, and what
// replaces it.
type place struct {
	file *file
	// decl is the function whose body holds the place, if one does.
	decl       *ast.FuncDecl
	begin, end int
	replace    string
}

// text returns the file's text with the fault in place of what was there.
func (p place) text() string {
	return p.file.text[:p.begin] + p.replace + p.file.text[p.end:]
}

// find returns the place of the fault in the source.
func (s *source) find(f Fault) (place, error) {
	where, in, err := s.declared(f.In)
	if err != nil {
		return place{}, err
	}
	pattern, err := parsePattern(f.Old, f.New)
	if err != nil {
		return place{}, err
	}
	m, err := pick(pattern.search(in), f.Nth)
	if err != nil {
		return place{}, fmt.Errorf("in %s (%s): %w, Old being\n%s", f.In, filepath.Base(where.path), err, f.Old)
	}
	p := place{file: where, begin: s.offset(m.first.Pos()), end: s.offset(m.last.End())}
	if d, ok := in.(*ast.FuncDecl); ok && d.Body != nil && s.offset(d.Body.Lbrace) < p.begin && p.end <= s.offset(d.Body.Rbrace) {
		p.decl = d
	}
	p.replace, err = m.names.rename(f.New)
	return p, err
}

func (s *source) offset(p token.Pos) int { return s.set.Position(p).Offset }

// pick chooses among the places that look like the pattern: the only one, the
// only one with the very names of the pattern, or the nth.
func pick(alike []match, nth int) (match, error) {
	var exact []match
	for _, m := range alike {
		if m.names.same() {
			exact = append(exact, m)
		}
	}
	switch {
	case len(alike) == 0:
		return match{}, errors.New("no code looks like Old any more")
	case nth < 0 || nth > len(alike):
		return match{}, fmt.Errorf("the Nth is %d, but %d places look like Old", nth, len(alike))
	case len(exact) == 1:
		return exact[0], nil
	case nth > 0:
		return alike[nth-1], nil
	case len(alike) == 1:
		return alike[0], nil
	}
	return match{}, fmt.Errorf("%d places look like Old; Nth has to say which one", len(alike))
}

// declared returns the declaration with the name: a function, a method as
// Type.method, or the specification of a constant or variable.
func (s *source) declared(name string) (*file, ast.Node, error) {
	var known []string
	for _, f := range s.files {
		for _, d := range f.syntax.Decls {
			switch d := d.(type) {
			case *ast.FuncDecl:
				if n := nameOfFunc(d); n == name {
					return f, d, nil
				} else if alike(n, name) {
					known = append(known, n)
				}
			case *ast.GenDecl:
				for _, spec := range d.Specs {
					if v, ok := spec.(*ast.ValueSpec); ok && slices.ContainsFunc(v.Names, func(id *ast.Ident) bool { return id.Name == name }) {
						return f, v, nil
					}
				}
			}
		}
	}
	hint := ""
	if len(known) > 0 {
		hint = "; it does have " + strings.Join(known, ", ")
	}
	dir := filepath.Base(filepath.Dir(s.files[0].path))
	return nil, nil, fmt.Errorf("%s declares no %s%s", dir, name, hint)
}

// alike reports whether two names of functions end in the same name.
func alike(a, b string) bool {
	return a[strings.LastIndex(a, ".")+1:] == b[strings.LastIndex(b, ".")+1:]
}

// nameOfFunc returns the function's name, with its receiver's type before it.
func nameOfFunc(d *ast.FuncDecl) string {
	if d.Recv == nil {
		return d.Name.Name
	}
	t := d.Recv.List[0].Type
	for {
		switch u := t.(type) {
		case *ast.StarExpr:
			t = u.X
		case *ast.IndexExpr:
			t = u.X
		case *ast.IndexListExpr:
			t = u.X
		case *ast.Ident:
			return u.Name + "." + d.Name.Name
		default:
			return d.Name.Name
		}
	}
}
