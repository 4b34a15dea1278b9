package wire_test

import (
	"context"
	"errors"
	"go/ast"
	"go/parser"
	"go/token"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/troupe-go/troupe/actor"
	"github.com/troupe-go/troupe/wire"
)

type (
	withRef   struct{ To map[string]actor.Ref[int] }
	withReply struct {
		Inner struct {
			R map[string][]actor.Reply[string]
		}
	}
	withPID  struct{ P map[string]actor.PID }
	embedded struct{ part }
	stamped  struct {
		time.Time
		N int
	}
	twice struct {
		X int
		B int `json:"X"`
	}
	hidden struct{ A struct{ b int } }
	opened struct {
		tick
		X int
	}
)

func TestCheckNamesWhatWouldBeLost(t *testing.T) {
	_, _ = hidden{}.A.b, transfer{}.cut
	for want, register := range map[string]func(in wire.Option){
		"field cut: it is unexported":                                func(in wire.Option) { wire.Register[transfer]("t", in) },
		"field A.b: it is unexported":                                func(in wire.Option) { wire.Register[hidden]("t", in) },
		"field To: a map[string]actor.Ref[int] has refs below":       func(in wire.Option) { wire.Register[withRef]("t", in) },
		"field Inner.R: a map[string][]actor.Reply[string] has refs": func(in wire.Option) { wire.Register[withReply]("t", in) },
		"field P[]: an actor.PID names an actor of one system":       func(in wire.Option) { wire.Register[withPID]("t", in) },
		`"t": an actor.System can't leave its process`:               func(in wire.Option) { wire.Register[actor.System]("t", in) },
		"field part: it is unexported":                               func(in wire.Option) { wire.Register[embedded]("t", in) },
		"may be those of its embedded field Time":                    func(in wire.Option) { wire.Register[stamped]("t", in) },
		"may be those of its embedded field tick":                    func(in wire.Option) { wire.Register[opened]("t", in) },
		`field B: its name on the wire, "X", is also the name of X`:  func(in wire.Option) { wire.Register[twice]("t", in) },
		"field C: a chan int means nothing": func(in wire.Option) {
			wire.Register[struct{ C chan int }]("t", in)
		},
		"field F[]: a func() means nothing": func(in wire.Option) { wire.Register[struct{ F []func() }]("t", in) },
		"field A: interface {} is an interface": func(in wire.Option) {
			wire.Register[struct{ A any }]("t", in)
		},
		"field C: no codec has a complex128": func(in wire.Option) { wire.Register[struct{ C complex128 }]("t", in) },
		"the keys of map[part]int":           func(in wire.Option) { wire.Register[struct{ M map[[2]int]int }]("t", in) },
		"a pointer to a pointer":             func(in wire.Option) { wire.Register[struct{ P **int }]("t", in) },
		"is an interface; register each":     func(in wire.Option) { wire.Register[error]("t", in) },
		`the name "a b"`:                     func(in wire.Option) { wire.Register[int]("a b", in) },
		`the name ""`:                        func(in wire.Option) { wire.Register[int]("", in) },
		`the name "aaaa`:                     func(in wire.Option) { wire.Register[int](strings.Repeat("a", 201), in) },
		"int is both": func(in wire.Option) {
			wire.Register[int]("a", in)
			wire.Register[int]("b", in)
		},
		`"a" is both int and string`: func(in wire.Option) {
			wire.Register[int]("a", in)
			wire.Register[string]("a", in)
		},
		"the values \"a\" and \"b\" have the same key": func(in wire.Option) {
			wire.Value[int](1, "a", in)
			wire.Value[string](1, "b", in)
		},
		"is nil or can't be compared; contexts": func(in wire.Option) { wire.Value[int]([]int{}, "a", in) },
		"version 0 of":                          func(in wire.Option) { wire.Register[int]("a", in, wire.Version(0)) },
		"reads from 3 on; want 1 to 2":          func(in wire.Option) { wire.Register[int]("a", in, wire.Version(2), wire.Reads(3)) },
		"a nil Codec":                           func(in wire.Option) { wire.Register[int]("a", in, wire.With(nil)) },
		"a nil Option":                          func(in wire.Option) { wire.Register[int]("a", in, nil) },
		`the error "a" is nil`:                  func(in wire.Option) { wire.Error(nil, "a", in) },
		`is registered as "context.Canceled"`:   func(in wire.Option) { wire.Error(context.Canceled, "a", in) },
		`the error "a" has options`:             func(in wire.Option) { wire.Error(errFunds, "a", in, wire.Version(2)) },
		`as "a" (no funds) already`: func(in wire.Option) {
			wire.Error(errFunds, "a", in)
			wire.Error(errBank, "a", in)
		},
	} {
		r := &wire.Registry{}
		register(wire.In(r))
		want = strings.Replace(want, "map[part]int", "map[[2]int]int", 1)
		if err := r.Check(); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("Check says %v; want %q in it", err, want)
		}
		if o, err := r.Offer(); o != nil || err == nil {
			t.Errorf("%s: there is an offer nevertheless (%v)", want, err)
		}
	}
	r := &wire.Registry{Limits: wire.Limits{Depth: -1}}
	if err := r.Check(); err == nil || !strings.Contains(err.Error(), "Limits.Depth is -1") {
		t.Errorf("a limit below zero: %v", err)
	}
	r = &wire.Registry{}
	everything(r)
	if err := r.Check(); err != nil {
		t.Errorf("good types: %v", err)
	}
}

// Each error of package actor, and of this one, has a name.
func TestActorsErrorsHaveNames(t *testing.T) {
	names := wire.BuiltInErrors()
	for _, of := range []struct {
		name, file string
		least      int
	}{{"actor", "../actor/errors.go", 20}, {"wire", "errors.go", 7}} {
		file, err := parser.ParseFile(token.NewFileSet(), of.file, nil, 0)
		if err != nil {
			t.Fatal(err)
		}
		found := 0
		ast.Inspect(file, func(n ast.Node) bool {
			if spec, ok := n.(*ast.ValueSpec); ok {
				for _, name := range spec.Names {
					if strings.HasPrefix(name.Name, "Err") && name.Name != "ErrAskCycle" { // ErrCycle's old name.
						found++
						if !slices.Contains(names, of.name+"."+name.Name) {
							t.Errorf("%s.%s is not in builtIn", of.name, name.Name)
						}
					}
				}
			}
			return true
		})
		if found < of.least {
			t.Errorf("%d errors are found in package %s", found, of.name)
		}
	}
}

func TestNilRegistry(t *testing.T) {
	before := wire.Default.Check()
	if before != nil {
		t.Fatal(before)
	}
	defer wire.Forget(wire.Default)
	wire.Register[int]("int", wire.In(nil))
	if err := wire.Default.Check(); err == nil || !strings.Contains(err.Error(), "nil Registry") {
		t.Errorf("a nil Registry: %v", err)
	}
}

func TestRegistriesAgree(t *testing.T) {
	type v1 struct{ A int }
	type v2 struct{ A, B int }
	type other struct {
		A int `json:"x"`
	}
	one := func(register func(in wire.Option)) func(*wire.Registry) {
		return func(r *wire.Registry) { register(wire.In(r)) }
	}
	v := func(n, oldest int) func(*wire.Registry) {
		return one(func(in wire.Option) { wire.Register[v2]("m", in, wire.Version(n), wire.Reads(oldest)) })
	}
	first := one(func(in wire.Option) { wire.Register[v1]("m", in) })
	for name, c := range map[string]struct {
		here, there func(*wire.Registry)
		want, back  string // The differences that the sides name; empty if they agree.
	}{
		"same":            {first, first, "", ""},
		"same fields":     {first, one(func(in wire.Option) { wire.Register[struct{ A int }]("m", in) }), "", ""},
		"later version":   {v(2, 1), first, "", ""},
		"two versions on": {v(3, 1), v(2, 2), "", ""},
		"too new":         {v(2, 2), first, "version 2 here and 1 there; update one side, or let the newer one read the older by wire.Reads(1)", "version 1 here and 2 there"},
		"fields": {first, one(func(in wire.Option) { wire.Register[v2]("m", in) }),
			"its fields differ, but both sides call them version 1; give the newer one wire.Version(2)", "its fields differ"},
		"tags":             {first, one(func(in wire.Option) { wire.Register[other]("m", in) }), "its fields differ", "its fields differ"},
		"own and codec":    {first, one(func(in wire.Option) { wire.Register[tick]("m", in) }), "encoded as json here and as own there", "encoded as own here and as json there"},
		"message or value": {first, one(func(in wire.Option) { wire.Value[v1](1, "m", in) }), "it is a message on one side", "it is a message on one side"},
	} {
		a, b := sides(t, c.here, c.there)
		for _, side := range []struct {
			*wire.Agreement
			want string
		}{{a, c.want}, {b, c.back}} {
			diffs := side.Differences()
			switch {
			case side.want == "" && diffs != nil:
				t.Errorf("%s: they differ: %v", name, diffs)
			case side.want != "" && (len(diffs) != 1 || !errors.Is(diffs[0], wire.ErrLayout) || !strings.Contains(diffs[0].Error(), side.want)):
				t.Errorf("%s: got %v, want one ErrLayout with %q", name, diffs, side.want)
			}
		}
	}
}
