package workers_test

import (
	"context"
	"errors"
	"fmt"
	"runtime"
	"strings"
	"sync/atomic"
	"testing"

	"github.com/troupe-go/troupe/internal/workers"
)

// TestPinnedJobsStayOnTheirWorker has jobs that leave their worker in every way
// there is, while the other workers look for work.
func TestPinnedJobsStayOnTheirWorker(t *testing.T) {
	ctx := guarded(t)
	const width, each = 3, 40
	s := newScheduler(t, workers.Config{Workers: width})
	var jobs []*workers.Job
	for i := range width * each {
		want := i % width
		jobs = append(jobs, start(t, ctx, s, func(ctx context.Context) error {
			f := workers.Current(ctx)
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
					f.Yield(workers.Low)
				case 2:
					if _, err := s.Go(ctx, func(context.Context) error { return nil }, workers.WithPriority(workers.Critical)); err != nil {
						return err
					}
					f.Checkpoint()
				}
				if got := workers.Current(ctx).Worker(); got != want {
					return fmt.Errorf("step %d of a job for worker %d is on worker %d", step, want, got)
				}
			}
			return nil
		}, workers.WithWorker(want)))
	}
	finish(t, ctx, jobs...)
}

// TestFiberForgetsThePinnedWorkerOfItsJob checks that a fiber which has run a pinned
// job is not at home there with the next one.
func TestFiberForgetsThePinnedWorkerOfItsJob(t *testing.T) {
	ctx := guarded(t)
	s := newScheduler(t, workers.Config{Workers: 2, MaxSpares: -1})
	finish(t, ctx, start(t, ctx, s, func(context.Context) error { return nil }, workers.WithWorker(0)))
	parked := make([]chan *workers.Fiber, 8)
	var jobs []*workers.Job
	for i := range parked {
		parked[i] = make(chan *workers.Fiber, 1)
		jobs = append(jobs, start(t, ctx, s, func(ctx context.Context) error {
			f := workers.Current(ctx)
			parked[i] <- f
			f.Suspend()
			return nil
		}))
	}
	gate, begun := make(chan struct{}), make(chan struct{})
	defer close(gate)
	fibers := make([]*workers.Fiber, len(parked))
	for i, ch := range parked {
		fibers[i] = receive(t, ctx, "a job to suspend", ch)
	}
	start(t, ctx, s, func(context.Context) error { close(begun); <-gate; return nil }, workers.WithWorker(0))
	receive(t, ctx, "worker 0 to be held", begun)
	for _, f := range fibers {
		f.Resume(nil, workers.Normal)
	}
	finish(t, ctx, jobs...) // On worker 1, since the other one is held.
}

// TestPinnedWorkWaitsForItsWorker shows what pinning costs, and that the
// statistics tell it.
func TestPinnedWorkWaitsForItsWorker(t *testing.T) {
	ctx := guarded(t)
	s := newScheduler(t, workers.Config{Workers: 2})
	gate, begun := make(chan struct{}), make(chan struct{})
	held := start(t, ctx, s, func(context.Context) error { close(begun); <-gate; return nil }, workers.WithWorker(1))
	receive(t, ctx, "worker 1 to be held", begun)
	var ran atomic.Bool
	waiting := start(t, ctx, s, func(context.Context) error { ran.Store(true); return nil }, workers.WithWorker(1))
	for range 100 {
		finish(t, ctx, start(t, ctx, s, func(context.Context) error { return nil }))
	}
	st := s.Stats()
	if ran.Load() || st.Workers[1].Pinned != 1 || st.Queued[workers.Normal] != 1 {
		t.Errorf("the pinned job has run: %t; pinned %d, queued %d", ran.Load(), st.Workers[1].Pinned, st.Queued[workers.Normal])
	}
	close(gate)
	finish(t, ctx, held, waiting)
}

// TestPreferredWorkIsNotStolenFromAWorkerThatKeepsUp makes the steps itself.
func TestPreferredWorkIsNotStolenFromAWorkerThatKeepsUp(t *testing.T) {
	s := workers.NewStill(workers.Config{Workers: 2})
	n := names{}
	for i := range workers.KeepPreferred {
		n.to(t, s, workers.Normal, workers.Preferred(0), fmt.Sprint(i))
	}
	for round := range 2 * workers.SearchRounds {
		if x, _ := s.Worker(1).SearchOnce(round); x != nil {
			t.Fatalf("%s was stolen though worker 0 has %d pieces only", n[x], workers.KeepPreferred)
		}
	}
	n.to(t, s, workers.Normal, workers.Preferred(0), "one too many")
	if x, _ := s.Worker(1).SearchOnce(0); n[x] != "0" {
		t.Fatalf("got %q of an overloaded worker, want the oldest", n[x])
	}
	if x, _ := s.Worker(0).Poll(); x == nil {
		t.Error("the worker itself got nothing")
	}
}

// TestPreferredWorkIsNotStolenByTheBusy has a thief whose own queue is as long.
func TestPreferredWorkIsNotStolenByTheBusy(t *testing.T) {
	s := workers.NewStill(workers.Config{Workers: 2})
	n := names{}
	for range 20 {
		n.to(t, s, workers.Normal, workers.Preferred(0), "preferred")
		n.to(t, s, workers.Normal, workers.Pinned(1), "pinned")
	}
	if x, _ := s.Worker(1).SearchOnce(0); x != nil {
		t.Error("an equally loaded worker took preferred work")
	}
}

// TestPreferredWorkIsStolenUnderOverload does it for real: worker 0 is held for
// good and no spare may help.
func TestPreferredWorkIsStolenUnderOverload(t *testing.T) {
	ctx := guarded(t)
	s := newScheduler(t, workers.Config{Workers: 2, MaxSpares: -1})
	var jobs []*workers.Job
	gate, begun := make(chan struct{}), make(chan struct{})
	held := start(t, ctx, s, func(context.Context) error { close(begun); <-gate; return nil }, workers.WithWorker(0))
	receive(t, ctx, "worker 0 to be held", begun)
	for range 200 {
		jobs = append(jobs, start(t, ctx, s, func(context.Context) error { return nil }, workers.WithAffinity(0)))
	}
	finish(t, ctx, jobs...)
	close(gate)
	finish(t, ctx, held)
}

// TestPreferredWorkOfAHeldWorkerIsSpilled looks with the monitor's eyes.
func TestPreferredWorkOfAHeldWorkerIsSpilled(t *testing.T) {
	var clock workers.Clock
	s := workers.NewStill(workers.Config{Workers: 2, MaxSpares: -1})
	s.SetClock(&clock)
	n := names{}
	n.to(t, s, workers.High, workers.Preferred(0), "preferred")
	n.to(t, s, workers.High, workers.Pinned(0), "pinned")
	s.Look()
	if x, _ := s.Worker(1).Poll(); x != nil {
		t.Fatalf("%s was spilled at once", n[x])
	}
	clock.Advance(s.BlockedAfter())
	s.Look()
	if x, p := s.Worker(1).Poll(); n[x] != "preferred" || p != workers.High {
		t.Fatalf("worker 1 got %q with priority %v", n[x], p)
	}
	if x, _ := s.Worker(1).Poll(); x != nil {
		t.Errorf("worker 1 got %q as well", n[x])
	}
}

func TestOrderOfPlacedWork(t *testing.T) {
	s := workers.NewStill(workers.Config{Workers: 2})
	w, n := s.Worker(0), names{}
	for _, p := range []workers.Priority{workers.Low, workers.Normal, workers.High, workers.Critical} {
		n.to(t, s, p, workers.Pinned(0), "pinned "+p.String())
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
	s := workers.NewStill(workers.Config{Workers: 1})
	w, n := s.Worker(0), names{}
	n.to(t, s, workers.Normal, workers.Pinned(0), "pinned")
	n.to(t, s, workers.Normal, workers.Preferred(0), "preferred")
	w.Push(n.node("own"), workers.Normal)
	n.outside(t, s, workers.Low, "outside")
	count := map[string]int{}
	for range 8 * workers.FairTurn {
		x, p := w.Poll()
		count[n[x]]++
		switch n[x] {
		case "pinned":
			resubmit(t, s, x, p, workers.Pinned(0))
		case "preferred":
			resubmit(t, s, x, p, workers.Preferred(0))
		case "own":
			w.Push(x, p)
		case "outside":
			resubmit(t, s, x, p, workers.Place{})
		}
	}
	for name, least := range map[string]int{"own": 3 * workers.FairTurn, "pinned": workers.FairTurn, "preferred": workers.FairTurn, "outside": 4} {
		if count[name] < least {
			t.Errorf("%s ran %d times, want at least %d: %v", name, count[name], least, count)
		}
	}
}

func resubmit(t *testing.T, s *workers.Scheduler, n *workers.Node, p workers.Priority, at workers.Place) {
	t.Helper()
	if err := s.SubmitTo(n, p, at); err != nil {
		t.Fatal(err)
	}
}

func (n names) to(t *testing.T, s *workers.Scheduler, p workers.Priority, at workers.Place, name string) {
	t.Helper()
	resubmit(t, s, n.node(name), p, at)
}

// TestPinnedCriticalWorkIsUrgent checks that running work gives way to it on its
// worker, and on no other.
func TestPinnedCriticalWorkIsUrgent(t *testing.T) {
	ctx := guarded(t)
	s := newScheduler(t, workers.Config{Workers: 1, MaxSpares: -1})
	var ran atomic.Bool
	finish(t, ctx, start(t, ctx, s, func(ctx context.Context) error {
		f := workers.Current(ctx)
		urgent := newWork(func(*workers.Fiber, workers.Priority) { ran.Store(true) })
		if err := f.SubmitTo(&urgent.Node, workers.Critical, workers.Pinned(0)); err != nil {
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
	s := newScheduler(t, workers.Config{Workers: 2})
	for _, id := range []int{-1, 2, 1000} {
		for _, opt := range []workers.JobOption{workers.WithWorker(id), workers.WithAffinity(id)} {
			_, err := s.Go(ctx, func(context.Context) error { return nil }, opt)
			if err == nil || !strings.Contains(err.Error(), fmt.Sprint("worker ", id)) || !strings.Contains(err.Error(), "0 to 1") {
				t.Errorf("worker %d: %v", id, err)
			}
		}
		if err := s.SubmitTo(&newWork(nil).Node, workers.Normal, workers.Pinned(id)); err == nil {
			t.Errorf("a node was submitted to worker %d", id)
		}
	}
	if err := s.SubmitTo(&newWork(nil).Node, 17, workers.Pinned(0)); err == nil || !strings.Contains(err.Error(), "17") {
		t.Errorf("an unknown priority: %v", err)
	}
	if err := s.SubmitTo(&workers.Node{}, workers.Low, workers.Pinned(0)); err == nil || !strings.Contains(err.Error(), "Init") {
		t.Errorf("a node without runner: %v", err)
	}
	if err := s.Stop(ctx); err != nil {
		t.Fatal(err)
	}
	if err := s.SubmitTo(&newWork(nil).Node, workers.Normal, workers.Pinned(0)); !errors.Is(err, workers.ErrStopped) {
		t.Errorf("after Stop: %v", err)
	}
}

func TestPlaceString(t *testing.T) {
	for at, want := range map[workers.Place]string{
		{}:                   "anywhere",
		workers.Pinned(3):    "pinned to worker 3",
		workers.Preferred(0): "preferably worker 0",
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
	s := newScheduler(t, workers.Config{Workers: 2, MaxSpares: -1})
	begunFiber := make(chan *workers.Fiber, 1)
	suspended := start(t, ctx, s, func(ctx context.Context) error {
		f := workers.Current(ctx)
		begunFiber <- f
		f.Suspend()
		if got := workers.Current(ctx).Worker(); got != 0 {
			return fmt.Errorf("continued on worker %d", got)
		}
		return nil
	}, workers.WithWorker(0))
	f := receive(t, ctx, "a job to suspend", begunFiber)
	gate, begun := make(chan struct{}), make(chan struct{})
	held := start(t, ctx, s, func(context.Context) error { close(begun); <-gate; return nil }, workers.WithWorker(0))
	receive(t, ctx, "the worker to be held", begun)
	var never []*workers.Job
	for range 5 {
		never = append(never, start(t, ctx, s, func(context.Context) error { return nil }, workers.WithWorker(0)))
	}
	f.Resume(nil, workers.Normal)
	if err := s.Stop(expired()); err == nil {
		t.Error("the stop had nothing to give up")
	}
	for _, j := range never {
		if err := j.Wait(ctx); !errors.Is(err, workers.ErrStopped) {
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
	s := newScheduler(t, workers.Config{Workers: 2})
	var jobs []*workers.Job
	for range 100 {
		jobs = append(jobs, start(t, ctx, s, func(ctx context.Context) error {
			f := workers.Current(ctx)
			f.Bind()
			want := f.Worker()
			for range 20 {
				f.Yield(workers.Normal)
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
		s := workers.NewStill(workers.Config{Workers: 2})
		home, other := s.Worker(0), s.Worker(1)
		home.Push(&newWork(nil).Node, workers.High)
		n := home.GiveWay(home, pinned)
		if x, _ := other.SearchOnce(0); x == n {
			t.Errorf("another worker continues it (pinned: %t)", pinned)
		}
		if x, _ := home.Poll(); x != n {
			t.Errorf("it is not the next that its worker takes (pinned: %t)", pinned)
		}
		other.Push(&newWork(nil).Node, workers.High)
		n = other.GiveWay(home, pinned)
		worker := map[bool]*workers.Worker{true: home, false: other}[pinned]
		if x, _ := worker.Poll(); x != n {
			t.Errorf("having given way elsewhere it is not the next there (pinned: %t)", pinned)
		}
	}
}
