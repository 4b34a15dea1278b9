package main

import (
	"fmt"
	"go/ast"
	"go/importer"
	"go/parser"
	"go/token"
	"go/types"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"
)

// source is a parsed and type-checked package, without its tests.
type source struct {
	name  string // The folder relative to the root, or "." for the root.
	fset  *token.FileSet
	files []*ast.File // For all systems.
	built []*ast.File // Of these, the files for this system.
	types *types.Package
	info  *types.Info
}

// load parses and type-checks the packages of all modules below root.
func load(root string) (sources []*source, err error) {
	root, err = filepath.Abs(root)
	if err != nil {
		return nil, err
	}
	dirs, err := modules(root)
	if err != nil {
		return nil, err
	}
	for _, dir := range dirs {
		all, err := list(dir)
		if err != nil {
			return nil, err
		}
		of, err := check(root, all)
		if err != nil {
			return nil, err
		}
		sources = append(sources, of...)
	}
	slices.SortFunc(sources, func(a, b *source) int { return strings.Compare(a.name, b.name) })
	return sources, nil
}

// check parses and type-checks the listed packages that belong to the module.
func check(root string, all []*listed) (sources []*source, err error) {
	fset := token.NewFileSet()
	imports := importer.ForCompiler(fset, "gc", exports(all))
	for _, l := range all {
		if l.DepOnly {
			continue
		}
		name, err := filepath.Rel(root, l.Dir)
		if err != nil {
			return nil, err
		}
		s := &source{name: filepath.ToSlash(name), fset: fset}
		if err := s.parse(l); err != nil {
			return nil, err
		}
		if err := s.check(l.ImportPath, imports); err != nil {
			return nil, err
		}
		sources = append(sources, s)
	}
	return sources, nil
}

// exports opens the export data of a package.
func exports(all []*listed) importer.Lookup {
	files := make(map[string]string)
	for _, l := range all {
		files[l.ImportPath] = l.Export
	}
	return func(path string) (io.ReadCloser, error) {
		file := files[path]
		if file == "" {
			return nil, fmt.Errorf("no export data for %s", path)
		}
		return os.Open(file)
	}
}

func (s *source) parse(l *listed) error {
	for _, name := range l.sources() {
		file, err := parser.ParseFile(s.fset, filepath.Join(l.Dir, name), nil, parser.SkipObjectResolution)
		if err != nil {
			return err
		}
		s.files = append(s.files, file)
		if slices.Contains(l.GoFiles, name) {
			s.built = append(s.built, file)
		}
	}
	return nil
}

func (s *source) check(path string, imports types.Importer) (err error) {
	s.info = &types.Info{Uses: make(map[*ast.Ident]types.Object)}
	config := types.Config{Importer: imports, Sizes: types.SizesFor("gc", "amd64")}
	s.types, err = config.Check(path, s.fset, s.built, s.info)
	return err
}

// file returns the name of the file that holds pos.
func (s *source) file(pos token.Pos) string {
	return filepath.Base(s.fset.Position(pos).Filename)
}
