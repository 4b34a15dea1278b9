// Command soak keeps a system under overload for minutes and keeps books: each message that
// was accepted has to be handled or to become a dead letter, once. Meanwhile actors fail,
// block, are killed, stopped and replaced. It also looks at what is left when the system
// has stopped: goroutines and memory.
//
//	go run ./internal/soak -minutes 15
package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"io"
	"log"
	"log/slog"
	"os"
	"runtime"
	"sync"
	"sync/atomic"
	"time"

	"github.com/troupe-go/troupe/actor"
	"github.com/troupe-go/troupe/supervise"
)

func main() {
	flags := flag.NewFlagSet("soak", flag.ExitOnError)
	minutes := flags.Float64("minutes", 1, "how long the load lasts")
	senders := flags.Int("senders", 200, "how many goroutines send")
	_ = flags.Parse(os.Args[1:]) // It exits by itself.
	if err := soak(os.Stdout, time.Duration(*minutes*float64(time.Minute)), *senders); err != nil {
		fmt.Fprintln(os.Stderr, "soak:", err)
		os.Exit(1)
	}
}

// run is one soak.
type run struct {
	ctx         context.Context
	sys         *actor.System
	out         *log.Logger
	supervisors []*supervise.Supervisor
	people      population
	books       books
	kills       atomic.Int64
	stops       atomic.Int64
}

// soak runs a load for so long, and returns what is wrong with its books.
func soak(out io.Writer, lasts time.Duration, senders int) error {
	goroutines := runtime.NumGoroutine()
	r := &run{ctx: context.Background(), out: log.New(out, "", 0)}
	sys, err := actor.NewSystem(actor.Config{
		MaxGhosts: -1,                            // Kills come by the thousand, and blocked handlers return.
		Logger:    slog.New(slog.DiscardHandler), // So do failures.
		OnDeadLetter: func(d actor.DeadLetter) {
			if m, ok := d.Message.(cargo); ok {
				r.books.note(m.parcel, dead)
			}
		},
	})
	if err != nil {
		return err
	}
	r.sys = sys
	if err := r.populate(8, 4*len(breeds)); err != nil {
		return err
	}
	r.load(lasts, senders)
	stop, cancel := context.WithTimeout(context.Background(), time.Minute)
	defer cancel()
	began := time.Now()
	if err := sys.Stop(stop); err != nil {
		return fmt.Errorf("the system does not stop: %w", err)
	}
	r.out.Printf("stopped in %v", time.Since(began).Round(time.Millisecond))
	r.books.close()
	r.checkLeft(goroutines)
	return r.report()
}

// load lets goroutines send and disturb.
func (r *run) load(lasts time.Duration, senders int) {
	load, cancel := context.WithTimeout(r.ctx, lasts)
	defer cancel()
	var all sync.WaitGroup
	for range senders {
		all.Go(func() { r.send(load) })
	}
	for range 4 {
		all.Go(func() { r.disturb(load) })
	}
	tick := time.NewTicker(max(time.Second, lasts/10))
	defer tick.Stop()
	for load.Err() == nil {
		select {
		case <-load.Done():
		case <-tick.C:
			r.progress()
		}
	}
	all.Wait()
	r.progress()
}

func (r *run) progress() {
	b, st := &r.books, r.sys.Stats()
	var mem runtime.MemStats
	runtime.ReadMemStats(&mem)
	r.out.Printf("%d sent: %d accepted, %d refused, %d handled, %d dead letters; %d kills, %d stops, %d ghosts; %d goroutines, %d MB",
		b.sent.Load(), b.accepted.Load(), b.refused.Load(), b.handled.Load(), b.dead.Load(),
		r.kills.Load(), r.stops.Load(), st.Ghosts, runtime.NumGoroutine(), mem.HeapAlloc>>20)
}

// checkLeft looks for goroutines that the system has left behind.
func (r *run) checkLeft(before int) {
	const patience = 1000
	for range patience {
		if runtime.NumGoroutine() <= before {
			return
		}
		time.Sleep(10 * time.Millisecond)
	}
	r.books.fault("%d goroutines are left, and there were %d", runtime.NumGoroutine(), before)
}

func (r *run) report() error {
	b := &r.books
	r.out.Printf("%d accepted, %d of them handled or dead letters", b.accepted.Load(), b.settled.Load())
	if b.faults == 0 {
		return nil
	}
	for _, e := range b.errors {
		r.out.Println("  ", e)
	}
	return errors.New("the books are not in order")
}
