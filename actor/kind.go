package actor

import (
	"maps"
	"reflect"
	"runtime"
	"strings"
	"sync"
	"sync/atomic"
)

// kind is what an actor is, for people and figures: the type of the user's
// value. There are as many kinds as the program's code has types and functions
// that are spawned, however many actors there are, so they are kept for good.
type kind struct {
	name string
	// hooks are the hooks of all values of this kind but FirstOf's, 0 until the first
	// has been looked at. Written, always the same, by who spawns one.
	hooks atomic.Uint32
	// fits says that no method of the type is nearly a hook. Written by a spawn, and read by others.
	fits atomic.Bool
}

// kindTable has the kinds by what they are recognised by. It is read for each
// spawn, in about 10 ns, and replaced when a kind is new. A sync.Map would
// allocate for the address of a function.
type kindTable struct {
	mu     sync.Mutex // Held to add one.
	byType atomic.Pointer[map[reflect.Type]*kind]
	byCode atomic.Pointer[map[uintptr]*kind] // Of Func, by the function's address.
}

var allKinds kindTable

// kinded is implemented by values of this package whose kind is not their type.
type kinded interface {
	// standsFor returns the address of the function that the actor is made of, or
	// else the actor that gives it its kind, if there is one.
	standsFor() (code uintptr, other any)
}

// kindOf returns the kind of an actor, and whether the kind says which hooks the actor
// has. The kind of a [Func] is its function. A [FirstOf] has the kind of its first
// part, but its hooks come from all parts.
func kindOf(a any) (k *kind, telling bool) {
	if v, ok := a.(kinded); ok {
		code, other := v.standsFor()
		switch {
		case code != 0:
			if k := find(&allKinds.byCode, code); k != nil {
				return k, true
			}
			return add(&allKinds, &allKinds.byCode, code, nameOfCode(code)), true
		case other != nil:
			k, _ = kindOf(other)
			return k, false
		}
	}
	return kindOfType(reflect.TypeOf(a)), true
}

// kindOfType returns the kind of actors of type t.
func kindOfType(t reflect.Type) *kind {
	if k := find(&allKinds.byType, t); k != nil {
		return k
	}
	return add(&allKinds, &allKinds.byType, t, strings.TrimLeft(t.String(), "*"))
}

func find[K comparable](in *atomic.Pointer[map[K]*kind], key K) *kind {
	if all := in.Load(); all != nil {
		return (*all)[key]
	}
	return nil
}

func add[K comparable](t *kindTable, to *atomic.Pointer[map[K]*kind], key K, name string) *kind {
	t.mu.Lock()
	defer t.mu.Unlock()
	if k := find(to, key); k != nil {
		return k
	}
	all := map[K]*kind{}
	if old := to.Load(); old != nil {
		all = maps.Clone(*old)
	}
	k := &kind{name: name}
	all[key] = k
	to.Store(&all)
	return k
}

// nameOfCode returns the function's name with its package, without the path to
// that.
func nameOfCode(code uintptr) string {
	f := runtime.FuncForPC(code)
	if f == nil {
		return "func"
	}
	name := f.Name()
	return name[strings.LastIndexByte(name, '/')+1:]
}
