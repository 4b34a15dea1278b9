package planted

import (
	"fmt"
	"go/ast"
	"go/token"
	"maps"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
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

// newTwins makes the twins of the faults that have a place, by their numbers.
func newTwins(places []place) *twins {
	w := &twins{files: map[string]*file{}, names: map[string]bool{}}
	for i, p := range places {
		if p.decl == nil {
			continue
		}
		w.files[p.file.path] = p.file
		p.file.addTwin(p, nameOf(i))
		w.names[nameOf(i)] = true
	}
	return w
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

// addTwin adds a twin of the function that holds the place, with the fault.
func (f *file) addTwin(p place, name string) {
	head := fmt.Sprintf("\nif plantedFault == %q {\n%s\n}\n", name, f.callOf(p.decl, name))
	f.inserts[f.offset(p.decl.Body.Lbrace)+1] += head
	begin, nameEnd, end := f.offset(p.decl.Pos()), f.offset(p.decl.Name.End()), f.offset(p.decl.End())
	f.tail.WriteString("\n" + f.text[begin:nameEnd] + name + f.text[nameEnd:p.begin] + p.replace + f.text[p.end:end] + "\n")
}

func (f *file) offset(p token.Pos) int { return f.set.Position(p).Offset }

// changed returns the source with all twins.
func (f *file) changed() string {
	var b strings.Builder
	last := 0
	for _, at := range slices.Sorted(maps.Keys(f.inserts)) {
		b.WriteString(f.text[last:at] + f.inserts[at])
		last = at
	}
	b.WriteString(f.text[last:])
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
