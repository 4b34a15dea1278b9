package postgres_test

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"os"
	"os/exec"
	"strconv"
	"sync"
	"testing"

	"github.com/troupe-go/troupe/actor"
	"github.com/troupe-go/troupe/internal/lane"
	"github.com/troupe-go/troupe/journal"
	"github.com/troupe-go/troupe/journal/postgres"
)

// childURL has the address to which a child process writes until it is killed.
const childURL = "TROUPE_JOURNAL_CHILD"

const appenders = 64

type noted struct{ N, Twice int }

type note struct{ reply actor.Reply[int] }

// appender keeps the numbers from 1 on.
type appender struct{ last int }

func (a *appender) Apply(e noted) { a.last = e.N }

func (a *appender) Receive(ctx *journal.Context[note, noted], m note) error {
	if err := ctx.Persist(noted{a.last + 1, 2 * (a.last + 1)}); err != nil {
		return err
	}
	return m.reply.Send(ctx, a.last)
}

var notes = journal.Events[noted](journal.Event[noted]("noted"))

// child has its actors append, and prints each number that was acknowledged.
func child(url string) error {
	ctx := context.Background()
	store, err := postgres.Open(ctx, url)
	if err != nil {
		return err
	}
	kind, err := journal.Actor(journal.Config[note, noted]{
		Journal: journal.New(store), Events: notes,
		New: func(*journal.Self) journal.Behaviour[note, noted] { return &appender{} },
	})
	if err != nil {
		return err
	}
	sys, err := actor.NewSystem(actor.Config{})
	if err != nil {
		return err
	}
	var all sync.WaitGroup
	errs := make([]error, appenders)
	for i := range appenders {
		ref, err := actor.SpawnNew(sys, kind.For(strconv.Itoa(i)))
		if err != nil {
			return err
		}
		all.Go(func() {
			for errs[i] == nil {
				var n int
				if n, errs[i] = actor.Ask(ctx, ref, func(r actor.Reply[int]) note { return note{r} }); errs[i] == nil {
					_, errs[i] = fmt.Fprintf(os.Stdout, "%d %d\n", i, n)
				}
			}
		})
	}
	all.Wait()
	return errors.Join(errs...)
}

// numbers are the last numbers of all actors: those that were acknowledged, and those
// that were read.
type numbers struct{ acknowledged, stored [appenders]int }

// check fails unless all acknowledged numbers are stored, whole and in order, and besides
// them only those that were under way.
func (n *numbers) check(t *testing.T, store journal.Store) {
	t.Helper()
	for i := range n.stored {
		n.stored[i] = readNumbers(t, store, strconv.Itoa(i), n.stored[i])
		if stored, acknowledged := n.stored[i], n.acknowledged[i]; stored < acknowledged || stored > acknowledged+1 {
			t.Fatalf("actor %d: %d numbers were acknowledged, and %d are stored", i, acknowledged, stored)
		}
		n.acknowledged[i] = n.stored[i]
	}
}

// rounds returns how often something is killed.
func rounds(quick, check int) int {
	if lane.Checking() {
		return check
	}
	return quick
}

// Actors append in a process that is killed at a random moment, again and again.
func TestKillOfTheClient(t *testing.T) {
	store, url := fresh(t)
	var n numbers
	for range rounds(2, 20) {
		runAndKill(t, url, 1+rand.IntN(600), &n.acknowledged)
		// A commit that was on its way to the server may still be made. The lock of the
		// head has it come before this write, or not at all.
		if err := appendTo(store, "a"); err != nil {
			t.Fatal(err)
		}
		n.check(t, store)
	}
}

// runAndKill runs a child, and kills it when it has acknowledged n numbers. It notes the
// last one of each actor.
func runAndKill(t *testing.T, url string, n int, acknowledged *[appenders]int) {
	t.Helper()
	cmd := exec.Command(os.Args[0])
	cmd.Env = append(os.Environ(), childURL+"="+url)
	cmd.Stderr = os.Stderr
	out, err := cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	lines := bufio.NewScanner(out)
	for read := 1; lines.Scan(); read++ {
		var i, number int
		if _, err := fmt.Sscan(lines.Text(), &i, &number); err != nil {
			t.Fatalf("the child says %q: %v", lines.Text(), err)
		}
		if number <= acknowledged[i] {
			t.Errorf("actor %d acknowledges %d after %d", i, number, acknowledged[i])
		}
		acknowledged[i] = number
		if read == n {
			if err := cmd.Process.Kill(); err != nil {
				t.Fatal(err)
			}
		}
	}
	if err := cmd.Wait(); err == nil || cmd.ProcessState.Exited() {
		t.Fatalf("the child was not killed: %v", err)
	}
}

// readNumbers returns the last number of a stream. It reads on from the number before.
func readNumbers(t *testing.T, store journal.Store, stream string, before int) int {
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

// The server is killed with all its processes at a random moment while many write, and
// starts again. The store goes on with it.
func TestKillOfTheServer(t *testing.T) {
	server := theServer(t)
	store, _ := fresh(t)
	var n numbers
	for range rounds(1, 5) {
		writeUntil(t, store, &n.acknowledged, 1+rand.IntN(600), func() { server.kill(t) })
		if err := appendTo(store, "a"); err == nil {
			t.Error("a store without a server stores something")
		}
		if err := server.start(); err != nil {
			t.Fatal(err)
		}
		n.check(t, store)
		if err := appendTo(store, "a"); err != nil {
			t.Errorf("with the next server: %v", err)
		}
	}
}

// writeUntil has many write until all have failed, and calls stop after n writes.
func writeUntil(t *testing.T, store journal.Store, acknowledged *[appenders]int, n int, stop func()) {
	t.Helper()
	j := journal.New(store)
	wrote := make(chan struct{}, appenders)
	ended := make(chan struct{})
	var all sync.WaitGroup
	for i := range appenders {
		all.Go(func() {
			for {
				next := acknowledged[i] + 1
				e, err := notes.Encode(noted{next, 2 * next})
				if err != nil {
					t.Error(err)
					return
				}
				w := &journal.Write{Stream: strconv.Itoa(i), Expected: uint64(acknowledged[i]), Events: []journal.Encoded{e}}
				if err := j.Append(context.Background(), w); err != nil {
					return
				}
				acknowledged[i] = next
				wrote <- struct{}{}
			}
		})
	}
	go func() {
		all.Wait()
		close(ended)
	}()
	for stopped, seen := false, 1; ; seen++ {
		select {
		case <-wrote:
		case <-ended:
			return
		}
		if seen >= n && !stopped {
			stopped = true
			stop()
		}
	}
}
