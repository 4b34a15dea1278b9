package planted

import (
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"maps"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"
)

// variable is where a test binary reads which of its faults is to act.
const variable = "TROUPE_PLANTED_FAULT"

// nameOf names the i-th fault, in a way that fits into an identifier.
func nameOf(i int) string { return "Fault" + strconv.Itoa(i) }

// twins is the sources with a twin beside each function that a fault changes.
type twins struct {
	files map[string]*file // By path.
	names map[string]bool  // Of the faults that have a twin.
}

// file is a source that is to be changed.
type file struct {
	source string
	syntax *ast.File
	set    *token.FileSet
	// inserts is what comes in addition, by the offset: at the beginning of a body
	// the calls of its twins, in a signature the names that these need.
	inserts map[int]string
	tail    strings.Builder // The twins.
}

func newTwins(t *testing.T, faults []Fault) *twins {
	t.Helper()
	w := &twins{files: map[string]*file{}, names: map[string]bool{}}
	for i, f := range faults {
		path, source, offset := place(t, f)
		if w.files[path] == nil {
			w.files[path] = newFile(t, path, source)
		}
		w.names[nameOf(i)] = w.files[path].add(f, nameOf(i), offset)
	}
	return w
}

func newFile(t *testing.T, path, source string) *file {
	t.Helper()
	f := &file{source: source, set: token.NewFileSet(), inserts: map[int]string{}}
	var err error
	if f.syntax, err = parser.ParseFile(f.set, path, source, parser.SkipObjectResolution); err != nil {
		t.Fatal(err)
	}
	return f
}

func (w *twins) have(name string) bool { return w.names[name] }

// sources returns the changed files, and in each of their packages one more
// that asks the environment.
func (w *twins) sources() map[string]string {
	sources := map[string]string{}
	for path, f := range w.files {
		sources[path] = f.changed()
		sources[filepath.Join(filepath.Dir(path), "planted_fault.go")] = fmt.Sprintf(
			"package %s\n\nimport \"os\"\n\nvar plantedFault = os.Getenv(%q)\n", f.syntax.Name.Name, variable)
	}
	return sources
}

// add makes a twin of the function in which the fault is. It reports false if
// the fault is in none.
func (f *file) add(fault Fault, name string, offset int) bool {
	for _, d := range f.syntax.Decls {
		fn, ok := d.(*ast.FuncDecl)
		if !ok || fn.Body == nil || !f.inside(fn.Body, offset, len(fault.Old)) {
			continue
		}
		head := fmt.Sprintf("\nif plantedFault == %q {\n%s\n}\n", name, f.callOf(fn, name))
		f.inserts[f.offset(fn.Body.Lbrace)+1] += head
		f.tail.WriteString("\n" + f.twin(fn, fault, name, offset) + "\n")
		return true
	}
	return false
}

func (f *file) offset(p token.Pos) int { return f.set.Position(p).Offset }

// inside reports whether the n bytes from offset on are within the braces.
func (f *file) inside(b *ast.BlockStmt, offset, n int) bool {
	return f.offset(b.Lbrace) < offset && offset+n <= f.offset(b.Rbrace)
}

// twin returns the function with the fault, under a name of its own.
func (f *file) twin(fn *ast.FuncDecl, fault Fault, name string, offset int) string {
	begin, nameEnd, end := f.offset(fn.Pos()), f.offset(fn.Name.End()), f.offset(fn.End())
	return f.source[begin:nameEnd] + name + f.source[nameEnd:offset] + fault.New + f.source[offset+len(fault.Old):end]
}

// changed returns the source with all twins.
func (f *file) changed() string {
	var b strings.Builder
	last := 0
	for _, at := range slices.Sorted(maps.Keys(f.inserts)) {
		b.WriteString(f.source[last:at] + f.inserts[at])
		last = at
	}
	b.WriteString(f.source[last:])
	b.WriteString(f.tail.String())
	return b.String()
}

// callOf returns the statements by which the function passes its call on.
func (f *file) callOf(fn *ast.FuncDecl, name string) string {
	callee := fn.Name.Name + name
	if fn.Recv != nil {
		callee = f.namesOf(fn.Recv)[0] + "." + callee
	}
	if fn.Type.TypeParams != nil {
		callee += "[" + strings.Join(f.namesOf(fn.Type.TypeParams), ", ") + "]"
	}
	call := callee + "(" + strings.Join(f.namesOf(fn.Type.Params), ", ") + ")"
	if fn.Type.Results == nil {
		return call + "\nreturn"
	}
	return "return " + call
}

// namesOf returns the names of the parameters, as arguments of a call. It gives
// one to each that has none.
func (f *file) namesOf(params *ast.FieldList) (names []string) {
	for _, p := range params.List {
		after := ""
		if _, variadic := p.Type.(*ast.Ellipsis); variadic {
			after = "..."
		}
		if len(p.Names) == 0 {
			at := f.offset(p.Pos())
			given := "planted" + strconv.Itoa(at)
			f.inserts[at] = given + " "
			names = append(names, given+after)
		}
		for _, n := range p.Names {
			given := n.Name
			if given == "_" {
				at := f.offset(n.End())
				given += "planted" + strconv.Itoa(at)
				f.inserts[at] = given[1:]
			}
			names = append(names, given+after)
		}
	}
	return names
}
