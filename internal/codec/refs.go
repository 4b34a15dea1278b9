package codec

import (
	"errors"
	"fmt"
	"reflect"
	"strings"
	"sync"
)

// Refs says where values of a type have refs: addresses of actors that are read without a system, and bound to one afterwards.
// A walk goes through structs, slices, arrays and pointers that can lead to a ref, and into the interfaces of exported fields.
type Refs struct {
	is    func(reflect.Type) bool
	mu    sync.Mutex
	known map[reflect.Type]bool // Whether values of the type can have refs.
}

// NewRefs returns the walk for refs, which are the types that the function reports.
func NewRefs(is func(reflect.Type) bool) *Refs {
	return &Refs{is: is, known: map[reflect.Type]bool{}}
}

// In reports whether values of the type can have refs.
func (r *Refs) In(t reflect.Type) bool {
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.in(t)
}

// in is In for a caller that holds the mutex.
func (r *Refs) in(t reflect.Type) bool {
	has, known := r.known[t]
	if known {
		return has
	}
	open := map[reflect.Type]bool{}
	has = r.search(t, open, true)
	if has {
		r.known[t] = true
		return true
	}
	for each := range open { // None of all that it leads to has any.
		r.known[each] = false
	}
	return false
}

// search reports whether a type leads to a ref, or to an interface if these count. Open has the types that were looked at.
func (r *Refs) search(t reflect.Type, open map[reflect.Type]bool, interfaces bool) bool {
	if has, known := r.known[t]; known && interfaces {
		return has
	}
	if open[t] {
		return false // The search of it goes on further up.
	}
	open[t] = true
	if r.is(t) {
		return true
	}
	switch t.Kind() {
	case reflect.Pointer, reflect.Slice, reflect.Array, reflect.Map:
		return r.search(t.Elem(), open, interfaces) || t.Kind() == reflect.Map && r.search(t.Key(), open, interfaces)
	case reflect.Interface:
		return interfaces // Its contents are known when there is a value.
	case reflect.Struct:
		for i := range t.NumField() {
			if f := t.Field(i); f.IsExported() || f.Type.Kind() != reflect.Interface {
				if r.search(f.Type, open, interfaces) {
					return true
				}
			}
		}
	}
	return false
}

// Check returns an error that names the refs that are below maps. Their values can't be changed in place.
func (r *Refs) Check(t reflect.Type) error {
	var problems []error
	seen := map[reflect.Type]bool{}
	var look func(at reflect.Type, path string)
	look = func(at reflect.Type, path string) {
		if seen[at] || r.is(at) || len(problems) == maxProblems {
			return
		}
		seen[at] = true
		switch at.Kind() {
		case reflect.Pointer:
			look(at.Elem(), path)
		case reflect.Slice, reflect.Array:
			look(at.Elem(), path+"[]")
		case reflect.Map:
			if r.search(at, map[reflect.Type]bool{}, false) {
				where := "the type itself"
				if path != "" {
					where = "field " + path
				}
				problems = append(problems, fmt.Errorf("%v: %s: a %v has refs below a map, where they can't be bound to a system; use a slice of pairs", t, where, at))
			}
		case reflect.Struct:
			for i := range at.NumField() {
				f := at.Field(i)
				look(f.Type, strings.TrimPrefix(path+"."+f.Name, "."))
			}
		}
	}
	look(t, "")
	return errors.Join(problems...)
}

// Bind calls bind with a pointer to each ref below v, which must be addressable. It stops with the first error.
func (r *Refs) Bind(v reflect.Value, bind func(ref any) error) error {
	if !r.In(v.Type()) {
		return nil
	}
	w := refWalk{Refs: r, bind: bind}
	return w.walk(v)
}

type refWalk struct {
	*Refs
	bind func(ref any) error
	seen map[seenAt]struct{} // Pointers that were followed: values may be cyclic.
}

type seenAt struct {
	at uintptr
	t  reflect.Type
}

func (w *refWalk) walk(v reflect.Value) error {
	t := v.Type()
	if w.is(t) {
		return w.bind(v.Addr().Interface())
	}
	if !w.In(t) {
		return nil
	}
	switch v.Kind() {
	case reflect.Pointer:
		return w.follow(v)
	case reflect.Slice, reflect.Array:
		for i := range v.Len() {
			if err := w.walk(v.Index(i)); err != nil {
				return err
			}
		}
	case reflect.Struct:
		return w.fields(v, t)
	case reflect.Interface:
		return w.inside(v)
	}
	return nil
}

func (w *refWalk) fields(v reflect.Value, t reflect.Type) error {
	for i := range t.NumField() {
		f := v.Field(i)
		if !t.Field(i).IsExported() {
			if f.Kind() == reflect.Interface {
				continue
			}
			f = reflect.NewAt(f.Type(), f.Addr().UnsafePointer()).Elem() // A type that encodes itself may have refs there.
		}
		if err := w.walk(f); err != nil {
			return err
		}
	}
	return nil
}

func (w *refWalk) follow(v reflect.Value) error {
	if v.IsNil() {
		return nil
	}
	at := seenAt{v.Pointer(), v.Type()}
	if _, seen := w.seen[at]; seen {
		return nil
	}
	if w.seen == nil {
		w.seen = map[seenAt]struct{}{}
	}
	w.seen[at] = struct{}{}
	return w.walk(v.Elem())
}

// inside binds what is in an interface. A value there can't be changed in place, so a changed copy takes its place.
func (w *refWalk) inside(v reflect.Value) error {
	if v.IsNil() {
		return nil
	}
	in := v.Elem()
	if !w.In(in.Type()) {
		return nil
	}
	if in.Kind() == reflect.Pointer {
		return w.follow(in)
	}
	changed := reflect.New(in.Type()).Elem()
	changed.Set(in)
	if err := w.walk(changed); err != nil {
		return err
	}
	v.Set(changed)
	return nil
}
