// Package appending has what the tests of stores share that kill processes: actors that
// append until their process ends, and the books of what they have acknowledged.
package appending

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"os/exec"
	"strconv"
	"sync"
	"testing"
	"time"

	"github.com/troupe-go/troupe/actor"
	"github.com/troupe-go/troupe/journal"
)

// Actors is how many actors append at once.
const Actors = 64

type noted struct{ N, Twice int }

type note struct{ reply actor.Reply[int] }

// appender keeps the numbers from 1 on.
type appender struct {
	last   int
	stored func()
}

func (a *appender) Apply(e noted) { a.last = e.N }

func (a *appender) Receive(ctx *journal.Context[note, noted], m note) error {
	if err := ctx.Persist(noted{a.last + 1, 2 * (a.last + 1)}); err != nil {
		return err
	}
	a.stored()
	return m.reply.Send(ctx, a.last)
}

var notes = journal.Events[noted](journal.Event[noted]("noted"))

// Write has an event that says n.
func Write(stream string, n int) (*journal.Write, error) {
	e, err := notes.Encode(noted{n, 2 * n})
	return &journal.Write{Stream: stream, Expected: uint64(n - 1), Events: []journal.Encoded{e}}, err
}

// Run has the actors append, and prints each number that was acknowledged. It returns when
// all have failed. An actor calls stored when its event is stored, before it tells anybody;
// nil stands for nothing to call.
func Run(store journal.Store, out io.Writer, stored func()) error {
	if stored == nil {
		stored = func() {}
	}
	kind, err := journal.Actor(journal.Config[note, noted]{
		Journal: journal.New(store), Events: notes,
		New: func(*journal.Self) journal.Behaviour[note, noted] { return &appender{stored: stored} },
	})
	if err != nil {
		return err
	} // The disk of a busy machine may take its time.
	sys, err := actor.NewSystem(actor.Config{AskTimeout: time.Minute})
	if err != nil {
		return err
	}
	ctx := context.Background()
	var all sync.WaitGroup
	errs := make([]error, Actors)
	for i := range Actors {
		ref, err := actor.SpawnNew(sys, kind.For(strconv.Itoa(i)))
		if err != nil {
			return err
		}
		all.Go(func() {
			for errs[i] == nil {
				var n int
				if n, errs[i] = actor.Ask(ctx, ref, func(r actor.Reply[int]) note { return note{r} }); errs[i] == nil {
					_, errs[i] = fmt.Fprintf(out, "%d %d\n", i, n)
				}
			}
		})
	}
	all.Wait()
	return errors.Join(errs...)
}

// Books are the last numbers of all actors: those that were acknowledged, and those that
// were read.
type Books struct{ Acknowledged, Stored [Actors]int }

// Follow starts a process that calls Run, notes what it acknowledges, and returns when the
// process has ended. It calls started when it has begun, each with how many numbers there were
// so far, and other with a line that is no number.
func (b *Books) Follow(t *testing.T, cmd *exec.Cmd, started func(), each func(n int), other func(line string)) {
	t.Helper()
	out, err := cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	started()
	n := 0
	for lines := bufio.NewScanner(out); lines.Scan(); {
		var i, number int
		if _, err := fmt.Sscanf(lines.Text(), "%d %d", &i, &number); err != nil || i < 0 || i >= Actors {
			other(lines.Text())
			continue
		}
		if number <= b.Acknowledged[i] {
			t.Errorf("actor %d acknowledges %d after %d", i, number, b.Acknowledged[i])
		}
		b.Acknowledged[i] = number
		n++
		each(n)
	}
	_ = cmd.Wait() // The caller looks at cmd.ProcessState.
}

// Kill is Follow of a process that is killed when it has acknowledged n numbers. It calls
// each after each one.
func (b *Books) Kill(t *testing.T, cmd *exec.Cmd, n int, each func()) {
	t.Helper()
	b.Follow(t, cmd, func() {}, func(read int) {
		each()
		if read == n {
			if err := cmd.Process.Kill(); err != nil {
				t.Error(err)
			}
		}
	}, func(line string) { t.Errorf("the child says %q", line) })
	if cmd.ProcessState.Exited() {
		t.Fatalf("the child was not killed: %v", cmd.ProcessState)
	}
}

// Check fails the test unless all acknowledged numbers are stored, whole and in order, and
// besides them only those that were under way: one for each actor.
func (b *Books) Check(t *testing.T, store journal.Store) {
	t.Helper()
	for i := range b.Stored {
		b.Stored[i] = read(t, store, strconv.Itoa(i), b.Stored[i])
		if stored, acknowledged := b.Stored[i], b.Acknowledged[i]; stored < acknowledged || stored > acknowledged+1 {
			t.Fatalf("actor %d: %d numbers were acknowledged, and %d are stored", i, acknowledged, stored)
		}
		b.Acknowledged[i] = b.Stored[i]
	}
}

// read returns the last number of a stream. It reads on from the number before.
func read(t *testing.T, store journal.Store, stream string, before int) int {
	t.Helper()
	last := before
	for r, err := range store.Read(t.Context(), stream, uint64(before)) {
		if err != nil {
			t.Fatalf("stream %s after %d: %v", stream, last, err)
		}
		e, err := notes.Decode(r)
		if last++; err != nil || e != (noted{last, 2 * last}) || r.Version != uint64(last) {
			t.Fatalf("stream %s, version %d: got %+v, want %d (%v)", stream, r.Version, e, last, err)
		}
	}
	return last
}
