package main

import (
	"go/ast"
	"go/types"
	"regexp"
	"strings"
)

// vocabulary has the names that a text about the project may use: packages and their folders; what is declared at top
// level, alone and as package.name; methods and fields, alone and as Type.name.
type vocabulary map[string]bool

func declarations(sources []*source) vocabulary {
	d := vocabulary{}
	for _, s := range sources {
		of := s.types.Name()
		d[of] = true
		for folder := range strings.SplitSeq(s.name, "/") {
			d[folder] = true
		}
		for _, p := range s.types.Imports() {
			d.scope(p)
		}
		for _, file := range s.files {
			for _, decl := range file.Decls {
				d.add(of, decl)
			}
		}
	}
	return d
}

// scope adds what an imported package exports.
func (d vocabulary) scope(p *types.Package) {
	for _, name := range p.Scope().Names() {
		d[p.Name()+"."+name] = true
	}
}

func (d vocabulary) add(of string, decl ast.Decl) {
	switch decl := decl.(type) {
	case *ast.FuncDecl:
		if decl.Recv == nil {
			d.top(of, decl.Name)
		} else {
			d.member(receiver(decl.Recv.List[0].Type), decl.Name)
		}
	case *ast.GenDecl:
		for _, spec := range decl.Specs {
			switch spec := spec.(type) {
			case *ast.ValueSpec:
				for _, name := range spec.Names {
					d.top(of, name)
				}
			case *ast.TypeSpec:
				d.top(of, spec.Name)
				d.fields(spec)
			}
		}
	}
}

func (d vocabulary) top(of string, name *ast.Ident) { d[name.Name], d[of+"."+name.Name] = true, true }

func (d vocabulary) member(of string, name *ast.Ident) {
	d[name.Name], d[of+"."+name.Name] = true, true
}

func (d vocabulary) fields(spec *ast.TypeSpec) {
	var list *ast.FieldList
	switch t := spec.Type.(type) {
	case *ast.StructType:
		list = t.Fields
	case *ast.InterfaceType:
		list = t.Methods
	default:
		return
	}
	for _, field := range list.List {
		for _, name := range field.Names {
			d.member(spec.Name.Name, name)
		}
	}
}

// receiver returns the name of a receiver's type.
func receiver(t ast.Expr) string {
	for {
		switch e := t.(type) {
		case *ast.StarExpr:
			t = e.X
		case *ast.IndexExpr:
			t = e.X
		case *ast.IndexListExpr:
			t = e.X
		case *ast.Ident:
			return e.Name
		default:
			return ""
		}
	}
}

var (
	span = regexp.MustCompile("`[^`\n]+`")
	name = regexp.MustCompile(`^[A-Za-z_]\w*(\.[A-Za-z_]\w*)?$`)
)

// unknown returns the names in code spans of a text that nothing declares.
func (d vocabulary) unknown(text string) (names []string) {
	for _, s := range span.FindAllString(text, -1) {
		if s = strings.Trim(s, "`"); name.MatchString(s) && !d[s] {
			names = append(names, s)
		}
	}
	return names
}
