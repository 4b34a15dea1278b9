package actor_test

import (
	"strings"
	"testing"

	"github.com/troupe-go/troupe/actor"
	"github.com/troupe-go/troupe/internal/simulated"
)

func TestSpawnRefusesNil(t *testing.T) { simulated.Too(t, testSpawnRefusesNil) }

func testSpawnRefusesNil(t testing.TB) {
	sys, sys2 := newSystem(t, actor.Config{}), newSystem(t, actor.Config{})
	one := actor.Func(func(*actor.Context[int], int) error { return nil })
	spawns := map[string]func() error{
		"no spawner":  func() error { _, err := actor.Spawn(nil, one); return err },
		"no actor":    func() error { _, err := actor.Spawn[int](sys, nil); return err },
		"no new":      func() error { _, err := actor.SpawnNew[int](sys, nil); return err },
		"new nil":     func() error { _, err := actor.SpawnNew(sys, func() actor.Actor[int] { return nil }); return err },
		"no function": func() error { _, err := actor.Spawn(sys, actor.Func[int](nil)); return err },
		"none of several": func() error {
			_, err := actor.Spawn(sys, actor.FirstOf(one, actor.Func[int](nil)))
			return err
		},
		"no option": func() error { _, err := actor.Spawn(sys, one, nil); return err },
		"nil context": func() error {
			var at *actor.Context[int]
			_, err := actor.Spawn(at, one)
			return err
		},
		"zero context": func() error { _, err := actor.Spawn(&actor.Context[int]{}, one); return err },
		"zero process": func() error { _, err := actor.Spawn(&actor.Process[int]{}, one); return err },
		"timer of a zero context": func() error {
			_, err := actor.SendAfter(&actor.Context[int]{}, 1, spawn(t, sys2, one.Receive), 1)
			return err
		},
		"zero process receives": func() error { _, err := (&actor.Process[int]{}).Receive(t.Context()); return err },
		"process among others": func() error {
			_, err := actor.Spawn(sys, actor.FirstOf(one, actor.NewProcess(func(*actor.Process[int]) error { return nil })))
			return err
		},
		"no deliverer": func() error {
			_, err := actor.AskBy(t.Context(), sys, nil, func(actor.Reply[int]) int { return 1 })
			return err
		},
		"zero pump":            func() error { _, err := actor.Spawn(sys, one, actor.WithPump(&actor.Pump{})); return err },
		"run of a zero pump":   func() error { _, err := (&actor.Pump{}).Run(0); return err },
		"name that is no text": func() error { _, err := actor.Spawn(sys, one, actor.WithName("a\xffb")); return err },
	}
	for name, f := range spawns {
		if err := f(); err == nil || !strings.Contains(err.Error(), "actor: ") {
			t.Errorf("%s: %v", name, err)
		}
	}
	if n := sys.Stats().Actors; n != 0 {
		t.Errorf("%d actors were spawned", n)
	}
}

func TestOptions(t *testing.T) { simulated.Too(t, testOptions) }

func testOptions(t testing.TB) {
	sys := newSystem(t, actor.Config{})
	tests := []struct {
		name string
		opt  actor.Option
		ok   bool
	}{
		{"name", actor.WithName("worker 1/ü"), true},
		{"name of 255 bytes", actor.WithName(strings.Repeat("x", 255)), true},
		{"name of 256 bytes", actor.WithName(strings.Repeat("x", 256)), false},
		{"no name", actor.WithName(""), false},
		{"name with a line break", actor.WithName("a\nb"), false},
		{"capacity 1", actor.WithCapacity(actor.Data, 1), true},
		{"capacity 2^30", actor.WithCapacity(actor.Control, 1<<30), true},
		{"capacity 2^30+1", actor.WithCapacity(actor.Control, 1<<30+1), false},
		{"capacity 0", actor.WithCapacity(actor.Data, 0), false},
		{"capacity of no lane", actor.WithCapacity(3, 1), false},
		{"throughput 1", actor.WithThroughput(1), true},
		{"throughput 0", actor.WithThroughput(0), false},
	}
	for _, test := range tests {
		_, err := actor.Spawn(sys, actor.Func(answer), test.opt)
		if (err == nil) != test.ok {
			t.Errorf("%s: %v", test.name, err)
		}
	}
}

// The next actor does not inherit an actor's options.
func TestOptionsAreNotShared(t *testing.T) { simulated.Too(t, testOptionsAreNotShared) }

func testOptionsAreNotShared(t testing.TB) {
	sys := newSystem(t, actor.Config{})
	named := spawn(t, sys, answer, actor.WithName("named"))
	plain := spawn(t, sys, answer, actor.WithThroughput(3))
	bare := spawn(t, sys, answer)
	if s := named.String(); s != "named"+named.PID().String() {
		t.Errorf("the named actor is %s", s)
	}
	for _, ref := range []actor.Ref[question]{plain, bare} {
		if s := ref.String(); s != ref.PID().String() {
			t.Errorf("an actor without a name is %s", s)
		}
	}
}

func TestChildrenAreSpawnedWithTheContext(t *testing.T) {
	simulated.Too(t, testChildrenAreSpawnedWithTheContext)
}

func testChildrenAreSpawnedWithTheContext(t testing.TB) {
	ctx := guarded(t)
	sys := newSystem(t, actor.Config{})
	children := make(chan actor.Ref[question], 1)
	parent := spawn(t, sys, func(c *actor.Context[int], _ int) error {
		children <- spawn(t, c, answer)
		return nil
	})
	send(t, ctx, parent, 1)
	child := receive(t, ctx, children)
	if v, err := actor.Ask(ctx, child, asking(1)); v != 2 || err != nil {
		t.Errorf("the child answered %d, %v", v, err)
	}
	wantNoErr(t, parent.Stop(ctx))
	wantErr(t, child.Send(ctx, question{}), actor.ErrStopped)
}

// A start waits its turn, like a message, but what is more urgent takes it along.
func TestUrgencyOfStart(t *testing.T) {
	tests := map[string]struct {
		then func(*actor.Context[int], actor.Ref[int]) error
		want []string
	}{
		"nothing else": {nil, []string{"message", "start"}},
		"a stop": {
			func(ctx *actor.Context[int], child actor.Ref[int]) error { return ctx.StopChild(child.PID()) },
			[]string{"start", "stop", "message"},
		},
		"a control message": {
			func(ctx *actor.Context[int], child actor.Ref[int]) error { return child.On(actor.Control).Send(ctx, 1) },
			[]string{"start", "control", "message"},
		},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			ctx := guarded(t)
			sys := oneWorker(t) // A spare would go on with the other one, on a busy machine.
			did := make(chan string, 3)
			note := func(what string) { did <- what }
			other := spawn(t, sys, func(*actor.Context[int], int) error { note("message"); return nil })
			parent := spawn(t, sys, func(ctx *actor.Context[int], _ int) error {
				if err := other.Send(ctx, 1); err != nil {
					return err
				}
				child, err := actor.Spawn(ctx, &hooks[int]{
					started: func(*actor.Context[int]) error { note("start"); return nil },
					stopped: func(*actor.Context[int], error) { note("stop") },
					receive: func(*actor.Context[int], int) error { note("control"); return nil },
				})
				if err == nil && test.then != nil {
					err = test.then(ctx, child)
				}
				return err
			})
			send(t, ctx, parent, 1)
			for i, want := range test.want {
				if got := receive(t, ctx, did); got != want {
					t.Errorf("number %d is %q, want %q", i+1, got, want)
				}
			}
		})
	}
}

func TestSpawnAllocatesOnce(t *testing.T) {
	sys := newSystem(t, actor.Config{})
	a := actor.Func(answer)
	allocs := testing.AllocsPerRun(5000, func() {
		if _, err := actor.Spawn(sys, a); err != nil {
			t.Fatal(err)
		}
	})
	if allocs > 1 { // The process table's are few enough to fall below the point.
		t.Errorf("a spawn makes %v allocations", allocs)
	}
}
