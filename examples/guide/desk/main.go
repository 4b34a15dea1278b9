// Command desk is the program of the guide: an order desk with market data, an account and risk.
package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"log"
	"math/rand/v2"
	"os"
	"os/signal"
	"syscall"
	"time"

	"github.com/troupe-go/troupe/actor"
	"github.com/troupe-go/troupe/inspect"
	"github.com/troupe-go/troupe/task"
)

func main() {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	defer stop()
	if err := run(ctx, os.Stdout, "127.0.0.1:8080"); err != nil {
		log.Fatal(err)
	}
}

// run serves the desk until ctx ends.
func run(ctx context.Context, w io.Writer, addr string) (err error) {
	sys, err := actor.NewSystem(actor.Config{Name: "desk"})
	if err != nil {
		return err
	}
	defer func() {
		limit, cancel := context.WithTimeout(context.WithoutCancel(ctx), 10*time.Second)
		defer cancel()
		err = errors.Join(err, sys.Stop(limit))
	}()
	insp, err := inspect.New(sys, inspect.Config{})
	if err != nil {
		return err
	}
	defer insp.Close()
	page, err := insp.Listen(addr, inspect.WebConfig{})
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, page.Close()) }()
	_, _ = fmt.Fprintln(w, "the page is at", page.URL())

	d, _, err := startDesk(sys)
	if err != nil {
		return err
	}
	return trade(ctx, w, d)
}

// trade has prices move, and orders come, until ctx ends.
func trade(ctx context.Context, w io.Writer, d *desk) error {
	if err := d.Account.Send(ctx, deposit{cents: 1_000_000}); err != nil {
		return err
	}
	for ctx.Err() == nil {
		if err := d.Market.Send(ctx, tick{"ACME", 900 + rand.Int64N(200)}); err != nil {
			return err
		}
		paid, err := actor.Ask(ctx, d.Risk, func(r actor.Reply[int64]) order { return order{"ACME", 10, r} })
		if err != nil {
			_, _ = fmt.Fprintln(w, "refused:", err)
		} else {
			_, _ = fmt.Fprintf(w, "10 ACME for %d cents\n", paid)
		}
		if err := task.Sleep(ctx, time.Second); err != nil {
			return nil //nolint:nilerr // It was told to stop.
		}
	}
	return nil
}
