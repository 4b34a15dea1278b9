package sqlite_test

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"sync"
	"testing"

	"github.com/troupe-go/troupe/actor"
	"github.com/troupe-go/troupe/internal/lane"
	"github.com/troupe-go/troupe/journal"
	"github.com/troupe-go/troupe/journal/sqlite"
)

// childFile names the file into which a child process writes until it is killed.
const childFile = "TROUPE_JOURNAL_CHILD"

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
func child(path string) error {
	store, err := sqlite.Open(path)
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
	ctx := context.Background()
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

// Actors append in a process that is killed at a random moment, again and again on the
// same file. All acknowledged events are there, whole and in order, and besides them only
// those that were under way.
func TestKill(t *testing.T) {
	rounds := 2
	if lane.Checking() {
		rounds = 50
	}
	path := filepath.Join(t.TempDir(), "journal.db")
	var acknowledged, stored [appenders]int
	for round := range rounds {
		runAndKill(t, path, 1+rand.IntN(600), &acknowledged, func() {})
		store, err := sqlite.Open(path)
		if err != nil {
			t.Fatalf("round %d: %v", round, err)
		}
		for i := range stored {
			stored[i] = readNumbers(t, store, strconv.Itoa(i), stored[i])
			if n := stored[i]; n < acknowledged[i] {
				t.Fatalf("round %d, actor %d: %d numbers were acknowledged, and %d are stored", round, i, acknowledged[i], n)
			}
			if n := stored[i]; n > acknowledged[i]+1 {
				t.Fatalf("round %d, actor %d: %d numbers were acknowledged, and %d are stored: more than was under way", round, i, acknowledged[i], n)
			}
			acknowledged[i] = stored[i]
		}
		if err := store.Close(); err != nil {
			t.Fatal(err)
		}
	}
}

// runAndKill runs a child, and kills it when it has acknowledged n numbers. It notes the
// last one of each actor, and calls each after it.
func runAndKill(t *testing.T, path string, n int, acknowledged *[appenders]int, each func()) {
	t.Helper()
	cmd := exec.Command(os.Args[0])
	cmd.Env = append(os.Environ(), childFile+"="+path)
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
		each()
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

// Two processes append to the same streams of one file.
func TestTwoProcesses(t *testing.T) {
	path := filepath.Join(t.TempDir(), "journal.db")
	store, err := sqlite.Open(path)
	if err != nil {
		t.Fatal(err)
	}
	var acknowledged [appenders]int
	n := 0
	runAndKill(t, path, 100, &acknowledged, func() {
		if err := appendTo(store, "a"); err != nil {
			t.Errorf("after %d writes: %v", n, err)
		}
		n++
	})
	if got := count(t, store); got != n || n == 0 {
		t.Errorf("this process wrote %d events, and %d are stored", n, got)
	}
	for i := range acknowledged {
		if got := readNumbers(t, store, strconv.Itoa(i), 0); got < acknowledged[i] {
			t.Errorf("the other process acknowledged %d events of actor %d, and %d are stored", acknowledged[i], i, got)
		}
	}
	if err := store.Close(); err != nil {
		t.Fatal(err)
	}
}
