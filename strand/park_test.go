package strand_test

import (
	"context"
	"errors"
	"fmt"
	"testing"
	"testing/synctest"
	"time"

	"github.com/troupe-go/troupe/internal/workers"
	"github.com/troupe-go/troupe/sched"
	"github.com/troupe-go/troupe/simtest"
	"github.com/troupe-go/troupe/strand"
)

// TestYieldIsRoundRobin has more strands than lie in a worker's own queue yield
// to each other: each turn goes to all of them.
func TestYieldIsRoundRobin(t *testing.T) {
	for _, n := range []int{2, 40, 3000} {
		t.Run(fmt.Sprint(n), func(t *testing.T) {
			const rounds = 20
			turns := make([]int, n)
			run(t, 1, func(s *strand.Strand) error {
				var all strand.WaitGroup
				for i := range n {
					if _, err := all.Go(s, func(s *strand.Strand) error {
						for range rounds {
							turns[i]++
							if ahead := turns[i] - turns[(i+1)%n]; ahead > 3 {
								return fmt.Errorf("strand %d is %d turns ahead of the next", i, ahead)
							}
							s.Yield()
						}
						return nil
					}); err != nil {
						return err
					}
				}
				return all.Wait(s)
			})
			for i, got := range turns {
				if got != rounds {
					t.Fatalf("strand %d had %d turns, want %d", i, got, rounds)
				}
			}
		})
	}
}

// TestReductions has a loop that never waits give way, after 4,000 steps as of
// default, whichever way it counts them.
func TestReductions(t *testing.T) {
	never := strand.NewChan[int](1)
	for name, loop := range map[string]func(s *strand.Strand, stop *bool) error{
		"checkpoint": func(s *strand.Strand, stop *bool) error {
			for !*stop {
				if err := s.Checkpoint(); err != nil {
					return err
				}
			}
			return nil
		},
		"budget": func(s *strand.Strand, stop *bool) error {
			for budget := s.Budget(); !*stop; budget.Spend(1) {
			}
			return nil
		},
		"channel": func(s *strand.Strand, stop *bool) error {
			for !*stop {
				if _, _, err := never.TryReceive(s); err != nil {
					return err
				}
			}
			return nil
		},
	} {
		t.Run(name, func(t *testing.T) {
			run(t, 1, func(s *strand.Strand) error {
				stop := false
				other, err := strand.Go(s, func(*strand.Strand) error { stop = true; return nil })
				if err != nil {
					return err
				}
				if err := loop(s, &stop); err != nil {
					return err
				}
				return other.Join(s)
			})
		})
	}
}

func TestUnparkIsKept(t *testing.T) {
	run(t, 1, func(s *strand.Strand) error {
		s.Unpark(s)
		s.Unpark(context.Background()) // Twice counts once.
		if err := s.Park(); err != nil {
			return err
		}
		other, err := strand.Go(s, func(o *strand.Strand) error {
			if s.State() != sched.JobWaiting {
				t.Errorf("the other is %v", s.State())
			}
			s.Unpark(o)
			return nil
		})
		if err != nil {
			return err
		}
		if err := s.Park(); err != nil {
			return err
		}
		return other.Join(s)
	})
}

// TestParkUnderAnySchedule has two strands hand a turn to each other, one of them
// woken by a goroutine.
func TestParkUnderAnySchedule(t *testing.T) {
	simtest.Run(t, simtest.Config{}, func(s *simtest.Sim) {
		sc := s.Scheduler(sched.Config{})
		var ping, pong *strand.Strand
		turns := 0
		play := func(other **strand.Strand) func(*strand.Strand) error {
			return func(me *strand.Strand) error {
				for range 3 {
					if err := me.Park(); err != nil {
						return err
					}
					turns++
					(*other).Unpark(me)
				}
				return nil
			}
		}
		var err error
		if ping, err = strand.Go(s.Context(), play(&pong), strand.On(sc), strand.Name("ping")); err != nil {
			s.Fatal(err)
		}
		if pong, err = strand.Go(s.Context(), play(&ping), strand.On(sc), strand.Name("pong")); err != nil {
			s.Fatal(err)
		}
		ping.Unpark(context.Background())
		for _, one := range []*strand.Strand{ping, pong} {
			if err := one.Join(s.Context()); err != nil {
				s.Fatal(err)
			}
		}
		if turns != 6 {
			s.Errorf("there were %d turns, want 6", turns)
		}
	})
}

// TestSleepIsVirtual sleeps for a day.
func TestSleepIsVirtual(t *testing.T) {
	simtest.Run(t, simtest.Config{}, func(s *simtest.Sim) {
		sc := s.Scheduler(sched.Config{})
		began := s.Now()
		sleeper, err := strand.Go(s.Context(), func(s *strand.Strand) error { return s.Sleep(24 * time.Hour) }, strand.On(sc))
		if err != nil {
			s.Fatal(err)
		}
		if err := sleeper.Join(s.Context()); err != nil {
			s.Fatal(err)
		}
		if took := s.Now().Sub(began); took != 24*time.Hour {
			s.Errorf("it took %v", took)
		}
	})
}

func TestSleepIsCutShort(t *testing.T) {
	ctx := guarded(t)
	waits := make(chan struct{})
	s := start(t, ctx, func(s *strand.Strand) error {
		close(waits)
		return s.Sleep(time.Hour)
	}, strand.On(newScheduler(t, 1)))
	<-waits
	s.Cancel(errBroken)
	is(t, s.Join(ctx), errBroken)
}

// TestSleepKeepsThePriority has a strand of low priority wake up while one of normal
// priority that was queued later is waiting.
func TestSleepKeepsThePriority(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var order []string
		run(t, 1, func(s *strand.Strand) error {
			var all strand.WaitGroup
			sc, asleep := workers.Current(s).Scheduler(), false
			if _, err := all.Go(s, func(s *strand.Strand) error {
				asleep = true
				defer func() { order = append(order, "low") }()
				return s.Sleep(time.Second)
			}, strand.Priority(sched.Low)); err != nil {
				return err
			}
			for !asleep {
				if err := s.Sleep(time.Millisecond); err != nil {
					return err
				}
			}
			time.Sleep(2 * time.Second) //nolint:forbidigo // It holds the worker, in the time of a bubble.
			queued := make(chan error)  // By a goroutine, since the worker's own work would go ahead.
			go func() {
				_, err := all.Go(t.Context(), func(*strand.Strand) error {
					order = append(order, "normal")
					return nil
				}, strand.On((*sched.Scheduler)(sc)))
				queued <- err
			}()
			if err := <-queued; err != nil {
				return err
			}
			return all.Wait(s)
		})
		if fmt.Sprint(order) != "[normal low]" {
			t.Errorf("the order is %v", order)
		}
	})
}

func TestRunShutsDown(t *testing.T) {
	var left *strand.Strand
	ready := strand.NewChan[int](0)
	err := strand.Run(guarded(t), sched.Config{Workers: 1}, func(s *strand.Strand) (err error) {
		if left, err = strand.Go(s, func(s *strand.Strand) error {
			if err := ready.Send(s, 1); err != nil {
				return err
			}
			return s.Park()
		}); err != nil {
			return err
		}
		if _, err := ready.Receive(s); err != nil {
			return err
		}
		return errBroken
	})
	is(t, err, errBroken)
	if !left.State().Ended() {
		t.Error("a strand is left when the main one has ended")
	}
	is(t, left.Join(context.Background()), strand.ErrMainEnded)
}

func TestRunEndsWithItsContext(t *testing.T) {
	ctx, cancel := context.WithCancelCause(guarded(t))
	err := strand.Run(ctx, sched.Config{Workers: 1}, func(s *strand.Strand) error {
		cancel(errBroken)
		return s.Park()
	})
	is(t, err, errBroken)
	if err := strand.Run(ctx, sched.Config{Workers: -1}, func(*strand.Strand) error { return nil }); err == nil || errors.Is(err, errBroken) {
		t.Errorf("a wrong configuration is told as %v", err)
	}
}
