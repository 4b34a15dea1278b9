// Command trouble has what goes wrong in systems of actors, so that one can
// practise to find it: a handler that is stuck, a mailbox that grows, actors that ask each
// other in a ring, and so on. Several can be combined: stuck+backlog. The actors have other names at
// each run; -tell says which ones are the cause. docs/operating.md goes from the symptom to the cause, for each.
package main

import (
	"context"
	"flag"
	"fmt"
	"log/slog"
	"maps"
	"math/rand/v2"
	"os"
	"os/signal"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/troupe-go/troupe/actor"
	"github.com/troupe-go/troupe/inspect"
)

// cases are the troubles, by name. Each spawns its actors, and returns what keeps
// them busy until ctx ends.
var cases = map[string]func(ctx context.Context, sys *actor.System, names *names) (busy func(), err error){
	"stuck": stuck, "backlog": backlog, "ring": ring, "panics": panics, "forgotten": forgotten, "suspended": suspended,
	"unhandled": unhandled, "blocked": blocked, "orphan": orphan, "busy": busy,
}

func main() {
	addr := flag.String("addr", "127.0.0.1:8080", "`address` of the live page")
	tell := flag.Bool("tell", false, "say which actors are the cause")
	usage := strings.Join(slices.Sorted(maps.Keys(cases)), "|")
	flag.Usage = func() {
		fmt.Fprintf(os.Stderr, "usage: trouble [-addr ADDRESS] [-tell] %s\nSeveral are combined by +, as in stuck+ring.\n", usage)
		flag.PrintDefaults()
	}
	flag.Parse()
	chosen := strings.Split(flag.Arg(0), "+")
	for _, name := range chosen {
		if cases[name] == nil || flag.NArg() != 1 {
			flag.Usage()
			os.Exit(2)
		}
	}
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt)
	defer stop()
	if err := run(ctx, *addr, chosen, *tell); err != nil {
		fmt.Fprintln(os.Stderr, "trouble:", err)
		os.Exit(1)
	}
}

func run(ctx context.Context, addr string, chosen []string, tell bool) error {
	sys, err := actor.NewSystem(actor.Config{Logger: slog.New(slog.DiscardHandler)})
	if err != nil {
		return err
	}
	insp, err := inspect.New(sys, inspect.Config{})
	if err != nil {
		return err
	}
	defer insp.Close()
	if _, err := insp.Record(inspect.RecordConfig{}); err != nil {
		return err
	}
	page, err := insp.Listen(addr, inspect.WebConfig{Name: "trouble"})
	if err != nil {
		return err
	}
	defer page.Close() //nolint:errcheck // The program ends.
	names := newNames()
	var work sync.WaitGroup
	for _, name := range chosen {
		busy, err := cases[name](ctx, sys, names)
		if err != nil {
			return err
		}
		work.Go(busy)
	}
	fmt.Println("live page at", page.URL())
	if tell {
		fmt.Println("the cause:", strings.Join(names.culprits, " "))
	}
	<-ctx.Done()
	work.Wait()
	return nil // Not every handler returns, so the system is left as it is.
}

// names are for actors, in an order of chance.
type names struct{ left, culprits []string }

func newNames() *names {
	n := &names{left: strings.Fields(`accounts basket billing carts catalogue chat checkout courier customs depot dispatch
		fraud gateway inbox inventory invoices ledger loyalty mailer orders packing payments pricing quotes refunds returns
		routes search sessions shipping stock suppliers support tariffs tickets tracking vouchers warehouse`)}
	rand.Shuffle(len(n.left), func(a, b int) { n.left[a], n.left[b] = n.left[b], n.left[a] })
	return n
}

// next returns a name that no other actor has.
func (n *names) next() string {
	name := n.left[0]
	n.left = n.left[1:]
	return name
}

// culprit returns the name for an actor that is the cause of trouble.
func (n *names) culprit() string {
	name := n.next()
	n.culprits = append(n.culprits, name)
	return name
}

// wait returns after d, or when ctx ends.
func wait(ctx context.Context, d time.Duration) {
	select {
	case <-time.After(d):
	case <-ctx.Done():
	}
}
