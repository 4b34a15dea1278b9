// Command bank has accounts with transfers between them, each an actor whose events are
// on disk before it answers.
//
//	go run ./examples/bank --crash 20
//
// runs the bank, has it killed at 20 random moments, each time goes on with what was
// under way, and then checks the books: from the events alone. The events are in a SQLite file,
// or with --postgres in a PostgreSQL database. With --http the live page shows the accounts,
// their versions and the commits.
package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"math/rand/v2"
	"os"
	"os/exec"
	"os/signal"
	"path/filepath"
	"sync"

	"github.com/troupe-go/troupe/inspect"
	"github.com/troupe-go/troupe/journal"
	"github.com/troupe-go/troupe/journal/postgres"
	"github.com/troupe-go/troupe/journal/sqlite"
)

func main() {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt)
	err := run(ctx, os.Args[1:])
	stop()
	if err != nil {
		fmt.Fprintln(os.Stderr, "bank:", err)
		os.Exit(1)
	}
}

type options struct {
	file, postgres   string
	http             string
	crash, transfers int
	die              int
}

// open opens the store of the options.
func (o *options) open(ctx context.Context) (closingStore, error) {
	if o.postgres != "" {
		return postgres.Open(ctx, o.postgres)
	}
	return sqlite.Open(o.file)
}

type closingStore interface {
	journal.Store
	Close() error
}

func run(ctx context.Context, args []string) (err error) {
	var o options
	flags := flag.NewFlagSet("bank", flag.ContinueOnError)
	flags.StringVar(&o.file, "file", "", "the SQLite `file`; a temporary one by default")
	flags.StringVar(&o.postgres, "postgres", "", "the `URL` of a PostgreSQL database, in place of a file")
	flags.StringVar(&o.http, "http", "", "serve the live page at an `address` such as localhost:8080, until the program is interrupted")
	flags.IntVar(&o.crash, "crash", 0, "kill the bank so many times at a random moment")
	flags.IntVar(&o.transfers, "transfers", 200, "how many transfers there are")
	flags.IntVar(&o.die, "die", 0, "be killed after so many commits (for --crash)")
	if err := flags.Parse(args); errors.Is(err, flag.ErrHelp) {
		return nil
	} else if err != nil {
		return err
	}
	if o.file != "" && o.postgres != "" {
		return errors.New("--file and --postgres: the events are in one of them")
	}
	if o.file == "" && o.postgres == "" {
		dir, err := os.MkdirTemp("", "bank")
		if err != nil {
			return err
		}
		defer func() { err = errors.Join(err, os.RemoveAll(dir)) }()
		o.file = filepath.Join(dir, "bank.db")
	}
	for n := range o.crash {
		if err := crash(ctx, o, n); err != nil {
			return err
		}
	}
	return work(ctx, o)
}

// crash runs the bank in a process of its own, which kills itself.
func crash(ctx context.Context, o options, n int) error {
	self, err := os.Executable()
	if err != nil {
		return err
	}
	die := 1 + rand.IntN(2*numAccounts+60)
	cmd := exec.CommandContext(ctx, self, "--file", o.file, "--postgres", o.postgres, "--transfers", fmt.Sprint(o.transfers), "--die", fmt.Sprint(die))
	out, err := cmd.CombinedOutput()
	if err == nil {
		fmt.Printf("run %d: it was done before it could crash\n", n+1)
		return nil
	}
	if exit := (*exec.ExitError)(nil); !errors.As(err, &exit) || exit.Exited() {
		return fmt.Errorf("run %d did not crash, it failed: %w\n%s", n+1, err, out)
	}
	fmt.Printf("run %d: crashed at commit %d\n", n+1, die)
	return nil
}

// work makes all transfers, those from earlier runs again, and checks the books.
func work(ctx context.Context, o options) (err error) {
	store, err := o.open(ctx)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, store.Close()) }()
	j := journal.New(&mortal{Store: store, left: o.die})
	b, err := openBank(ctx, j)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, b.close(context.WithoutCancel(ctx))) }()
	if o.http != "" {
		end, err := watch(b, j, o.http)
		if err != nil {
			return err
		}
		defer func() { err = errors.Join(err, end()) }()
	}
	if err := transferAll(ctx, b, o.transfers); err != nil {
		return err
	}
	if err := report(ctx, store); err != nil || o.http == "" {
		return err
	}
	<-ctx.Done()
	return nil
}

// watch serves the live page until end is called.
func watch(b *bank, j *journal.Journal, address string) (end func() error, err error) {
	inspector, err := inspect.New(b.sys, inspect.Config{})
	if err != nil {
		return nil, err
	}
	page, err := inspector.Listen(address, inspect.WebConfig{Facts: j.Facts(b.sys), Overview: j.Overview})
	if err != nil {
		inspector.Close()
		return nil, err
	}
	fmt.Println("the page is at", page.URL())
	return func() error { defer inspector.Close(); return page.Close() }, nil
}

// report checks the books, and says how they stand.
func report(ctx context.Context, store journal.Store) error {
	books, err := readBooks(ctx, store)
	if err != nil {
		return err
	}
	if err := books.check(); err != nil {
		return fmt.Errorf("the books don't balance: %w", err)
	}
	counts := map[string]int{}
	for _, last := range books.last {
		counts[fmt.Sprintf("%T", last)[len("main."):]]++
	}
	fmt.Printf("the books balance: %d accounts, %d cents, %d transfers: %d completed, %d refused, %d undone\n",
		len(books.balances), numAccounts*opening, len(books.last), counts["completed"], counts["refused"], counts["undone"])
	return nil
}

// transferAll makes transfers, several at a time. The n-th transfer depends on n
// alone, so that each run has the same ones.
func transferAll(ctx context.Context, b *bank, transfers int) error {
	const clients = 8
	errs := make([]error, clients)
	var all sync.WaitGroup
	for c := range clients {
		all.Go(func() {
			for n := c; n < transfers && errs[c] == nil; n += clients {
				random := rand.New(rand.NewPCG(1, uint64(n)))
				s := started{accountID(random.IntN(numAccounts)), accountID(random.IntN(numAccounts)), 1 + random.IntN(600)}
				if n%10 == 9 {
					s.To = closed
				}
				_, errs[c] = b.transfer(ctx, fmt.Sprint(n), s)
			}
		})
	}
	all.Wait()
	return errors.Join(errs...)
}
