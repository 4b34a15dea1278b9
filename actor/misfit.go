package actor

import (
	"fmt"
	"reflect"
	"slices"
	"strings"
)

// A method with the name of a hook and another signature compiles, and would never be
// called. So a value that has one is refused, once its type has been looked at.
//
// Methods that come from embedded types count: they are as easily taken for hooks, as
// in a base type for other messages. A value that has a hook only as a pointer is refused,
// too. Each name is written out below, since the linker keeps all methods of all types
// of a program that looks one up by a name which it does not know.

// hookMethods are the methods that are hooks, with what they are given after the Context.
var hookMethods = [...]struct {
	of      string
	find    func(reflect.Type) (reflect.Method, bool)
	in, out []reflect.Type
}{
	{"Starter", func(t reflect.Type) (reflect.Method, bool) { return t.MethodByName("Started") }, nil, outError},
	{"Stopper", func(t reflect.Type) (reflect.Method, bool) { return t.MethodByName("Stopped") }, outError, nil},
	{"GracefulStopper", func(t reflect.Type) (reflect.Method, bool) { return t.MethodByName("Leave") }, nil, outError},
	{"Parent", func(t reflect.Type) (reflect.Method, bool) { return t.MethodByName("ChildExited") }, typesOf[Exit](), outError},
	{"ChildStartedHandler", func(t reflect.Type) (reflect.Method, bool) { return t.MethodByName("ChildStarted") }, typesOf[PID](), outError},
	{"Watcher", func(t reflect.Type) (reflect.Method, bool) { return t.MethodByName("Down") }, append(typesOf[Monitor](), typesOf[Exit]()...), outError},
	{"Trapper", func(t reflect.Type) (reflect.Method, bool) { return t.MethodByName("Exited") }, typesOf[Exit](), outError},
	{"HealthChecker", func(t reflect.Type) (reflect.Method, bool) { return t.MethodByName("Health") }, nil, typesOf[Health]()},
	{"Wakeful", func(t reflect.Type) (reflect.Method, bool) { return t.MethodByName("Woken") }, nil, outError},
}

var outError = typesOf[error]()

func typesOf[T any]() []reflect.Type { return []reflect.Type{reflect.TypeFor[T]()} }

// fit returns an error if the value, which is of this kind, has a method that is nearly a
// hook. It costs a load, but for the first value.
// Ctx is the type of its Context.
func (k *kind) fit(value any, ctx reflect.Type) error {
	if k.fits.Load() {
		return nil
	}
	err := misfit(reflect.TypeOf(value), ctx)
	k.fits.Store(err == nil)
	return err
}

// misfit returns what is wrong with the methods of an actor's type.
func misfit(t, ctx reflect.Type) error {
	for _, h := range hookMethods {
		m, ok := h.find(t)
		if !ok && t.Kind() != reflect.Pointer {
			if m, ok = h.find(reflect.PointerTo(t)); ok {
				return fmt.Errorf("actor: Spawn was given a value of %s, whose method %s has a pointer receiver and would not be called; give it a *%[1]s", t, m.Name)
			}
		}
		if !ok {
			continue
		}
		got, in := slices.Collect(m.Type.Ins())[1:], append([]reflect.Type{ctx}, h.in...)
		if out := slices.Collect(m.Type.Outs()); !slices.Equal(got, in) || !slices.Equal(out, h.out) {
			return fmt.Errorf("actor: %s has the method %s, which would not be called: as the hook of %s, it must be %s; change it, or give it another name",
				t, signature(m.Name, got, out), h.of, signature(m.Name, in, h.out))
		}
	}
	return nil
}

// signature returns a method as it is written in Go.
func signature(name string, in, out []reflect.Type) string {
	text := name + "(" + names(in) + ")"
	switch len(out) {
	case 0:
		return text
	case 1:
		return text + " " + names(out)
	}
	return text + " (" + names(out) + ")"
}

func names(types []reflect.Type) string {
	all := make([]string, len(types))
	for i, t := range types {
		all[i] = t.String()
	}
	return strings.Join(all, ", ")
}
