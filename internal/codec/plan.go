// Package codec knows what a codec makes of a Go type: which parts would be lost, the layout as a number, and how much
// memory a value may ask for. It also calls the encoding methods that types bring along.
package codec

import (
	"encoding/binary"
	"errors"
	"fmt"
	"hash/fnv"
	"reflect"
	"slices"
	"strings"
)

// Rules say how a codec reads types.
type Rules struct {
	// Tags are the keys of the struct tags that name fields; the first that a field has counts.
	Tags []string
	// Whole reports whether the codec encodes values of the type by their methods or by a rule of its own, without
	// a look at their fields. It can call methods of pointers only if the value is addressable.
	Whole func(t reflect.Type, addressable bool) bool
	// Refuse says why values of a type can't be encoded at all, or returns "". It may be nil.
	Refuse func(t reflect.Type) string
	// Takes says how much memory a value takes that is encoded as a whole, or returns 0 if the value has all of it. It
	// may be nil.
	Takes func(t reflect.Type) int
	// Stored says that values are kept, for the program or a later version of it to read, and do not go to another
	// program. The fields of embedded structs then count as the struct's own.
	Stored bool
	// Methods names the methods by which a type encodes itself. Defaults to AppendBinary and UnmarshalBinary.
	Methods string
}

// words are how a problem speaks of what reads a value, and of how a type is mended.
type words struct{ reader, name, where, cure string }

func (r Rules) words() words {
	if r.Stored {
		return words{"the reader", "stored name", "to the reader", fmt.Sprintf("export it, leave it out by the tag %s:\"-\", or", r.Tags[0])}
	}
	return words{"the other side", "name on the wire", "on another node", "export it, or"}
}

// Plan is what a codec makes of a type.
type Plan struct {
	// Layout is a hash of the names, tags and kinds of the fields. The name of a type is part of it
	// only if the codec encodes that type as a whole.
	Layout uint64
	// Element is the most memory, in bytes, that one encoded value can take.
	Element int
	// Recursive says that values may be nested to any depth, or be cyclic.
	Recursive bool
	// Err says which parts of the type would be lost.
	Err error

	rules Rules
}

const (
	minElement  = 32 // The header of a map, a slice or a string, with room.
	maxProblems = 10 // Nobody reads more.
)

// Of returns the plan of a type. It never fails; see Plan.Err.
func Of(t reflect.Type, rules Rules) Plan {
	if rules.Methods == "" {
		rules.Methods = "AppendBinary and UnmarshalBinary"
	}
	w := walker{root: t, Plan: Plan{Element: minElement, rules: rules}, words: rules.words(), done: map[spot]string{}}
	w.Layout = hash(w.walk(t, true, ""))
	w.Err = errors.Join(w.problems...)
	return w.Plan
}

// Sum returns the layout of a type that is known by a name alone.
func Sum(name string) uint64 { return hash(name) }

func hash(text string) uint64 {
	h := fnv.New64a()
	_, _ = h.Write([]byte(text)) // Never fails.
	return h.Sum64()
}

// spot is a type, and whether its value is addressable.
type spot struct {
	reflect.Type
	addressable bool
}

type walker struct {
	Plan
	words    words
	root     reflect.Type
	open     []spot          // The structs and other named types around.
	done     map[spot]string // The layouts of those that were walked.
	problems []error
}

func (w *walker) problem(path, format string, args ...any) {
	if len(w.problems) == maxProblems {
		return
	}
	if path == "" {
		path = "the type itself"
	} else {
		path = "field " + path
	}
	w.problems = append(w.problems, fmt.Errorf("%v: %s: %s", w.root, path, fmt.Sprintf(format, args...)))
}

// walk returns the layout of a type as text.
func (w *walker) walk(t reflect.Type, addressable bool, path string) string {
	s := spot{t, addressable}
	if layout, ok := w.done[s]; ok {
		return layout
	}
	if i := slices.Index(w.open, s); i >= 0 {
		w.Recursive = true
		return fmt.Sprintf("^%d", len(w.open)-i)
	}
	if w.rules.Refuse != nil {
		if why := w.rules.Refuse(t); why != "" {
			w.problem(path, "%s", why)
			return "refused"
		}
	}
	if w.rules.Whole(t, addressable) {
		if from := Promoter(t, func(t reflect.Type) bool { return w.rules.Whole(t, true) }); from != "" {
			w.problem(path, "the encoding methods of %v may be those of its embedded field %s; name that field", t, from)
		}
		if w.rules.Takes != nil {
			w.element(w.rules.Takes(t))
		}
		return "whole " + t.PkgPath() + "." + t.Name()
	}
	if t.Name() == "" && t.Kind() != reflect.Struct {
		return w.parts(t, addressable, path)
	}
	w.open = append(w.open, s)
	layout := w.parts(t, addressable, path)
	w.open = w.open[:len(w.open)-1]
	if len(layout) > 64 { // Types that have a type twice would double the text at each level.
		layout = string(binary.BigEndian.AppendUint64([]byte("#"), hash(layout)))
	}
	w.done[s] = layout
	return layout
}

func (w *walker) parts(t reflect.Type, addressable bool, path string) string {
	switch t.Kind() {
	case reflect.Struct:
		return w.fields(t, addressable, path)
	case reflect.Slice:
		w.element(int(t.Elem().Size()))
		return "[]" + w.walk(t.Elem(), true, path+"[]")
	case reflect.Array:
		return fmt.Sprintf("[%d]%s", t.Len(), w.walk(t.Elem(), addressable, path+"[]"))
	case reflect.Pointer:
		if t.Elem().Kind() == reflect.Pointer {
			w.problem(path, "%v is a pointer to a pointer, and %s can't tell which of them is nil; use one", t, w.words.reader)
			return "refused"
		}
		w.element(int(t.Elem().Size()))
		return "*" + w.walk(t.Elem(), true, path)
	case reflect.Map:
		return w.mapping(t, path)
	case reflect.Interface:
		w.problem(path, "%v is an interface, and %s can't know what is in it; use a concrete type", t, w.words.reader)
	case reflect.Chan, reflect.Func, reflect.UnsafePointer, reflect.Uintptr:
		w.problem(path, "a %v means nothing %s; leave it out by the tag %s:\"-\"", t, w.words.where, w.rules.Tags[0])
	case reflect.Complex64, reflect.Complex128:
		w.problem(path, "no codec has a %v; use two floats", t)
	default:
		return t.Kind().String()
	}
	return "refused"
}

func (w *walker) element(size int) { w.Element = max(w.Element, size) }

func (w *walker) mapping(t reflect.Type, path string) string {
	switch k := t.Key().Kind(); {
	case w.rules.Whole(t.Key(), false) || k != reflect.String && (k < reflect.Int || k > reflect.Uint64):
		w.problem(path, "the keys of %v are neither strings nor integers; use a slice of pairs", t)
		return "refused"
	}
	// A map of one entry has room for eight; twice as much is left for slices that grow.
	w.element(2*int(t.Key().Size()+t.Elem().Size()) + minElement)
	return fmt.Sprintf("map[%v]%s", t.Key().Kind(), w.walk(t.Elem(), false, path+"[]"))
}

func (w *walker) fields(t reflect.Type, addressable bool, path string) string {
	var layout strings.Builder
	layout.WriteByte('{')
	names := map[string]string{}
	for i := range t.NumField() {
		f := t.Field(i)
		name, options := w.tag(f)
		at := strings.TrimPrefix(path+"."+f.Name, ".")
		switch {
		case name == "-" && options == "":
			continue
		case f.Name == "_":
			fmt.Fprintf(&layout, "_,%s;", options)
			continue
		case w.rules.Stored && f.Anonymous && name == "" && w.embeds(f):
			layout.WriteString(w.walk(f.Type, addressable, at) + ";")
			continue
		case !f.IsExported():
			w.problem(at, "it is unexported and would be lost; %s give %v the methods %s", w.words.cure, t, w.rules.Methods)
			continue
		case f.Anonymous && name == "" && !w.rules.Stored:
			w.problem(at, "it is embedded, and its fields could hide each other; give it a name, or the tag %s:%q", w.rules.Tags[0], strings.ToLower(f.Name))
			continue
		case name == "":
			name = f.Name
		}
		if other, twice := names[name]; twice {
			w.problem(at, "its %s, %q, is also the name of %s, so both would be lost; change a tag", w.words.name, name, other)
		}
		names[name] = f.Name
		fmt.Fprintf(&layout, "%q,%s:%s;", name, options, w.walk(f.Type, addressable, at))
	}
	layout.WriteByte('}')
	return layout.String()
}

// embeds reports whether the fields of an embedded struct are encoded with those around it. A
// reader can't make the value of a pointer to an unexported type.
func (w *walker) embeds(f reflect.StructField) bool {
	t := f.Type
	if t.Kind() == reflect.Pointer {
		t = t.Elem()
	}
	return t.Kind() == reflect.Struct && (f.IsExported() || f.Type == t) && !w.rules.Whole(f.Type, true)
}

func (w *walker) tag(f reflect.StructField) (name, options string) {
	for _, key := range w.rules.Tags {
		if tag, ok := f.Tag.Lookup(key); ok {
			name, options, comma := strings.Cut(tag, ",")
			if comma {
				options = "," + options // So that "-," is a field of that name.
			}
			return name, options
		}
	}
	return "", ""
}

// Promoter returns the embedded field of a struct from which the struct may have its encoding methods, or "".
func Promoter(t reflect.Type, encodes func(reflect.Type) bool) string {
	if t.Kind() != reflect.Struct {
		return ""
	}
	for i := range t.NumField() {
		f := t.Field(i)
		if !f.Anonymous {
			continue
		}
		base := f.Type
		if base.Kind() == reflect.Pointer {
			base = base.Elem()
		}
		if encodes(base) {
			return f.Name
		}
	}
	return ""
}
