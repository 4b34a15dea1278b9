package supervise

import (
	"fmt"
	"reflect"
	"slices"
	"strings"
	"sync/atomic"

	"github.com/troupe-go/troupe/actor"
	"github.com/troupe-go/troupe/internal/workers"
)

// Troupe is a group of actors that know each other, declared in one place: D is
// a struct with a field of type [actor.Ref] for each member. It is started as
// the Config.Troupe of a supervisor, by itself or nested, with any strategy.
//
//	type shop struct {
//		Stock actor.Ref[item]
//		Till  actor.Ref[sale]
//	}
//
//	troupe := supervise.NewTroupe(func(cast *supervise.Cast, s *shop) {
//		supervise.Play(cast, &s.Stock, supervise.Child[item]{New: func() actor.Actor[item] { return &stock{} }})
//		supervise.Play(cast, &s.Till, supervise.Child[sale]{New: func() actor.Actor[sale] { return &till{s.Stock} }})
//	})
//	sup, err := supervise.Start(sys, supervise.Config{Name: "shop", Troupe: troupe})
//	err = troupe.Members().Till.Send(ctx, sale{})
//
// All refs are there before any member is made, so each may use any other, in
// its New or later; what is sent to one that has not started waits. A member that
// nobody plays, or one that is played twice, is an error of Start, or of [Check],
// before anything starts; a member of the wrong type does not compile.
type Troupe[D any] struct {
	declare func(cast *Cast, members *D)
	members atomic.Pointer[D]
}

// NewTroupe declares a troupe. The function says by [Play] who plays each
// member. Check and Start call it, and each restart of the whole troupe calls it
// again, each time with a fresh D; so it does nothing else.
func NewTroupe[D any](declare func(cast *Cast, members *D)) *Troupe[D] {
	return &Troupe[D]{declare: declare}
}

// StartTroupe declares a troupe and starts it, at the top of a system or below
// an actor. It is [NewTroupe] and [Start] in one.
func StartTroupe[D any](at actor.Spawner, cfg Config, declare func(cast *Cast, members *D)) (*D, *Supervisor, error) {
	t := NewTroupe(declare)
	cfg.Troupe = t
	s, err := Start(at, cfg)
	if err != nil {
		return nil, nil, err
	}
	return t.Members(), s, nil
}

// Members returns the refs of the members, or nil if the troupe has not been
// started. They stay valid over restarts, also of the troupe as a whole. The ref
// of a member that has ended for good stays what it was. They are not to be changed.
func (t *Troupe[D]) Members() *D {
	if t == nil {
		return nil
	}
	return t.members.Load()
}

// Declaration is implemented by [Troupe], whatever its members.
type Declaration interface {
	cast() (members []castMember, publish func(), err error)
}

// Cast is what [Play] adds members to.
type Cast struct {
	fields  map[uintptr]string // The names of the members by the address of their ref.
	members []castMember
	played  map[string]bool
	err     error
}

// castMember is a member, with where its ref goes.
type castMember struct {
	spec   Spec
	assign func(ref any)
}

// Play says who plays the member whose ref is a field of the troupe's struct. Members are
// started in the order of the calls, and stopped in the opposite one. The child's Name
// defaults to the name of the field; its Options say where it runs.
func Play[M any](cast *Cast, ref *actor.Ref[M], c Child[M]) {
	if cast == nil || cast.err != nil {
		return
	}
	name, ok := cast.fields[addressOf(ref)]
	switch {
	case !ok:
		cast.err = fmt.Errorf("%T is given a ref that is no member", c)
		return
	case cast.played[name]:
		cast.err = fmt.Errorf("the member %s is played twice", name)
		return
	}
	cast.played[name] = true
	if c.Name == "" {
		c.Name = name
	}
	cast.members = append(cast.members, castMember{c, func(r any) { *ref = r.(actor.Ref[M]) }})
}

func addressOf[M any](ref *actor.Ref[M]) uintptr { return reflect.ValueOf(ref).Pointer() }

// cast lets the declaration say who plays.
func (t *Troupe[D]) cast() (members []castMember, publish func(), err error) {
	if t == nil || t.declare == nil {
		return nil, nil, fmt.Errorf("the troupe has no declaration; make it by NewTroupe")
	}
	d := new(D)
	c := &Cast{fields: map[uintptr]string{}, played: map[string]bool{}}
	c.find("", reflect.ValueOf(d).Elem())
	if len(c.fields) == 0 {
		return nil, nil, fmt.Errorf("%T has no fields of type actor.Ref, so the troupe has no members", *d)
	}
	if err := t.play(c, d); err != nil {
		return nil, nil, fmt.Errorf("troupe %T: %w", *d, err)
	}
	if c.err != nil {
		return nil, nil, fmt.Errorf("troupe %T: %w", *d, c.err)
	}
	for _, name := range c.fields {
		if !c.played[name] {
			return nil, nil, fmt.Errorf("troupe %T: nobody plays %s", *d, c.unplayed())
		}
	}
	return c.members, func() { t.members.Store(d) }, nil
}

// play calls the user's function. That it panics is an error of the declaration.
func (t *Troupe[D]) play(c *Cast, d *D) (err error) {
	defer func() {
		if v := recover(); v != nil {
			err = fmt.Errorf("the declaration: %w", workers.NewPanicError(v))
		}
	}()
	t.declare(c, d)
	return nil
}

// unplayed names the members that nobody plays.
func (c *Cast) unplayed() string {
	var names []string
	for _, name := range c.fields {
		if !c.played[name] {
			names = append(names, name)
		}
	}
	return strings.Join(slices.Sorted(slices.Values(names)), ", ")
}

// find notes the refs in v, also in structs and arrays within it.
func (c *Cast) find(name string, v reflect.Value) {
	switch {
	case isRef(v.Type()):
		c.fields[v.UnsafeAddr()] = name
	case v.Kind() == reflect.Struct:
		for i := range v.NumField() {
			c.find(join(name, v.Type().Field(i).Name), v.Field(i))
		}
	case v.Kind() == reflect.Array:
		for i := range v.Len() {
			c.find(fmt.Sprintf("%s[%d]", name, i), v.Index(i))
		}
	}
}

func join(name, field string) string {
	if name == "" {
		return field
	}
	return name + "." + field
}

// refPath is the import path of package actor.
var refPath = reflect.TypeFor[actor.PID]().PkgPath()

func isRef(t reflect.Type) bool {
	return t.PkgPath() == refPath && strings.HasPrefix(t.Name(), "Ref[")
}
