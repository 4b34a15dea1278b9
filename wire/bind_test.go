package wire_test

import (
	"context"
	"encoding/json"
	"errors"
	"reflect"
	"strings"
	"testing"

	"github.com/troupe-go/troupe/actor"
	"github.com/troupe-go/troupe/internal/patience"
	"github.com/troupe-go/troupe/wire"
	"github.com/troupe-go/troupe/wire/wiretest"
)

// roster has refs wherever a codec can have them.
type roster struct {
	Lead  actor.Ref[int]
	All   []actor.Ref[int]
	Pair  [2]actor.Ref[int]
	Next  *roster
	Parts []member
	Reply actor.Reply[string]
	Note  string
}

type member struct {
	Name string
	At   *actor.Ref[int]
}

// sealed encodes itself, and has a ref in an unexported field and one in an interface.
type sealed struct {
	to  actor.Ref[int]
	Any any
}

func (s sealed) AppendBinary(b []byte) ([]byte, error) { return s.to.AppendBinary(b) }

func (s *sealed) UnmarshalBinary(b []byte) error {
	var other actor.Ref[int]
	if err := errors.Join(s.to.UnmarshalBinary(b), other.UnmarshalBinary(b)); err != nil {
		return err
	}
	s.Any = member{At: &other}
	return nil
}

// nodes returns two systems that are joined, and an actor of the first as both have it.
func nodes(t *testing.T) (systems [2]*actor.System, link *wiretest.Link, here, there actor.Ref[int]) {
	t.Helper()
	for i := range systems {
		sys, err := actor.NewSystem(actor.Config{Workers: 1})
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() {
			if err := sys.Stop(patience.Context(t)); err != nil {
				t.Error(err)
			}
		})
		systems[i] = sys
	}
	here, err := actor.Spawn(systems[0], actor.Func(func(*actor.Context[int], int) error { return nil }))
	if err != nil {
		t.Fatal(err)
	}
	if _, err := wire.Export(here); err == nil || !strings.Contains(err.Error(), "no node") {
		t.Fatalf("a ref of a system that is no node: %v", err)
	}
	r := &wire.Registry{}
	wire.Register[int]("int", wire.In(r))
	link = wiretest.Join(t, r, systems[0], systems[1])
	data, err := wire.Export(here)
	if err != nil {
		t.Fatal(err)
	}
	if there, err = wire.Import[int](systems[1], data); err != nil {
		t.Fatal(err)
	}
	if again, err := wire.Import[int](systems[0], data); err != nil || again != here {
		t.Fatalf("at home the ref leads to %v (%v), want %v", again, err, here)
	}
	return systems, link, here, there
}

// TestRefsAreBoundWhereverTheyAre sends a message with refs through the codec, and expects the one ref that the other system has
// for the actor in each place.
func TestRefsAreBoundWhereverTheyAre(t *testing.T) {
	systems, _, here, there := nodes(t)
	r := &wire.Registry{}
	wire.Register[roster]("roster", wire.In(r))
	wire.Register[sealed]("sealed", wire.In(r))
	wire.Register[actor.Ref[int]]("ref", wire.In(r))
	o, err := r.Offer()
	if err != nil {
		t.Fatal(err)
	}
	a, err := o.Agree(o.Bytes())
	if err != nil {
		t.Fatal(err)
	}
	m := roster{Lead: here, All: []actor.Ref[int]{here, {}, here.On(actor.Control)}, Pair: [2]actor.Ref[int]{1: here}, Parts: []member{{"x", &here}, {}}, Note: "n"}
	m.Next = &roster{Lead: here}
	cross := func(m any, bind bool) any {
		t.Helper()
		data, err := a.Append(nil, m)
		if err != nil {
			t.Fatal(err)
		}
		got, err := a.DecodeFor(data, func(ref any) error {
			if bind {
				return wire.Bind(systems[1], ref)
			}
			return nil
		})
		if err != nil {
			t.Fatal(err)
		}
		return got
	}
	want := roster{Lead: there, All: []actor.Ref[int]{there, {}, there.On(actor.Control)}, Pair: [2]actor.Ref[int]{1: there}, Parts: []member{{"x", &there}, {}}, Note: "n"}
	want.Next = &roster{Lead: there}
	if got := cross(m, true); !reflect.DeepEqual(got, want) {
		t.Errorf("got %+v, want %+v", got, want)
	}
	if got := cross(here, true); got != there {
		t.Errorf("a message that is a ref came as %v, want %v", got, there)
	}
	if got := cross(sealed{to: here}, true).(sealed); got.to != there || *got.Any.(member).At != there {
		t.Errorf("got %+v, want %v twice", got, there)
	}
	free := cross(m, false).(roster)
	if err := free.Lead.Send(context.Background(), 1); !errors.Is(err, actor.ErrUnbound) {
		t.Errorf("a send to a ref that is not bound: %v", err)
	}
	if free.Lead == there {
		t.Error("a ref that is not bound is the actor's")
	}
	if err := wire.Bind(systems[1], &free); err != nil || !reflect.DeepEqual(free, want) {
		t.Errorf("bound later: %+v (%v)", free, err)
	}
	if err := there.Send(context.Background(), 1); err != nil {
		t.Error(err)
	}
}

func TestBindRefusesWhatItCannotBind(t *testing.T) {
	systems, _, here, _ := nodes(t)
	below := map[string]actor.Ref[int]{"a": here}
	if err := wire.Bind(systems[1], &below); err == nil || !strings.Contains(err.Error(), "refs below a map") {
		t.Errorf("refs below a map: %v", err)
	}
	ring := &roster{Lead: here}
	ring.Next = ring
	if err := wire.Bind(systems[1], ring); err != nil {
		t.Errorf("a cyclic value: %v", err)
	}
	for name, v := range map[string]any{"nil": nil, "a value": here, "a nil pointer": (*roster)(nil)} {
		if err := wire.Bind(systems[1], v); err == nil || !strings.Contains(err.Error(), "pointer to the value") {
			t.Errorf("%s: %v", name, err)
		}
	}
	lone, err := actor.NewSystem(actor.Config{Workers: 1})
	if err != nil {
		t.Fatal(err)
	}
	if err := wire.Bind(lone, &here); err == nil || !strings.Contains(err.Error(), "no node") {
		t.Errorf("a system that is no node: %v", err)
	}
	if err := lone.Stop(patience.Context(t)); err != nil {
		t.Error(err)
	}
	if err := wire.Bind(nil, &here); !errors.Is(err, actor.ErrNoSystem) {
		t.Errorf("no system: %v", err)
	}
	if _, err := wire.Export(actor.Ref[int]{}); !errors.Is(err, actor.ErrNoRef) {
		t.Errorf("the zero ref: %v", err)
	}
	for _, data := range [][]byte{nil, {0}, []byte("\x01a\x07"), []byte(strings.Repeat("\xff", 99))} {
		if _, err := wire.Import[int](systems[1], data); !errors.Is(err, wire.ErrData) {
			t.Errorf("import %q: %v", data, err)
		}
	}
}

func FuzzRef(f *testing.F) {
	f.Add([]byte("\x01a\x07\x0c\x00"))
	f.Add([]byte(nil))
	f.Add([]byte("\n"))
	f.Fuzz(func(t *testing.T, data []byte) {
		var ref actor.Ref[int]
		var reply actor.Reply[int]
		_ = reply.UnmarshalBinary(data)
		if reply.UnmarshalText(data) == nil && len(data) > 0 {
			if again, err := json.Marshal(reply); !errors.Is(err, actor.ErrUnbound) {
				t.Fatalf("a Reply that is not bound is written as %q (%v)", again, err)
			}
		}
		_ = ref.UnmarshalText(data)
		if ref.UnmarshalBinary(data) != nil || len(data) == 0 {
			return
		}
		text, err := json.Marshal(ref)
		if err != nil {
			t.Fatal(err)
		}
		var other actor.Ref[int]
		if err := json.Unmarshal(text, &other); err != nil {
			t.Fatalf("%s: %v", text, err)
		}
		if again, err := json.Marshal(other); err != nil || string(again) != string(text) {
			t.Fatalf("%s is written as %s (%v)", text, again, err)
		}
	})
}
