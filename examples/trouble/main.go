// Command trouble has what goes wrong in systems of actors, so that one can
// practise to find it: a handler that is stuck, a mailbox that grows, and actors
// that ask each other in a ring. docs/operating.md goes from the symptom to the
// cause, for each.
package main

import (
	"context"
	"flag"
	"fmt"
	"os"
	"os/signal"

	"github.com/troupe-go/troupe/actor"
	"github.com/troupe-go/troupe/inspect"
)

// cases are the troubles, by name. Each spawns its actors, and returns what keeps
// them busy until ctx ends.
var cases = map[string]func(ctx context.Context, sys *actor.System) (busy func(), err error){
	"stuck": stuck, "backlog": backlog, "ring": ring,
}

func main() {
	addr := flag.String("addr", "127.0.0.1:8080", "`address` of the live page")
	flag.Usage = func() {
		fmt.Fprintln(os.Stderr, "usage: trouble [-addr ADDRESS] stuck|backlog|ring")
		flag.PrintDefaults()
	}
	flag.Parse()
	begin, known := cases[flag.Arg(0)]
	if !known || flag.NArg() != 1 {
		flag.Usage()
		os.Exit(2)
	}
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt)
	defer stop()
	if err := run(ctx, *addr, begin); err != nil {
		fmt.Fprintln(os.Stderr, "trouble:", err)
		os.Exit(1)
	}
}

func run(ctx context.Context, addr string, begin func(context.Context, *actor.System) (func(), error)) error {
	sys, err := actor.NewSystem(actor.Config{})
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
	busy, err := begin(ctx, sys)
	if err != nil {
		return err
	}
	fmt.Println("live page at", page.URL())
	busy()
	<-ctx.Done()
	return nil // Not every handler returns, so the system is left as it is.
}
