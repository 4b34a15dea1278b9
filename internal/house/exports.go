package main

import (
	"go/ast"
	"go/token"
	"maps"
)

// exported returns how many identifiers a package exports at top level, and how many there
// are with the methods of its exported types. The methods of an unexported type count once if an
// exported type embeds it. The methods that an interface lists belong to its declaration and do not
// count.
func exported(s *source) (top, all int) {
	names := make(map[string]bool) // "Name" or "Type.Method": a variant for another system counts once.
	for _, d := range s.declarations() {
		for _, name := range declared(d) {
			if ast.IsExported(name) {
				names[name] = true
			}
		}
	}
	top = len(names)
	maps.Copy(names, exportedMethods(s))
	return top, len(names)
}

// declared returns the names that a declaration adds to the package.
func declared(d ast.Decl) (names []string) {
	switch d := d.(type) {
	case *ast.FuncDecl:
		if d.Recv == nil {
			names = append(names, d.Name.Name)
		}
	case *ast.GenDecl:
		for _, spec := range d.Specs {
			switch spec := spec.(type) {
			case *ast.TypeSpec:
				names = append(names, spec.Name.Name)
			case *ast.ValueSpec:
				for _, name := range spec.Names {
					names = append(names, name.Name)
				}
			}
		}
	}
	return names
}

// exportedMethods returns the methods that users can call, as "Type.Method".
func exportedMethods(s *source) map[string]bool {
	visible := visibleTypes(s)
	names := make(map[string]bool)
	for _, d := range s.declarations() {
		f, ok := d.(*ast.FuncDecl)
		if !ok || f.Recv == nil || !f.Name.IsExported() {
			continue
		}
		if of := typeName(f.Recv.List[0].Type); visible[of] {
			names[of+"."+f.Name.Name] = true
		}
	}
	return names
}

// visibleTypes returns the types whose exported methods users can call: the exported types and
// those that they embed.
func visibleTypes(s *source) map[string]bool {
	embedded := make(map[string][]string)
	visible := make(map[string]bool)
	for _, t := range s.typeSpecs() {
		embedded[t.Name.Name] = append(embedded[t.Name.Name], embeds(t)...)
	}
	var add func(name string)
	add = func(name string) {
		if _, ok := embedded[name]; ok && !visible[name] {
			visible[name] = true
			for _, inner := range embedded[name] {
				add(inner)
			}
		}
	}
	for name := range embedded {
		if ast.IsExported(name) {
			add(name)
		}
	}
	return visible
}

// embeds returns the types of the package that a struct type embeds.
func embeds(t *ast.TypeSpec) (names []string) {
	structure, ok := t.Type.(*ast.StructType)
	if !ok {
		return nil
	}
	for _, field := range structure.Fields.List {
		if len(field.Names) == 0 {
			names = append(names, typeName(field.Type))
		}
	}
	return names
}

// declarations returns the declarations in all files.
func (s *source) declarations() (all []ast.Decl) {
	for _, file := range s.files {
		all = append(all, file.Decls...)
	}
	return all
}

// typeSpecs returns the types that the package declares.
func (s *source) typeSpecs() (all []*ast.TypeSpec) {
	for _, d := range s.declarations() {
		if g, ok := d.(*ast.GenDecl); ok && g.Tok == token.TYPE {
			for _, spec := range g.Specs {
				all = append(all, spec.(*ast.TypeSpec))
			}
		}
	}
	return all
}
