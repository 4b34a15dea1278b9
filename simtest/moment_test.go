package simtest_test

import (
	"context"
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/troupe-go/troupe/actor"
	"github.com/troupe-go/troupe/sched"
	"github.com/troupe-go/troupe/simtest"
	"github.com/troupe-go/troupe/strand"
	"github.com/troupe-go/troupe/task"
)

// momentPrograms are programs in which several ends come in one moment. They note what
// happens.
var momentPrograms = map[string]func(s *simtest.Sim, note func(format string, args ...any)){
	"nested scopes with one deadline": nestedScopes,
	"jobs with one timeout":           jobsWithOneTimeout,
	"asks of one deadline":            asksOfOneDeadline,
	"asks of a reentrant actor":       asksOfReentrant,
	"selects with one timeout":        selectsWithOneTimeout,
}

// The effect of this module's own timers in one moment is a function of the schedule, with a
// trace and without one.
func TestEndsOfOneMoment(t *testing.T) {
	for name, program := range momentPrograms {
		for _, schedule := range []string{"", "\x01\x01\x01\x01\x01\x01\x01\x01", "\x02\x00\x01\x02\x03\x04\x05\x06\x07\x08\x09"} {
			t.Run(fmt.Sprintf("%s/%d", name, len(schedule)), func(t *testing.T) {
				first := ""
				for range 50 {
					var notes []string
					simtest.Fuzz(t, simtest.Config{}, []byte(schedule), func(s *simtest.Sim) {
						program(s, func(format string, args ...any) { notes = append(notes, fmt.Sprintf(format, args...)) })
					})
					got := strings.Join(notes, "\n")
					if first == "" {
						first = got
					}
					if got != first {
						t.Fatalf("the same schedule gave\n%s\nand then\n%s", first, got)
					}
				}
			})
		}
		t.Run(name+"/search", func(t *testing.T) {
			simtest.Run(t, simtest.Config{Schedules: 50, Repeat: 1}, func(s *simtest.Sim) {
				program(s, func(string, ...any) {})
			})
		})
	}
}

// nestedScopes: which scope has caught the error depends on the order of their ends.
func nestedScopes(s *simtest.Sim, note func(string, ...any)) {
	sys := s.System(actor.Config{})
	at := s.Now().Add(time.Second)
	for i := range 3 {
		_, err := sys.Scheduler().Go(bg, func(ctx context.Context) error {
			return task.Within(ctx, func(ctx context.Context, outer *task.Scope) error {
				outer.SetDeadline(at)
				err := task.Within(ctx, func(ctx context.Context, inner *task.Scope) error {
					inner.SetDeadline(at)
					err := task.Sleep(ctx, time.Minute)
					note("%d: inner %v, outer %v: %v", i, inner.Caught(err), outer.Caught(err), inner.Cause())
					return err
				})
				note("%d: %v: %v", i, outer.Caught(err), err)
				return err
			})
		})
		if err != nil {
			s.Fatal(err)
		}
	}
	s.Advance(2 * time.Minute)
}

// jobsWithOneTimeout: each job tells when and why it goes on.
func jobsWithOneTimeout(s *simtest.Sim, note func(string, ...any)) {
	sys := s.System(actor.Config{})
	for i := range 3 {
		_, err := sys.Scheduler().Go(bg, func(ctx context.Context) error {
			if i == 1 {
				_ = ctx.Done() // So that there is a context of package context, with a timer of its own.
			}
			err := task.Sleep(ctx, time.Minute)
			note("%d: %v: %v", i, err, context.Cause(ctx))
			return err
		}, sched.WithTimeout(time.Second))
		if err != nil {
			s.Fatal(err)
		}
	}
	s.Advance(2 * time.Minute)
}

// asksOfOneDeadline: several actors' asks end at once.
func asksOfOneDeadline(s *simtest.Sim, note func(string, ...any)) {
	sys := s.System(actor.Config{})
	silent := spawn(s, sys, "silent", func(*actor.Context[get], get) error { return nil })
	for i := range 3 {
		a := spawn(s, sys, fmt.Sprint("asker", i), func(ctx *actor.Context[int], _ int) error {
			limited, cancel := context.WithTimeout(ctx, time.Second)
			defer cancel()
			_, err := actor.Ask(limited, silent, count)
			note("%d: %v", i, err)
			return nil
		})
		_ = a.Send(bg, i)
	}
	s.Advance(time.Minute)
}

// asksOfReentrant: several handlers of one actor wait for asks that end at once.
func asksOfReentrant(s *simtest.Sim, note func(string, ...any)) {
	sys := s.System(actor.Config{})
	silent := spawn(s, sys, "silent", func(*actor.Context[get], get) error { return nil })
	a, err := actor.Spawn(sys, actor.Func(func(ctx *actor.Context[int], i int) error {
		limited, cancel := context.WithTimeout(ctx, time.Second)
		defer cancel()
		_, err := actor.Ask(limited, silent, count)
		note("%d: %v", i, err)
		return nil
	}), actor.WithName("reentrant"), actor.WithReentrancy(actor.FullReentrancy))
	if err != nil {
		s.Fatal(err)
	}
	for i := range 4 {
		_ = a.Send(bg, i)
	}
	s.Advance(time.Minute)
}

// selectsWithOneTimeout: two cases of one select become ready in the same moment, and so do
// the cases of another strand.
func selectsWithOneTimeout(s *simtest.Sim, note func(string, ...any)) {
	sys := s.System(actor.Config{})
	_, err := sys.Scheduler().Go(bg, func(ctx context.Context) error {
		for i := range 3 {
			_, err := strand.Go(ctx, func(ctx *strand.Strand) error {
				n, err := strand.Select(ctx, strand.After(time.Second), strand.After(time.Second), strand.After(time.Second))
				note("%d: %d: %v", i, n, err)
				return err
			})
			if err != nil {
				return err
			}
		}
		return task.Sleep(ctx, time.Minute) // Strands end with what has begun them.
	})
	if err != nil {
		s.Fatal(err)
	}
	s.Advance(time.Hour)
}
