package workers_test

import (
	"context"
	"runtime"
	"strings"
	"testing"

	"github.com/troupe-go/troupe/internal/workers"
)

// blockHere is a name to look for in a stack.
func blockHere(gate <-chan struct{}) { <-gate }

// TestHeldWorkIsNamed blocks a worker in each way and asks who holds it.
func TestHeldWorkIsNamed(t *testing.T) {
	for name, make := range holdUps {
		t.Run(name, func(t *testing.T) {
			ctx := guarded(t)
			s := newScheduler(t, workers.Config{Workers: 1})
			hold, end := make(t)
			j := start(t, ctx, s, func(context.Context) error { hold(); return nil })
			var held []workers.Held
			eventually(t, ctx, "the worker to count as held", func() bool { held = s.Held(); return len(held) == 1 })
			finish(t, ctx, start(t, ctx, s, func(context.Context) error { return nil }))
			// On a slow machine the worker may have counted as held before the job began, and
			// a spare may have it in its stead. Then the next job had a worker anyway.
			eventually(t, ctx, "the job to hold the worker", func() bool {
				held = s.HeldStacks()
				return len(held) == 1 && held[0].Job == j && !held[0].Alive && (held[0].Replaced || held[0].Worker != 0)
			})
			if at := j.Info().Worker; held[0].Worker != at {
				t.Fatalf("held is %+v, and the job is on worker %d", held, at)
			}
			if held[0].For < 10e6 {
				t.Errorf("held for %v, want at least Config.BlockedAfter", held[0].For)
			}
			if !strings.Contains(held[0].Stack, t.Name()[:len("TestHeldWorkIsNamed")]) && runtime.GOARCH == "amd64" {
				t.Errorf("the stack does not lead to the job:\n%s", held[0].Stack)
			}
			if n := len(s.Stats().Held); n != 1 {
				t.Errorf("the statistics name %d pieces of work", n)
			}
			end()
			finish(t, ctx, j)
			eventually(t, ctx, "the worker to be free", func() bool { return len(s.Held()) == 0 })
			if s.HeldStacks() != nil {
				t.Error("stacks of nobody")
			}
		})
	}
}

// named is a Runner with a name.
type named struct {
	workers.Node
	name string
	gate chan struct{}
}

func (n *named) Run(*workers.Fiber, workers.Priority) { blockHere(n.gate) }

func (n *named) String() string {
	if n.name == "" {
		panic("no name")
	}
	return n.name
}

// TestHeldRunnersAreNamed looks at work that is no job.
func TestHeldRunnersAreNamed(t *testing.T) {
	ctx := guarded(t)
	s := newScheduler(t, workers.Config{Workers: 3})
	gate := make(chan struct{})
	for _, name := range []string{"prompter", ""} {
		n := &named{name: name, gate: gate}
		n.Init(n)
		if err := s.Submit(&n.Node, workers.Low); err != nil {
			t.Fatal(err)
		}
	}
	submit(t, s, workers.Normal, func(*workers.Fiber, workers.Priority) { blockHere(gate) })
	var held []workers.Held
	eventually(t, ctx, "all three to be held", func() bool { held = s.HeldStacks(); return len(held) == 3 })
	for _, what := range []string{"prompter", "no name", "*workerstest.Work"} {
		found := false
		for _, h := range held {
			found = found || strings.Contains(h.Work, what) && h.Job == nil
			if gid := h.Goroutine != 0; gid != strings.Contains(h.Stack, "blockHere") {
				t.Errorf("the stack of goroutine %d does not lead to its work:\n%s", h.Goroutine, h.Stack)
			}
		}
		if !found {
			t.Errorf("nobody is named %q in %+v", what, held)
		}
	}
	close(gate)
}

// TestJobWithCheckpointsIsAlive looks at a job that takes long and passes checkpoints.
func TestJobWithCheckpointsIsAlive(t *testing.T) {
	ctx := guarded(t)
	s := newScheduler(t, workers.Config{Workers: 1})
	gate := make(chan struct{})
	j := start(t, ctx, s, func(ctx context.Context) error {
		for {
			select {
			case <-gate:
				return nil
			default:
				workers.Checkpoint(ctx)
			}
		}
	})
	eventually(t, ctx, "the job to be reported, alive", func() bool {
		held := s.Held()
		return len(held) == 1 && held[0].Alive && held[0].Job == j && !held[0].Replaced
	})
	close(gate)
	finish(t, ctx, j)
}

// TestHeldWorkIsNamedAtTheLimit has no spare to put into the place.
func TestHeldWorkIsNamedAtTheLimit(t *testing.T) {
	ctx := guarded(t)
	s := newScheduler(t, workers.Config{Workers: 1, MaxSpares: -1})
	gate := make(chan struct{})
	j := start(t, ctx, s, func(context.Context) error { blockHere(gate); return nil })
	other := start(t, ctx, s, func(context.Context) error { return nil })
	eventually(t, ctx, "the limit and its reason to be reported", func() bool {
		st := s.Stats()
		return st.SpareLimitReached > 0 && len(st.Held) == 1 && st.Held[0].Job == j && !st.Held[0].Replaced
	})
	close(gate)
	finish(t, ctx, j, other)
}

// BenchmarkHeld is what it costs to ask, with one worker held.
func BenchmarkHeld(b *testing.B) {
	ctx := context.Background()
	s := newScheduler(b, workers.Config{Workers: 1})
	gate := make(chan struct{})
	defer close(gate)
	start(b, ctx, s, func(context.Context) error { <-gate; return nil })
	eventually(b, guarded(b), "the worker to be held", func() bool { return len(s.Held()) == 1 })
	b.Run("without stacks", func(b *testing.B) {
		for b.Loop() {
			s.Held()
		}
	})
	b.Run("with stacks", func(b *testing.B) {
		for b.Loop() {
			s.HeldStacks()
		}
	})
}
