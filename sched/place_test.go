package sched_test

import (
	"context"
	"errors"
	"fmt"
	"runtime"
	"strings"
	"sync/atomic"
	"testing"

	"github.com/troupe-go/troupe/sched"
)

// TestPinnedJobsStayOnTheirWorker has jobs that leave their worker in every way
// there is, while the other workers look for work.
func TestPinnedJobsStayOnTheirWorker(t *testing.T) {
	ctx := guarded(t)
	const workers, each = 3, 40
	s := newScheduler(t, sched.Config{Workers: workers})
	var jobs []*sched.Job
	for i := range workers * each {
		want := i % workers
		jobs = append(jobs, start(t, ctx, s, func(ctx context.Context) error {
			f := sched.Current(ctx)
			for step := range 30 {
				switch step % 3 {
				case 0:
					child, err := s.Go(ctx, func(context.Context) error { runtime.Gosched(); return nil })
					if err != nil {
						return err
					}
					if err := child.Wait(ctx); err != nil {
						return err
					}
				case 1:
					f.Yield(sched.Low)
				case 2:
					if _, err := s.Go(ctx, func(context.Context) error { return nil }, sched.WithPriority(sched.Critical)); err != nil {
						return err
					}
					f.Checkpoint()
				}
				if got := sched.Current(ctx).Worker(); got != want {
					return fmt.Errorf("step %d of a job for worker %d is on worker %d", step, want, got)
				}
			}
			return nil
		}, sched.WithWorker(want)))
	}
	finish(t, ctx, jobs...)
}

// TestHomeEndsWithTheJob checks that a fiber which has run a pinned
// job is not at home there with the next one.
func TestHomeEndsWithTheJob(t *testing.T) {
	ctx := guarded(t)
	s := newScheduler(t, sched.Config{Workers: 2, MaxSpares: -1})
	finish(t, ctx, start(t, ctx, s, func(context.Context) error { return nil }, sched.WithWorker(0)))
	parked := make([]chan *sched.Fiber, 8)
	var jobs []*sched.Job
	for i := range parked {
		parked[i] = make(chan *sched.Fiber, 1)
		jobs = append(jobs, start(t, ctx, s, func(ctx context.Context) error {
			f := sched.Current(ctx)
			parked[i] <- f
			f.Suspend()
			return nil
		}))
	}
	gate, begun := make(chan struct{}), make(chan struct{})
	defer close(gate)
	fibers := make([]*sched.Fiber, len(parked))
	for i, ch := range parked {
		fibers[i] = receive(t, ctx, "a job to suspend", ch)
	}
	start(t, ctx, s, func(context.Context) error { close(begun); <-gate; return nil }, sched.WithWorker(0))
	receive(t, ctx, "worker 0 to be held", begun)
	for _, f := range fibers {
		f.Resume(nil, sched.Normal)
	}
	finish(t, ctx, jobs...) // On worker 1, since the other one is held.
}

// TestPinnedWorkWaitsForItsWorker shows what pinning costs, and that the
// statistics tell it.
func TestPinnedWorkWaitsForItsWorker(t *testing.T) {
	ctx := guarded(t)
	s := newScheduler(t, sched.Config{Workers: 2})
	gate, begun := make(chan struct{}), make(chan struct{})
	held := start(t, ctx, s, func(context.Context) error { close(begun); <-gate; return nil }, sched.WithWorker(1))
	receive(t, ctx, "worker 1 to be held", begun)
	var ran atomic.Bool
	waiting := start(t, ctx, s, func(context.Context) error { ran.Store(true); return nil }, sched.WithWorker(1))
	for range 100 {
		finish(t, ctx, start(t, ctx, s, func(context.Context) error { return nil }))
	}
	st := s.Stats()
	if ran.Load() || st.Workers[1].Pinned != 1 || st.Queued[sched.Normal] != 1 {
		t.Errorf("the pinned job has run: %t; pinned %d, queued %d", ran.Load(), st.Workers[1].Pinned, st.Queued[sched.Normal])
	}
	close(gate)
	finish(t, ctx, held, waiting)
}

// TestPreferredWorkIsNotStolenFromAWorkerThatKeepsUp makes the steps itself.
func TestPreferredWorkIsNotStolenFromAWorkerThatKeepsUp(t *testing.T) {
	s := sched.NewStill(sched.Config{Workers: 2})
	n := names{}
	for i := range sched.KeepPreferred {
		n.to(t, s, sched.Normal, sched.Preferred(0), fmt.Sprint(i))
	}
	for round := range 2 * sched.SearchRounds {
		if x, _ := s.Worker(1).SearchOnce(round); x != nil {
			t.Fatalf("%s was stolen though worker 0 has %d pieces only", n[x], sched.KeepPreferred)
		}
	}
	n.to(t, s, sched.Normal, sched.Preferred(0), "one too many")
	if x, _ := s.Worker(1).SearchOnce(0); n[x] != "0" {
		t.Fatalf("got %q of an overloaded worker, want the oldest", n[x])
	}
	if x, _ := s.Worker(0).Poll(); x == nil {
		t.Error("the worker itself got nothing")
	}
}

// TestPreferredWorkIsNotStolenByTheBusy has a thief whose own queue is as long.
func TestPreferredWorkIsNotStolenByTheBusy(t *testing.T) {
	s := sched.NewStill(sched.Config{Workers: 2})
	n := names{}
	for range 20 {
		n.to(t, s, sched.Normal, sched.Preferred(0), "preferred")
		n.to(t, s, sched.Normal, sched.Pinned(1), "pinned")
	}
	if x, _ := s.Worker(1).SearchOnce(0); x != nil {
		t.Error("an equally loaded worker took preferred work")
	}
}

// TestPreferredWorkIsStolenUnderOverload does it for real: worker 0 is held for
// good and no spare may help.
func TestPreferredWorkIsStolenUnderOverload(t *testing.T) {
	ctx := guarded(t)
	s := newScheduler(t, sched.Config{Workers: 2, MaxSpares: -1})
	var jobs []*sched.Job
	gate, begun := make(chan struct{}), make(chan struct{})
	held := start(t, ctx, s, func(context.Context) error { close(begun); <-gate; return nil }, sched.WithWorker(0))
	receive(t, ctx, "worker 0 to be held", begun)
	for range 200 {
		jobs = append(jobs, start(t, ctx, s, func(context.Context) error { return nil }, sched.WithAffinity(0)))
	}
	finish(t, ctx, jobs...)
	close(gate)
	finish(t, ctx, held)
}

// TestPreferredWorkOfAHeldWorkerIsSpilled looks with the monitor's eyes.
func TestPreferredWorkOfAHeldWorkerIsSpilled(t *testing.T) {
	var clock sched.Clock
	s := sched.NewStill(sched.Config{Workers: 2, MaxSpares: -1})
	s.SetClock(&clock)
	n := names{}
	n.to(t, s, sched.High, sched.Preferred(0), "preferred")
	n.to(t, s, sched.High, sched.Pinned(0), "pinned")
	s.Look()
	if x, _ := s.Worker(1).Poll(); x != nil {
		t.Fatalf("%s was spilled at once", n[x])
	}
	clock.Advance(s.BlockedAfter())
	s.Look()
	if x, p := s.Worker(1).Poll(); n[x] != "preferred" || p != sched.High {
		t.Fatalf("worker 1 got %q with priority %v", n[x], p)
	}
	if x, _ := s.Worker(1).Poll(); x != nil {
		t.Errorf("worker 1 got %q as well", n[x])
	}
}

func TestOrderOfPlacedWork(t *testing.T) {
	s := sched.NewStill(sched.Config{Workers: 2})
	w, n := s.Worker(0), names{}
	for _, p := range []sched.Priority{sched.Low, sched.Normal, sched.High, sched.Critical} {
		n.to(t, s, p, sched.Pinned(0), "pinned "+p.String())
		w.Push(n.node("own "+p.String()), p)
	}
	var got []string
	for x, _ := w.Poll(); x != nil; x, _ = w.Poll() {
		got = append(got, n[x])
	}
	place := map[string]int{}
	for i, name := range got {
		place[name] = i
	}
	if len(got) != 8 {
		t.Fatalf("got %q", got)
	}
	for i, above := range []string{"critical", "high", "normal"} {
		below := []string{"high", "normal", "low"}[i]
		for _, a := range []string{"own ", "pinned "} {
			for _, b := range []string{"own ", "pinned "} {
				if place[a+above] > place[b+below] {
					t.Errorf("%s comes after %s: %q", a+above, b+below, got)
				}
			}
		}
	}
}

// TestPlacedAndOtherWorkTakeTurns has work that never ends in each queue.
func TestPlacedAndOtherWorkTakeTurns(t *testing.T) {
	s := sched.NewStill(sched.Config{Workers: 1})
	w, n := s.Worker(0), names{}
	n.to(t, s, sched.Normal, sched.Pinned(0), "pinned")
	n.to(t, s, sched.Normal, sched.Preferred(0), "preferred")
	w.Push(n.node("own"), sched.Normal)
	n.outside(t, s, sched.Low, "outside")
	count := map[string]int{}
	for range 8 * sched.FairTurn {
		x, p := w.Poll()
		count[n[x]]++
		switch n[x] {
		case "pinned":
			resubmit(t, s, x, p, sched.Pinned(0))
		case "preferred":
			resubmit(t, s, x, p, sched.Preferred(0))
		case "own":
			w.Push(x, p)
		case "outside":
			resubmit(t, s, x, p, sched.Place{})
		}
	}
	for name, least := range map[string]int{"own": 3 * sched.FairTurn, "pinned": sched.FairTurn, "preferred": sched.FairTurn, "outside": 4} {
		if count[name] < least {
			t.Errorf("%s ran %d times, want at least %d: %v", name, count[name], least, count)
		}
	}
}

func resubmit(t *testing.T, s *sched.Scheduler, n *sched.Node, p sched.Priority, at sched.Place) {
	t.Helper()
	if err := s.SubmitTo(n, p, at); err != nil {
		t.Fatal(err)
	}
}

func (n names) to(t *testing.T, s *sched.Scheduler, p sched.Priority, at sched.Place, name string) {
	t.Helper()
	resubmit(t, s, n.node(name), p, at)
}

// TestPinnedCriticalWorkIsUrgent checks that running work gives way to it on its
// worker, and on no other.
func TestPinnedCriticalWorkIsUrgent(t *testing.T) {
	ctx := guarded(t)
	s := newScheduler(t, sched.Config{Workers: 1, MaxSpares: -1})
	var ran atomic.Bool
	finish(t, ctx, start(t, ctx, s, func(ctx context.Context) error {
		f := sched.Current(ctx)
		urgent := newWork(func(*sched.Fiber, sched.Priority) { ran.Store(true) })
		if err := f.SubmitTo(&urgent.Node, sched.Critical, sched.Pinned(0)); err != nil {
			return err
		}
		if !f.Urgent() {
			return errors.New("pinned critical work is not urgent")
		}
		if f.Checkpoint(); !ran.Load() {
			return errors.New("the checkpoint did not let it pass")
		}
		return nil
	}))
}

func TestBadPlacesAreRefused(t *testing.T) {
	ctx := guarded(t)
	s := newScheduler(t, sched.Config{Workers: 2})
	for _, id := range []int{-1, 2, 1000} {
		for _, opt := range []sched.JobOption{sched.WithWorker(id), sched.WithAffinity(id)} {
			_, err := s.Go(ctx, func(context.Context) error { return nil }, opt)
			if err == nil || !strings.Contains(err.Error(), fmt.Sprint("worker ", id)) || !strings.Contains(err.Error(), "0 to 1") {
				t.Errorf("worker %d: %v", id, err)
			}
		}
		if err := s.SubmitTo(&newWork(nil).Node, sched.Normal, sched.Pinned(id)); err == nil {
			t.Errorf("a node was submitted to worker %d", id)
		}
	}
	if err := s.SubmitTo(&newWork(nil).Node, 17, sched.Pinned(0)); err == nil || !strings.Contains(err.Error(), "17") {
		t.Errorf("an unknown priority: %v", err)
	}
	if err := s.SubmitTo(&sched.Node{}, sched.Low, sched.Pinned(0)); err == nil || !strings.Contains(err.Error(), "Init") {
		t.Errorf("a node without runner: %v", err)
	}
	if err := s.Stop(ctx); err != nil {
		t.Fatal(err)
	}
	if err := s.SubmitTo(&newWork(nil).Node, sched.Normal, sched.Pinned(0)); !errors.Is(err, sched.ErrStopped) {
		t.Errorf("after Stop: %v", err)
	}
}

func TestPlaceString(t *testing.T) {
	for at, want := range map[sched.Place]string{
		{}:                 "anywhere",
		sched.Pinned(3):    "pinned to worker 3",
		sched.Preferred(0): "preferably worker 0",
	} {
		if got := at.String(); got != want {
			t.Errorf("%q, want %q", got, want)
		}
	}
}

// TestForcedStopGivesUpPlacedJobs has a job on the pinned worker that goes on,
// one that has begun and waits in the inbox, and ones that have not begun.
func TestForcedStopGivesUpPlacedJobs(t *testing.T) {
	ctx := guarded(t)
	s := newScheduler(t, sched.Config{Workers: 2, MaxSpares: -1})
	begunFiber := make(chan *sched.Fiber, 1)
	suspended := start(t, ctx, s, func(ctx context.Context) error {
		f := sched.Current(ctx)
		begunFiber <- f
		f.Suspend()
		if got := sched.Current(ctx).Worker(); got != 0 {
			return fmt.Errorf("continued on worker %d", got)
		}
		return nil
	}, sched.WithWorker(0))
	f := receive(t, ctx, "a job to suspend", begunFiber)
	gate, begun := make(chan struct{}), make(chan struct{})
	held := start(t, ctx, s, func(context.Context) error { close(begun); <-gate; return nil }, sched.WithWorker(0))
	receive(t, ctx, "the worker to be held", begun)
	var never []*sched.Job
	for range 5 {
		never = append(never, start(t, ctx, s, func(context.Context) error { return nil }, sched.WithWorker(0)))
	}
	f.Resume(nil, sched.Normal)
	if err := s.Stop(expired()); err == nil {
		t.Error("the stop had nothing to give up")
	}
	for _, j := range never {
		if err := j.Wait(ctx); !errors.Is(err, sched.ErrStopped) {
			t.Errorf("a job that has not begun: %v", err)
		}
	}
	close(gate)
	finish(t, ctx, held, suspended)
	if err := s.Stop(ctx); err != nil {
		t.Error(err)
	}
}

// TestBoundFiberStays binds fibers to their worker for good, and looks at what
// runs on them later.
func TestBoundFiberStays(t *testing.T) {
	ctx := guarded(t)
	s := newScheduler(t, sched.Config{Workers: 2})
	var jobs []*sched.Job
	for range 100 {
		jobs = append(jobs, start(t, ctx, s, func(ctx context.Context) error {
			f := sched.Current(ctx)
			f.Bind()
			want := f.Worker()
			for range 20 {
				f.Yield(sched.Normal)
				if got := f.Worker(); got != want {
					return fmt.Errorf("a fiber of worker %d is on worker %d", want, got)
				}
			}
			return nil
		}))
	}
	finish(t, ctx, jobs...)
}

// TestInterruptedWorkIsContinuedAtHome has work give way at home and elsewhere.
func TestInterruptedWorkIsContinuedAtHome(t *testing.T) {
	for _, pinned := range []bool{true, false} {
		s := sched.NewStill(sched.Config{Workers: 2})
		home, other := s.Worker(0), s.Worker(1)
		home.Push(&newWork(nil).Node, sched.High)
		n := home.GiveWay(home, pinned)
		if x, _ := other.SearchOnce(0); x == n {
			t.Errorf("another worker continues it (pinned: %t)", pinned)
		}
		if x, _ := home.Poll(); x != n {
			t.Errorf("it is not the next that its worker takes (pinned: %t)", pinned)
		}
		other.Push(&newWork(nil).Node, sched.High)
		n = other.GiveWay(home, pinned)
		worker := map[bool]*sched.Worker{true: home, false: other}[pinned]
		if x, _ := worker.Poll(); x != n {
			t.Errorf("having given way elsewhere it is not the next there (pinned: %t)", pinned)
		}
	}
}
