//go:build !race && !invariants && !modelcheck

package actor_test

import (
	"context"
	"debug/elf"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strings"
	"testing"
	"time"

	"github.com/troupe-go/troupe/actor"
	"github.com/troupe-go/troupe/internal/lane"
)

// maxTypeBytes is how much a further type of messages may add to what is loaded of a program. It
// is a tenth less as this is written. It was more than twice as much when activations and lanes were
// generic; the compiler's time follows it. A file has some 27,000 bytes more for each type, for debuggers, unless it
// is linked with -s -w.
const maxTypeBytes = 80_000

// A type of messages costs its users little: what does not depend on it is
// compiled once.
func TestBytesPerType(t *testing.T) {
	lane.Check(t)
	const few, many = 1, 9
	per := (programSize(t, many) - programSize(t, few)) / (many - few)
	t.Logf("%d bytes per type of messages", per)
	if per > maxTypeBytes {
		t.Errorf("a type of messages adds %d bytes to a program, want at most %d; is something generic that need not be?", per, maxTypeBytes)
	}
}

// programSize builds a program that spawns actors of n types, and returns how long its
// sections are that are loaded: the file rounds them up to pages.
func programSize(t testing.TB, n int) int64 {
	t.Helper()
	var types, spawns strings.Builder
	for i := range n {
		fmt.Fprintf(&types, "type m%d struct {\n\ta [%d]int\n\tr actor.Reply[int]\n}\n", i, i+1)
		fmt.Fprintf(&spawns, `
	r%[1]d, _ := actor.Spawn(sys, actor.Func(func(ctx *actor.Context[m%[1]d], m m%[1]d) error { return m.r.Send(ctx, m.a[0]) }))
	_ = r%[1]d.Send(ctx, m%[1]d{})
`, i)
	}
	dir := t.TempDir()
	source, program := filepath.Join(dir, "main.go"), filepath.Join(dir, "program")
	text := fmt.Sprintf(`package main

import (
	"context"

	"github.com/troupe-go/troupe/actor"
)

%s
func main() {
	ctx := context.Background()
	sys, _ := actor.NewSystem(actor.Config{})
%s
	_ = sys.Stop(ctx)
}
`, &types, &spawns)
	if err := os.WriteFile(source, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	build := exec.CommandContext(t.Context(), "go", "build", "-trimpath", "-o", program, source)
	build.Env = append(os.Environ(), "GOOS=linux", "GOARCH=amd64", "CGO_ENABLED=0", "GOFLAGS=") // The same everywhere.
	if out, err := build.CombinedOutput(); err != nil {
		t.Fatalf("build: %v\n%s", err, out)
	}
	file, err := elf.Open(program)
	if err != nil {
		t.Fatal(err)
	}
	defer func() { wantNoErr(t, file.Close()) }()
	size := int64(0)
	for _, s := range file.Sections {
		if s.Type != elf.SHT_NOBITS && s.Flags&elf.SHF_ALLOC != 0 {
			size += int64(s.FileSize)
		}
	}
	return size
}

// Asks in a handler use their slots again, also when they are of several types.
func TestAskInsideAllocatesNothing(t *testing.T) {
	ctx := guarded(t)
	sys := newSystem(t, actor.Config{})
	numbers := spawn(t, sys, answer)
	type spelling struct{ reply actor.Reply[string] }
	words := spawn(t, sys, func(c *actor.Context[spelling], m spelling) error { return m.reply.Send(c, "word") })
	makeWord := func(r actor.Reply[string]) spelling { return spelling{r} }
	asker := spawn(t, sys, func(c *actor.Context[question], q question) error {
		n := testing.AllocsPerRun(2000, func() {
			_, _ = actor.Ask(c, words, makeWord)
			_, _ = actor.Ask(c, numbers, func(r actor.Reply[int]) question { return question{1, r} })
		})
		return q.reply.Send(c, int(n))
	})
	n, err := actor.Ask(context.Background(), asker, asking(1))
	wantNoErr(t, err)
	if carried, err := actor.Ask(ctx, asker, asking(1)); carried > 4 || err != nil {
		t.Errorf("with a context they allocate %d times, %v, want twice each", carried, err)
	}
	if n != 0 {
		t.Errorf("two asks allocate %d times", n)
	}
}

// An ask whose Reply lies behind a pointer allocates what its message does, and nothing more.
func TestAskBehindAPointerAllocatesNothing(t *testing.T) {
	type boxed struct{ reply *actor.Reply[int] }
	sys := newSystem(t, actor.Config{})
	target := spawn(t, sys, func(c *actor.Context[boxed], m boxed) error { return m.reply.Send(c, 1) })
	asker := spawn(t, sys, func(c *actor.Context[question], q question) error {
		n := testing.AllocsPerRun(2000, func() {
			_, _ = actor.Ask(c, target, func(r actor.Reply[int]) boxed { return boxed{&r} })
		})
		return q.reply.Send(c, int(n))
	})
	n, err := actor.Ask(context.Background(), asker, asking(1))
	wantNoErr(t, err)
	if n != 1 {
		t.Errorf("the ask allocates %d times, want once, for its message", n)
	}
}

// An ask of an actor that waits for one that does not wait can close no ring. To see
// that takes no memory.
func TestAskOfAWaitingActorAllocatesNothing(t *testing.T) {
	type held struct {
		reply  actor.Reply[int]
		answer bool
	}
	ctx := context.Background() // Asks that carry nothing.
	sys := oneWorker(t)
	var kept actor.Reply[int]
	last := spawn(t, sys, func(c *actor.Context[held], m held) error {
		if m.answer {
			return kept.Send(c, 1)
		}
		kept = m.reply
		return nil
	})
	var waits, before, after int
	middle := spawn(t, sys, func(c *actor.Context[question], q question) error {
		if q.n == 0 {
			return q.reply.Send(c, 0)
		}
		before++
		_, err := actor.Ask(c, last, func(r actor.Reply[int]) held { return held{reply: r} })
		after++
		return err
	})
	numbers := spawn(t, sys, answer)
	first := spawn(t, sys, func(c *actor.Context[question], q question) error {
		n := testing.AllocsPerRun(500, func() {
			wantNoErr(t, middle.Send(c, question{n: 1}))
			_, err := actor.Ask(c, numbers, asking(1)) // Meanwhile middle begins to wait.
			wantNoErr(t, err)
			waits += before - after
			wantNoErr(t, last.Send(c, held{answer: true}))
			_, err = actor.Ask(c, middle, asking(0))
			wantNoErr(t, err)
		})
		return q.reply.Send(c, int(n))
	})
	n, err := actor.Ask(ctx, first, asking(1))
	wantNoErr(t, err)
	if n != 0 {
		t.Errorf("three asks allocate %d times", n)
	}
	if waits != 501 { // AllocsPerRun makes a round more.
		t.Errorf("%d of 501 asks were of an actor that waited", waits)
	}
}

// Nobody pays for the text of an error that is not read.
func TestRefusalsAllocateNothing(t *testing.T) {
	ctx := context.Background()
	sys := oneWorker(t)
	ref := spawn(t, sys, func(*actor.Context[int], int) error { return nil }, actor.WithCapacity(actor.Data, 1), actor.WithName("desk"))
	wantNoErr(t, sys.Suspend(ref.PID()))
	wantNoErr(t, ref.Send(ctx, 1))
	refusals := 0
	n := testing.AllocsPerRun(500, func() {
		if errors.Is(ref.TrySend(ctx, 2), actor.ErrFull) && errors.Is(ref.TryOffer(ctx, 2), actor.ErrFull) {
			refusals++
		}
	})
	if n != 0 || refusals != 501 {
		t.Errorf("%d of 501 times there was no room, which allocates %v times", refusals, n)
	}
	wantNoErr(t, sys.Resume(ref.PID()))

	twice := spawn(t, sys, func(c *actor.Context[question], q question) error {
		wantNoErr(t, q.reply.Send(c, 0))
		refusals = 0
		n := testing.AllocsPerRun(500, func() {
			if errors.Is(q.reply.Send(c, 0), actor.ErrReplied) {
				refusals++
			}
		})
		if n != 0 || refusals != 501 {
			t.Errorf("%d of 501 answers were refused, which allocates %v times", refusals, n)
		}
		return nil
	})
	_, err := actor.Ask(ctx, twice, asking(1))
	wantNoErr(t, err)
	wantNoErr(t, twice.Drain(ctx))
}

// It costs the same number of allocations for any number of actors.
func TestAllocsOfAskAll(t *testing.T) {
	sys := newSystem(t, actor.Config{Workers: 1})
	ctx := context.Background() // Which is not carried: that would be more.
	refs := make([]actor.Ref[question], 100)
	for i := range refs {
		refs[i] = spawn(t, sys, answer)
	}
	withHandler(t, ctx, sys, func(c context.Context) {
		few := testing.AllocsPerRun(20, func() { actor.AskAll(c, refs[:10], asking(1)) })
		many := testing.AllocsPerRun(20, func() { actor.AskAll(c, refs, asking(1)) })
		if few > 8 || many > few+4 { // Buffers of lanes and queues may grow meanwhile.
			t.Errorf("%v allocations for 10 asks, %v for 100", few, many)
		}
	})
}

// A timer takes as much as its documentation says, before it is due and while it waits for room,
// with the stacks of all goroutines.
func TestBytesPerTimer(t *testing.T) {
	const n, early, waiting = 20_000, 250, 400
	ctx := guarded(t)
	sys := newSystem(t, actor.Config{})
	used := func() int {
		var m runtime.MemStats
		runtime.GC()
		runtime.ReadMemStats(&m)
		return int(m.HeapAlloc + m.StackInuse)
	}
	var handled []int
	ref := suspendedActor(t, sys, &handled)
	before := used()
	for range n {
		after(t, sys, time.Hour, ref, 1)
	}
	between := used()
	if per := (between - before) / n; per > early {
		t.Errorf("a timer takes %d bytes, want at most %d", per, early)
	}
	for range n {
		after(t, sys, 0, ref, 1)
	}
	until(t, ctx, func() bool { return actor.SendersWaiting(ref) == n })
	if per := (used() - between) / n; per > waiting {
		t.Errorf("a timer that waits for room takes %d bytes, want at most %d", per, waiting)
	}
}

// Messages are by value up to 512 bytes, and then cost no allocation.
func TestAllocsOfLargeMessages(t *testing.T) {
	perMessage[[512]byte](t, 0)
	perMessage[[513]byte](t, 1)
}

func perMessage[M any](t *testing.T, want float64) {
	t.Helper()
	ctx := guarded(t)
	sys := newSystem(t, actor.Config{})
	ref := spawn(t, sys, func(*actor.Context[M], M) error { return nil })
	send(t, ctx, ref, *new(M), *new(M))
	until(t, ctx, func() bool { return actor.Idle(ref) })
	wantNoErr(t, sys.Suspend(ref.PID())) // It has a lane now, which keeps its buffer.
	for range 150 {
		send(t, ctx, ref, *new(M))
	}
	wantNoErr(t, sys.Resume(ref.PID()))
	until(t, ctx, func() bool { return actor.Idle(ref) })
	wantNoErr(t, sys.Suspend(ref.PID()))
	m := *new(M)
	if n := testing.AllocsPerRun(30, func() { wantNoErr(t, ref.Send(ctx, m)) }); n != want {
		t.Errorf("a %T allocates %v times, want %v", m, n, want)
	}
	wantNoErr(t, sys.Resume(ref.PID()))
}

// bytesPerActor returns what an actor takes that waits for messages of type M: one that has had none, and one that has
// had several at a time.
func bytesPerActor[M any](t *testing.T) (idle, used int) {
	const n, messages = 200, 3
	ctx := guarded(t)
	sys := oneWorker(t)
	handled := 0
	inUse := func() int {
		var m runtime.MemStats
		runtime.GC()
		runtime.GC() // Pools let go at the second collection.
		runtime.ReadMemStats(&m)
		return int(m.HeapAlloc)
	}
	refs := make([]actor.Ref[M], n)
	a := actor.Func(func(*actor.Context[M], M) error { handled++; return nil })
	before := inUse()
	for i := range refs {
		refs[i] = spawnActor(t, sys, a)
	}
	idle = inUse() - before
	for _, ref := range refs {
		wantNoErr(t, sys.Suspend(ref.PID()))
		for range messages {
			send(t, ctx, ref, *new(M))
		}
		wantNoErr(t, sys.Resume(ref.PID()))
	}
	for _, ref := range refs {
		until(t, ctx, func() bool { return actor.Idle(ref) })
	}
	used = inUse() - before
	for _, ref := range refs {
		wantNoErr(t, ref.Stop(ctx))
	}
	if handled != n*messages {
		t.Errorf("%d messages were handled, want %d", handled, n*messages)
	}
	return idle / n, used / n
}

// However large its messages are, an actor without one takes what others do.
func TestBytesPerActorOfLargeMessages(t *testing.T) {
	const maxIdle, maxUsed = 600, 1200
	for _, c := range []struct {
		name  string
		bytes func(*testing.T) (idle, used int)
	}{
		{"4 KB", bytesPerActor[[4 << 10]byte]},
		{"64 KB", bytesPerActor[[64 << 10]byte]},
	} {
		idle, used := c.bytes(t)
		t.Logf("an actor of messages of %s takes %d bytes, and %d after some messages", c.name, idle, used)
		if idle > maxIdle || used > maxUsed {
			t.Errorf("an actor of messages of %s takes %d bytes, and %d after some messages; want at most %d and %d", c.name, idle, used, maxIdle, maxUsed)
		}
	}
}
