package guide_test

import (
	"context"
	"fmt"
	"log"
	"os"
	"path/filepath"

	"github.com/troupe-go/troupe/actor"
	"github.com/troupe-go/troupe/router"
)

//guide:begin ledger

// entry is a line of the ledger. The answer says that it is on disk.
type entry struct {
	text    string
	written actor.Reply[bool]
}

// ledger writes entries to a file. Each one waits for the disk.
type ledger struct{ file *os.File }

// Receive writes one entry.
func (l *ledger) Receive(ctx *actor.Context[entry], e entry) error {
	if _, err := fmt.Fprintln(l.file, e.text); err != nil {
		return err
	}
	if err := l.file.Sync(); err != nil {
		return err
	}
	return e.written.Send(ctx, true)
}

// Stopped closes the file.
func (l *ledger) Stopped(_ *actor.Context[entry], _ error) { _ = l.file.Close() }

//guide:end ledger

// A handler that blocks for a living has a goroutine apart from the scheduler's workers.
func Example_blocking() {
	ctx := context.Background()
	dir, err := os.MkdirTemp("", "guide")
	if err != nil {
		log.Fatal(err)
	}
	name := filepath.Join(dir, "ledger")
	file, err := os.Create(name)
	if err != nil {
		log.Fatal(err)
	}
	//guide:begin on-blocking
	sys, err := actor.NewSystem(actor.Config{MaxBlocking: 64})
	if err != nil {
		log.Fatal(err)
	}
	ref, err := actor.Spawn(sys, &ledger{file}, actor.WithBackend(actor.OnBlocking))
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println(actor.Ask(ctx, ref, func(r actor.Reply[bool]) entry { return entry{"10 ACME", r} }))
	//guide:end on-blocking
	fmt.Println(sys.Stop(ctx))
	text, err := os.ReadFile(name)
	fmt.Print(string(text), err, "\n")
	_ = os.RemoveAll(dir)
	// Output:
	// true <nil>
	// <nil>
	// 10 ACME
	// <nil>
}

// find stands for a query of a database.
func find(_ context.Context, id int) (string, error) { return fmt.Sprint("customer ", id), nil }

// A pool of four does at most four queries at a time: as many as the database has connections for it.
func Example_pool() {
	ctx := context.Background()
	sys, err := actor.NewSystem(actor.Config{})
	if err != nil {
		log.Fatal(err)
	}
	//guide:begin pool
	customers, err := router.NewPool(sys, router.PoolConfig[int, string]{Name: "customers", Workers: 4, Do: find})
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println(customers.Ask(ctx, 7))
	//guide:end pool
	fmt.Println(sys.Stop(ctx))
	// Output:
	// customer 7 <nil>
	// <nil>
}
