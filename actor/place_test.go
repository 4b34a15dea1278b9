package actor_test

import (
	"context"
	"strings"
	"testing"

	"github.com/troupe-go/troupe/actor"
	"github.com/troupe-go/troupe/internal/workers"
	"github.com/troupe-go/troupe/sched"
)

// whereabouts answers on which worker it runs, before and after it has asked
// another actor.
func whereabouts(elsewhere actor.Ref[question]) func(*actor.Context[question], question) error {
	return func(ctx *actor.Context[question], q question) error {
		at := workers.Current(ctx).Worker()
		if _, err := actor.Ask(ctx, elsewhere, asking(1)); err != nil {
			return err
		}
		if now := workers.Current(ctx).Worker(); now != at {
			at = -1 - now
		}
		return q.reply.Send(ctx, at)
	}
}

func ask(tb testing.TB, ctx context.Context, ref actor.Ref[question]) int {
	tb.Helper()
	n, err := actor.Ask(ctx, ref, asking(1))
	wantNoErr(tb, err)
	return n
}

func TestPinnedActors(t *testing.T) {
	ctx := guarded(t)
	sys := newSystem(t, actor.Config{Workers: 4})
	elsewhere := spawn(t, sys, answer)
	for worker := range 4 {
		ref := spawn(t, sys, whereabouts(elsewhere), actor.WithWorker(worker))
		asker := spawn(t, sys, func(ctx *actor.Context[question], q question) error {
			n, err := actor.Ask(ctx, ref, asking(1))
			if err != nil {
				return err
			}
			return q.reply.Send(ctx, n)
		})
		for range 20 {
			if got := ask(t, ctx, ref); got != worker {
				t.Fatalf("asked from outside, the actor of worker %d runs on %d", worker, got)
			}
			if got := ask(t, ctx, asker); got != worker {
				t.Fatalf("asked by an actor, the actor of worker %d runs on %d", worker, got)
			}
			if got := ask(t, ctx, ref.On(actor.Control)); got != worker {
				t.Fatalf("asked by Control, the actor of worker %d runs on %d", worker, got)
			}
		}
	}
}

// A hook and a restart are bound as messages are.
func TestPinnedHooks(t *testing.T) {
	ctx := guarded(t)
	sys := newSystem(t, actor.Config{Workers: 3})
	at := make(chan int, 3)
	note := func(ctx *actor.Context[int]) { at <- workers.Current(ctx).Worker() }
	ref := spawnActor(t, sys, actor.Actor[int](&hooks[int]{
		started: func(ctx *actor.Context[int]) error { note(ctx); return nil },
		receive: func(ctx *actor.Context[int], _ int) error { note(ctx); return nil },
		stopped: func(ctx *actor.Context[int], _ error) { note(ctx) },
	}), actor.WithWorker(2))
	send(t, ctx, ref, 1)
	wantNoErr(t, ref.Drain(ctx))
	for range 3 {
		if w := receive(t, ctx, at); w != 2 {
			t.Errorf("on worker %d, want 2", w)
		}
	}
}

// While its worker is held, an actor with affinity runs elsewhere, and a pinned
// one does not.
func TestAffinityGivesWay(t *testing.T) {
	ctx := guarded(t)
	sys := newSystem(t, actor.Config{Workers: 2})
	g := newGate()
	holder := spawnActor(t, sys, actor.Actor[int](g), actor.WithWorker(1))
	g.hold(t, ctx, holder)
	ran := make(chan string, 2)
	pinned := spawn(t, sys, func(*actor.Context[int], int) error { ran <- "pinned"; return nil }, actor.WithWorker(1))
	affine := spawn(t, sys, func(*actor.Context[int], int) error { ran <- "affine"; return nil }, actor.WithAffinity(1))
	send(t, ctx, pinned, 1)
	send(t, ctx, affine, 1)
	if first := receive(t, ctx, ran); first != "affine" {
		t.Errorf("the %s actor ran while its worker was held", first)
	}
	close(g.open)
	if second := receive(t, ctx, ran); second != "pinned" {
		t.Errorf("the %s actor ran last", second)
	}
}

func TestAffinity(t *testing.T) {
	ctx := guarded(t)
	sys := newSystem(t, actor.Config{Workers: 3})
	elsewhere := spawn(t, sys, answer)
	for worker := range 3 {
		ref := spawn(t, sys, whereabouts(elsewhere), actor.WithAffinity(worker))
		at := 0
		for range 100 {
			if ask(t, ctx, ref) == worker {
				at++
			}
		}
		if at == 0 { // Not always: where the machine is busy, a worker may be taken for held.
			t.Errorf("the actor that prefers worker %d was never there", worker)
		}
	}
}

func TestSpawnNearAnotherActor(t *testing.T) {
	ctx := guarded(t)
	sys := newSystem(t, actor.Config{Workers: 3})
	place := func(ref actor.Ref[question]) workers.Place {
		i, err := ref.Info()
		wantNoErr(t, err)
		return i.Place
	}
	pinned := spawn(t, sys, answer, actor.WithWorker(2))
	affine := spawn(t, sys, answer, actor.WithAffinity(1))
	tests := map[string]struct {
		other actor.Ref[question]
		want  workers.Place
	}{
		"a pinned actor":           {pinned, workers.Preferred(2)},
		"an actor with affinity":   {affine, workers.Preferred(1)},
		"an actor that is near it": {spawn(t, sys, answer, actor.Near(affine)), workers.Preferred(1)},
	}
	for name, test := range tests {
		if got := place(spawn(t, sys, answer, actor.Near(test.other))); got != test.want {
			t.Errorf("near %s: %v, want %v", name, got, test.want)
		}
	}
	free := spawn(t, sys, answer)
	if got := place(free); got != (workers.Place{}) {
		t.Errorf("an actor without a place has %v", got)
	}
	ask(t, ctx, free)
	if id, ok := place(spawn(t, sys, answer, actor.Near(free))).Worker(); !ok || id > 2 {
		t.Errorf("near an actor that has run: worker %d, %v", id, ok)
	}
	if id, ok := place(spawn(t, sys, answer, actor.Near(spawn(t, sys, answer)))).Worker(); !ok || id > 2 {
		t.Errorf("near an actor that has not run: worker %d, %v", id, ok)
	}
	last := spawn(t, sys, answer, actor.Near(pinned), actor.WithWorker(0))
	if got := place(last); got != workers.Pinned(0) {
		t.Errorf("of two options the first counts: %v", got)
	}
}

func TestWrongPlaces(t *testing.T) {
	sys := newSystem(t, actor.Config{Workers: 2})
	other := spawn(t, newSystem(t, actor.Config{Workers: 2}), answer)
	tests := map[string]struct {
		opt  actor.Option
		says string
	}{
		"worker -1":         {actor.WithWorker(-1), "no worker -1"},
		"worker 2":          {actor.WithWorker(2), "no worker 2"},
		"affinity to -1":    {actor.WithAffinity(-1), "no worker -1"},
		"affinity to 2":     {actor.WithAffinity(2), "no worker 2"},
		"near another one":  {actor.Near(other), "another scheduler"},
		"near the zero Ref": {actor.Near(actor.Ref[int]{}), "zero"},
	}
	for name, test := range tests {
		_, err := actor.Spawn(sys, actor.Func(answer), test.opt)
		if err == nil || !strings.HasPrefix(err.Error(), "actor: ") || !strings.Contains(err.Error(), test.says) {
			t.Errorf("%s: %v", name, err)
		}
	}
	for _, place := range []actor.Option{actor.WithWorker(1), actor.WithAffinity(1), actor.Near(other)} {
		_, err := actor.Spawn(sys, actor.Func(answer), actor.WithBackend(actor.OnOwnThread), place)
		if err == nil || !strings.Contains(err.Error(), "on the scheduler") {
			t.Errorf("an actor with a thread and a place: %v", err)
		}
	}
	_, err := actor.Spawn(sys, actor.Func(answer), actor.Near(actor.Ref[int]{}))
	wantErr(t, err, actor.ErrNoRef)
	if n := sys.Stats().Actors; n != 0 {
		t.Errorf("%d actors were spawned", n)
	}
}

// A worker that takes urgent work only can't have an actor.
func TestPlaceOnReservedWorker(t *testing.T) {
	ctx := guarded(t)
	cfg := sched.Config{Workers: 2}
	cfg.Reserved[sched.Critical] = 1
	s, err := sched.New(cfg)
	wantNoErr(t, err)
	t.Cleanup(func() { wantNoErr(t, s.Stop(context.Background())) })
	sys := newSystem(t, actor.Config{Scheduler: s})
	failed := 0
	for worker := range 2 {
		if _, err := actor.Spawn(sys, actor.Func(answer), actor.WithWorker(worker)); err != nil {
			failed++
		}
	}
	if failed != 1 {
		t.Errorf("%d of the 2 workers were refused, want the reserved one", failed)
	}
	urgent := spawn(t, sys, answer)
	for range 20 { // It may have run on the reserved worker.
		ask(t, ctx, urgent.On(actor.Control))
		spawn(t, sys, answer, actor.Near(urgent))
	}
}
