package postgres_test

import (
	"context"
	"math/rand/v2"
	"os"
	"os/exec"
	"runtime"
	"strconv"
	"sync"
	"testing"

	"github.com/troupe-go/troupe/internal/lane"
	"github.com/troupe-go/troupe/journal"
	"github.com/troupe-go/troupe/journal/internal/appending"
	"github.com/troupe-go/troupe/journal/postgres"
)

// childURL has the address to which a child process writes until it is killed.
const childURL = "TROUPE_JOURNAL_CHILD"

// child has actors append until it is killed.
func child(url string) error {
	store, err := postgres.Open(context.Background(), url)
	if err != nil {
		return err
	}
	return appending.Run(store, os.Stdout, nil)
}

// Actors append in a process that is killed at a random moment, again and again.
func TestKillOfTheClient(t *testing.T) {
	store, url := fresh(t)
	var books appending.Books
	for range lane.Rounds(2, 50, 1000) {
		cmd := exec.Command(os.Args[0])
		cmd.Env = append(os.Environ(), childURL+"="+url)
		cmd.Stderr = os.Stderr
		books.Kill(t, cmd, 1+rand.IntN(600), func() {})
		// A commit that was on its way to the server may still be made. The lock of the
		// head has it come before this write, or not at all.
		if err := appendTo(store, "a"); err != nil {
			t.Fatal(err)
		}
		books.Check(t, store)
	}
}

// The server is killed with all its processes at a random moment while many write, and
// starts again. The store goes on with it.
func TestKillOfTheServer(t *testing.T) {
	if runtime.GOOS != "linux" {
		t.Skip("the processes of a server are found in /proc, which this system does not have")
	}
	server := theServer(t)
	store, _ := fresh(t)
	var books appending.Books
	for range lane.Rounds(1, 5, 50) {
		writeUntil(t, store, &books.Acknowledged, 1+rand.IntN(600), func() {
			if err := server.Kill(); err != nil {
				t.Fatal(err)
			}
		})
		if err := appendTo(store, "a"); err == nil {
			t.Error("a store without a server stores something")
		}
		if err := server.Start(); err != nil {
			t.Fatal(err)
		}
		books.Check(t, store)
		if err := appendTo(store, "a"); err != nil {
			t.Errorf("with the next server: %v", err)
		}
	}
}

// writeUntil has many write until all have failed, and calls stop after n writes.
func writeUntil(t *testing.T, store journal.Store, acknowledged *[appending.Actors]int, n int, stop func()) {
	t.Helper()
	j := journal.New(store)
	wrote := make(chan struct{}, appending.Actors)
	ended := make(chan struct{})
	var all sync.WaitGroup
	for i := range appending.Actors {
		all.Go(func() {
			for {
				next := acknowledged[i] + 1
				w, err := appending.Write(strconv.Itoa(i), next)
				if err != nil {
					t.Error(err)
					return
				}
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
