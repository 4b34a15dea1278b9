package simtest

import (
	"context"
	"fmt"
	"math/rand/v2"
	"runtime"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/troupe-go/troupe/actor"
	"github.com/troupe-go/troupe/internal/sim"
	"github.com/troupe-go/troupe/sched"
)

// Sim is one run of a program under one schedule. It is a [testing.TB], to be
// used in place of the test's own: a failure ends this run, and is then searched
// for a simpler schedule and explained.
//
// Its methods are to be called by the body, the methods of testing.TB also by the program.
type Sim struct {
	testing.TB
	engine   *sim.Engine
	random   *rand.Rand
	logged   *sync.Mutex // Guards failures.
	failures []string
	cleanups []func()
	checks   []func() error
	ctx      context.Context
	deadMu   sync.Mutex // Guards dead.
	dead     []actor.DeadLetter
	forbid   Leftovers
	target   *time.Duration     // The least distance that Target was given, or nil.
	systems  []*actor.System    // The systems made by System.
	pools    []*sched.Scheduler // The schedulers made by Scheduler.
	probes   map[actor.PID]bool
}

// Now is the virtual time. The time package has the same.
func (s *Sim) Now() time.Time { return time.Now() }

// Rand is a source of chance for the program that depends on the schedule alone.
func (s *Sim) Rand() *rand.Rand { return s.random }

// RunUntilIdle runs the program until nothing can run before time passes.
func (s *Sim) RunUntilIdle() {
	s.engine.UntilIdle()
	s.endIfOver()
}

// endIfOver ends the body when its run was given up.
func (s *Sim) endIfOver() {
	if s.engine.Over() {
		runtime.Goexit()
	}
}

// Advance lets the virtual time pass, and runs whatever becomes due, up to the
// end of that time and until nothing can run.
func (s *Sim) Advance(d time.Duration) {
	s.RunUntilIdle()
	if d > 0 {
		time.Sleep(d)
	}
	s.RunUntilIdle()
}

// AdvanceToNext runs the program until nothing can run, lets the virtual time
// pass up to the next timer that gives a scheduler work, and runs what that
// leads to. It returns false, after limit, if there is none before.
func (s *Sim) AdvanceToNext(limit time.Duration) bool {
	s.RunUntilIdle()
	defer s.endIfOver()
	return s.engine.UntilWork(limit)
}

// Steps returns how many pieces of work were run.
func (s *Sim) Steps() int { return s.engine.Steps() }

// Always adds a check that is made after each step: an invariant that spans
// several actors. The check may read what the actors own, since none runs
// meanwhile; it must not wait, nor send.
func (s *Sim) Always(check func() error) { s.checks = append(s.checks, check) }

// System returns a new actor system, which is stopped at the end of the body.
// Its dead letters are kept for [Sim.DeadLetters]. A program may as well call
// [actor.NewSystem] itself.
func (s *Sim) System(cfg actor.Config) *actor.System {
	told := cfg.OnDeadLetter
	cfg.OnDeadLetter = func(d actor.DeadLetter) {
		s.deadMu.Lock()
		s.dead = append(s.dead, d)
		s.deadMu.Unlock()
		if told != nil {
			told(d)
		}
	}
	sys, err := actor.NewSystem(cfg)
	if err != nil {
		s.Fatal(err)
	}
	s.systems = append(s.systems, sys)
	s.stopAtEnd(sys)
	return sys
}

// Scheduler returns a new scheduler, which is stopped at the end of the body.
func (s *Sim) Scheduler(cfg sched.Config) *sched.Scheduler {
	sc, err := sched.New(cfg)
	if err != nil {
		s.Fatal(err)
	}
	s.pools = append(s.pools, sc)
	s.stopAtEnd(sc)
	return sc
}

// stopAtEnd stops what has worked for the body, unless the run is over anyway.
func (s *Sim) stopAtEnd(what interface{ Stop(context.Context) error }) {
	s.Cleanup(func() {
		if s.engine.Over() {
			return
		}
		if err := what.Stop(context.Background()); err != nil {
			s.Error(err)
		}
	})
}

// DeadLetters returns the messages that actors of [Sim.System] did not handle.
// Any goroutine may call it.
func (s *Sim) DeadLetters() []actor.DeadLetter {
	s.deadMu.Lock()
	defer s.deadMu.Unlock()
	return slices.Clone(s.dead)
}

// Context returns a context that ends with the body.
func (s *Sim) Context() context.Context { return s.ctx }

// Cleanup adds a function that is called when the body has returned, the last
// added first.
func (s *Sim) Cleanup(f func()) { s.cleanups = append(s.cleanups, f) }

func (s *Sim) fail(text string) {
	s.logged.Lock()
	defer s.logged.Unlock()
	s.failures = append(s.failures, strings.TrimRight(text, "\n"))
	s.engine.Trace("FAILED", "%s", strings.TrimRight(text, "\n"))
}

// Error, Errorf, Fail, FailNow, Fatal, Fatalf, Failed, Log, Logf and Helper implement
// [testing.TB], for this run.
func (s *Sim) Error(args ...any) { s.fail(fmt.Sprintln(args...)) }

// Errorf implements [testing.TB].
func (s *Sim) Errorf(format string, args ...any) { s.fail(fmt.Sprintf(format, args...)) }

// Fail implements [testing.TB].
func (s *Sim) Fail() { s.fail("failed") }

// FailNow implements [testing.TB].
func (s *Sim) FailNow() {
	if !s.Failed() {
		s.fail("failed")
	}
	runtime.Goexit()
}

// Fatal implements [testing.TB].
func (s *Sim) Fatal(args ...any) {
	s.fail(fmt.Sprintln(args...))
	runtime.Goexit()
}

// Fatalf implements [testing.TB].
func (s *Sim) Fatalf(format string, args ...any) {
	s.fail(fmt.Sprintf(format, args...))
	runtime.Goexit()
}

// Failed implements [testing.TB].
func (s *Sim) Failed() bool {
	s.logged.Lock()
	defer s.logged.Unlock()
	return len(s.failures) > 0
}

// Log implements [testing.TB]. It adds a line to the trace of a failing run.
func (s *Sim) Log(args ...any) { s.log(fmt.Sprintln(args...)) }

// Logf implements [testing.TB]. It adds a line to the trace of a failing run.
func (s *Sim) Logf(format string, args ...any) { s.log(fmt.Sprintf(format, args...)) }

func (s *Sim) log(text string) {
	s.logged.Lock()
	defer s.logged.Unlock()
	s.engine.Trace("log", "%s", strings.TrimRight(text, "\n"))
}

// Helper does nothing, as failures are located by their trace.
func (s *Sim) Helper() {}
