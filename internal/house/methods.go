package main

import (
	"cmp"
	"go/ast"
	"slices"
	"strings"
)

// width is how much hangs on a type.
type width struct {
	name    string
	methods int
	files   int // That hold these methods.
	fields  int
}

// members are the methods of a type and the files that hold them.
type members struct{ methods, files map[string]bool }

// widths returns the types of a package that have methods, the widest first. A function
// whose first parameter is a pointer to the type counts as a method of it. A method that has
// variants for several systems counts once.
func widths(s *source) []width {
	all := make(map[string]*members)
	for _, t := range s.typeSpecs() {
		all[t.Name.Name] = &members{make(map[string]bool), make(map[string]bool)}
	}
	for _, d := range s.declarations() {
		f, ok := d.(*ast.FuncDecl)
		if !ok {
			continue
		}
		if m := all[owner(f)]; m != nil {
			m.methods[f.Name.Name] = true
			m.files[s.file(f.Pos())] = true
		}
	}
	var types []width
	for _, t := range s.typeSpecs() {
		name := t.Name.Name
		if m := all[name]; m != nil && len(m.methods) > 0 {
			types = append(types, width{name, len(m.methods), len(m.files), fields(t)})
			delete(all, name) // A variant for another system follows, perhaps.
		}
	}
	slices.SortFunc(types, func(a, b width) int {
		return cmp.Or(b.methods-a.methods, strings.Compare(a.name, b.name))
	})
	return types
}

// owner returns the name of the type that f is a method of, or "".
func owner(f *ast.FuncDecl) string {
	if f.Recv != nil {
		return typeName(f.Recv.List[0].Type)
	}
	if list := f.Type.Params.List; len(list) > 0 {
		if pointer, ok := list[0].Type.(*ast.StarExpr); ok {
			return typeName(pointer.X)
		}
	}
	return ""
}

// typeName returns the name of a type of this package, which may be pointed to or instantiated.
// It is "" for a type of another package or without a name.
func typeName(e ast.Expr) string {
	switch e := e.(type) {
	case *ast.Ident:
		return e.Name
	case *ast.StarExpr:
		return typeName(e.X)
	case *ast.ParenExpr:
		return typeName(e.X)
	case *ast.IndexExpr:
		return typeName(e.X)
	case *ast.IndexListExpr:
		return typeName(e.X)
	}
	return ""
}

// fields returns how many fields a struct type has, padding excepted.
func fields(t *ast.TypeSpec) (n int) {
	structure, ok := t.Type.(*ast.StructType)
	if !ok {
		return 0
	}
	for _, field := range structure.Fields.List {
		if len(field.Names) == 0 {
			n++
		}
		for _, name := range field.Names {
			if name.Name != "_" {
				n++
			}
		}
	}
	return n
}
