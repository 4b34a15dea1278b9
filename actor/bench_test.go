package actor_test

import (
	"context"
	"runtime"
	"sync"
	"testing"

	"github.com/troupe-go/troupe/actor"
)

type ball struct {
	left int
	from actor.Ref[ball]
	done chan struct{}
}

func bounce(ctx *actor.Context[ball], m ball) error {
	if m.left == 0 {
		close(m.done)
		return nil
	}
	return m.from.Send(ctx, ball{left: m.left - 1, from: ctx.Self(), done: m.done})
}

// BenchmarkPingPong is the price of a message between two actors that wait for
// each other.
func BenchmarkPingPong(b *testing.B) {
	b.ReportAllocs()
	pingPong(b, newSystem(b, actor.Config{}))
}

func pingPong(b *testing.B, sys *actor.System) {
	b.Helper()
	x, y := spawn(b, sys, bounce), spawn(b, sys, bounce)
	done := make(chan struct{})
	b.ResetTimer()
	if err := x.Send(context.Background(), ball{left: b.N, from: y, done: done}); err != nil {
		b.Fatal(err)
	}
	<-done
}

// BenchmarkSendsAfterAKill is the same in a program that has killed an actor. From then on,
// each send checks whether its context belongs to a killed incarnation. That holds for all
// later benchmarks of the run, so compare it with a run of [BenchmarkPingPong] alone.
func BenchmarkSendsAfterAKill(b *testing.B) {
	b.ReportAllocs()
	sys := newSystem(b, actor.Config{})
	killed := spawn(b, sys, func(*actor.Context[int], int) error { return nil })
	if err := sys.Kill(killed.PID()); err != nil {
		b.Fatal(err)
	}
	pingPong(b, sys)
}

// BenchmarkTell is the price of a message from one goroutine that does not wait.
func BenchmarkTell(b *testing.B) {
	b.ReportAllocs()
	sys := newSystem(b, actor.Config{})
	n, total := 0, b.N
	done := make(chan struct{})
	ref := spawn(b, sys, func(_ *actor.Context[int], m int) error {
		if n++; n == total {
			close(done)
		}
		return nil
	})
	ctx := context.Background()
	b.ResetTimer()
	for i := range b.N {
		if err := ref.Send(ctx, i); err != nil {
			b.Fatal(err)
		}
	}
	<-done
}

// BenchmarkAskOutside is the price of a question from a goroutine.
func BenchmarkAskOutside(b *testing.B) {
	b.ReportAllocs()
	sys := newSystem(b, actor.Config{})
	ref := spawn(b, sys, answer)
	ctx := context.Background()
	for b.Loop() {
		if _, err := actor.Ask(ctx, ref, asking(1)); err != nil {
			b.Fatal(err)
		}
	}
}

// BenchmarkAskInside is the price of a question inside a handler.
func BenchmarkAskInside(b *testing.B) {
	b.ReportAllocs()
	sys := newSystem(b, actor.Config{})
	ref := spawn(b, sys, answer)
	asker := spawn(b, sys, func(ctx *actor.Context[question], q question) error {
		for range q.n {
			if _, err := actor.Ask(ctx, ref, asking(1)); err != nil {
				return err
			}
		}
		return q.reply.Send(ctx, 0)
	})
	b.ResetTimer()
	if _, err := actor.Ask(context.Background(), asker, asking(b.N)); err != nil {
		b.Fatal(err)
	}
}

// BenchmarkSpawnStop is the price of an actor's birth and end.
func BenchmarkSpawnStop(b *testing.B) {
	b.ReportAllocs()
	sys := newSystem(b, actor.Config{})
	ctx := context.Background()
	for b.Loop() {
		ref, err := actor.Spawn(sys, actor.Func(answer))
		if err != nil {
			b.Fatal(err)
		}
		if err := ref.Stop(ctx); err != nil {
			b.Fatal(err)
		}
	}
}

// BenchmarkIdleActor reports the memory of an actor that waits for messages.
func BenchmarkIdleActor(b *testing.B) {
	sys := newSystem(b, actor.Config{})
	refs := make([]actor.Ref[question], b.N)
	var before, after runtime.MemStats
	runtime.GC()
	runtime.ReadMemStats(&before)
	b.ResetTimer()
	for i := range refs {
		refs[i], _ = actor.Spawn(sys, actor.Func(answer))
	}
	b.StopTimer()
	runtime.GC()
	runtime.ReadMemStats(&after)
	b.ReportMetric(float64(after.HeapAlloc-before.HeapAlloc)/float64(b.N), "B/actor")
	runtime.KeepAlive(refs)
}

// BenchmarkTree is the price of an actor in a tree of 1,000 that is spawned by
// its nodes and stops by itself, from the leaves on.
func BenchmarkTree(b *testing.B) {
	b.ReportAllocs()
	sys := newSystem(b, actor.Config{})
	const actors = 1 + 10 + 100 + 1000
	b.ResetTimer()
	for range b.N/actors + 1 {
		done := make(chan struct{})
		spawnActor(b, sys, actor.Actor[int](&branch{depth: 3, done: done}))
		<-done
	}
}

// branch has ten children, down to a depth, and stops when they have answered.
type branch struct {
	depth, answers int
	parent         actor.Ref[int]
	done           chan struct{}
}

func (n *branch) Started(ctx *actor.Context[int]) error {
	for range 10 {
		if n.depth == 0 {
			break
		}
		if _, err := actor.Spawn(ctx, &branch{depth: n.depth - 1, parent: ctx.Self()}); err != nil {
			return err
		}
	}
	if n.depth == 0 {
		return n.answer(ctx)
	}
	return nil
}

func (n *branch) Receive(ctx *actor.Context[int], _ int) error {
	if n.answers++; n.answers == 10 {
		return n.answer(ctx)
	}
	return nil
}

func (n *branch) answer(ctx *actor.Context[int]) error {
	ctx.Stop()
	if n.done != nil {
		close(n.done)
		return nil
	}
	return n.parent.Send(ctx, 1)
}

// BenchmarkSpawn is the price of a birth alone.
func BenchmarkSpawn(b *testing.B) {
	b.ReportAllocs()
	sys := newSystem(b, actor.Config{})
	a := actor.Func(answer)
	for b.Loop() {
		if _, err := actor.Spawn(sys, a); err != nil {
			b.Fatal(err)
		}
	}
}

// BenchmarkFirstMessage is the price of a birth and of the first message, up to 10,000 actors
// at a time. Later messages are not measured.
func BenchmarkFirstMessage(b *testing.B) {
	b.ReportAllocs()
	ctx := context.Background()
	for left := b.N; left > 0; {
		k := min(left, 10_000)
		left -= k
		b.StopTimer()
		sys := newSystem(b, actor.Config{})
		var all sync.WaitGroup
		all.Add(k)
		once := actor.Func(func(*actor.Context[int], int) error { all.Done(); return nil })
		b.StartTimer()
		for i := range k {
			ref, err := actor.Spawn(sys, once)
			if err != nil {
				b.Fatal(err)
			}
			if err := ref.Send(ctx, i); err != nil {
				b.Fatal(err)
			}
		}
		all.Wait()
		b.StopTimer()
		_ = sys.Stop(ctx)
	}
}

// BenchmarkStop is the price of the end of an idle actor, for who waits for it.
func BenchmarkStop(b *testing.B) {
	b.ReportAllocs()
	sys := newSystem(b, actor.Config{})
	ctx := context.Background()
	refs := make([]actor.Ref[question], b.N)
	for i := range refs {
		refs[i] = spawnActor(b, sys, actor.Func(answer))
	}
	b.ResetTimer()
	for _, ref := range refs {
		if err := ref.Stop(ctx); err != nil {
			b.Fatal(err)
		}
	}
}
