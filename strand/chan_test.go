package strand_test

import (
	"context"
	"errors"
	"fmt"
	"regexp"
	"slices"
	"testing"
	"time"

	"github.com/troupe-go/troupe/sched"
	"github.com/troupe-go/troupe/simtest"
	"github.com/troupe-go/troupe/strand"
)

// TestChanUnderAnySchedule has several strands and the body send and receive, by all ways that
// there are. Each value that goes in comes out once, and one sender's values come out in its
// order.
func TestChanUnderAnySchedule(t *testing.T) {
	for capacity := range 3 {
		t.Run(fmt.Sprint(capacity), func(t *testing.T) {
			simtest.Run(t, simtest.Config{}, func(s *simtest.Sim) {
				sc := s.Scheduler(sched.Config{})
				c, spare := strand.NewChan[[2]int](capacity), strand.NewChan[[2]int](0)
				const senders, each = 3, 4
				var all strand.WaitGroup
				for i := range senders {
					fn := func(s *strand.Strand) error {
						for n := range each {
							if i == 0 {
								if _, err := strand.Select(s, spare.ToReceive(nil), c.ToSend([2]int{i, n})); err != nil {
									return err
								}
							} else if err := c.Send(s, [2]int{i, n}); err != nil {
								return err
							}
						}
						return nil
					}
					if _, err := all.Go(s.Context(), fn, strand.On(sc), strand.Name(fmt.Sprint("sender ", i))); err != nil {
						s.Fatal(err)
					}
				}
				var got [senders][]int
				take := func(v [2]int) { got[v[0]] = append(got[v[0]], v[1]) }
				receiver, err := strand.Go(s.Context(), func(s *strand.Strand) error {
					for {
						var v [2]int
						switch _, err := strand.Select(s, c.ToReceive(&v), spare.ToReceive(nil)); {
						case errors.Is(err, strand.ErrClosed):
							return nil
						case err != nil:
							return err
						}
						take(v)
					}
				}, strand.On(sc), strand.Name("receiver"))
				if err != nil {
					s.Fatal(err)
				}
				v, err := c.Receive(s.Context()) // The body.
				if err != nil {
					s.Fatal(err)
				}
				body := v
				if err := all.Wait(s.Context()); err != nil {
					s.Fatal(err)
				}
				if err := c.Close(s.Context()); err != nil {
					s.Fatal(err)
				}
				if err := receiver.Join(s.Context()); err != nil {
					s.Fatal(err)
				}
				for i := range got {
					if !slices.IsSorted(got[i]) {
						s.Errorf("the values of sender %d came as %v", i, got[i])
					}
					if i == body[0] {
						got[i] = append(got[i], body[1])
					}
					slices.Sort(got[i])
					if want := []int{0, 1, 2, 3}; !slices.Equal(got[i], want) {
						s.Errorf("of sender %d came %v, want %v", i, got[i], want)
					}
				}
			})
		})
	}
}

// TestTwoSelectsExchangeValues has two strands that both send to the other and receive from
// it by selects: each exchange is one value.
func TestTwoSelectsExchangeValues(t *testing.T) {
	simtest.Run(t, simtest.Config{}, func(s *simtest.Sim) {
		sc := s.Scheduler(sched.Config{})
		x, y := strand.NewChan[int](0), strand.NewChan[int](0)
		sent, received := 0, 0
		var all strand.WaitGroup
		for i := range 2 {
			to, from := x, y
			if i == 1 {
				to, from = y, x
			}
			if _, err := all.Go(s.Context(), func(s *strand.Strand) error {
				for range 3 {
					switch at, err := strand.Select(s, to.ToSend(1), from.ToReceive(nil), strand.After(time.Hour)); {
					case err != nil:
						return err
					case at == 0:
						sent++
					case at == 1:
						received++
					}
				}
				return nil
			}, strand.On(sc)); err != nil {
				s.Fatal(err)
			}
		}
		if err := all.Wait(s.Context()); err != nil {
			s.Fatal(err)
		}
		if sent != received || sent != 3 {
			s.Errorf("%d were sent and %d received, want 3", sent, received)
		}
	})
}

// TestDeadlockIsFound has two strands take two mutexes in opposite order, which
// goes wrong under some schedules; the finding names both and what they wait for.
func TestDeadlockIsFound(t *testing.T) {
	t.Setenv("TROUPE_SCHEDULES", "100") // There is one in ten or so.
	found, err := simtest.Find(t, simtest.Config{}, func(s *simtest.Sim) {
		sc := s.Scheduler(sched.Config{})
		var one, two strand.Mutex
		lock := func(name string, first, second *strand.Mutex) {
			_, err := strand.Go(s.Context(), func(s *strand.Strand) error {
				return errors.Join(first.Lock(s), second.Lock(s), second.Unlock(s), first.Unlock(s))
			}, strand.On(sc), strand.Name(name))
			if err != nil {
				s.Fatal(err)
			}
		}
		lock("ann", &one, &two)
		lock("bob", &two, &one)
	})
	if err != nil || found == nil {
		t.Fatalf("nothing was found: %v", err)
	}
	for _, want := range []string{"ann waits for mutex [12], which bob holds", "bob waits for mutex [12], which ann holds"} {
		if !regexp.MustCompile(want).MatchString(found.String()) {
			t.Errorf("the finding does not say %q:\n%v", want, found)
		}
	}
}

func TestCloseTellsAll(t *testing.T) {
	run(t, 1, func(s *strand.Strand) error {
		full, empty := strand.NewChan[int](1), strand.NewChan[int](0)
		if err := full.Send(s, 1); err != nil {
			return err
		}
		var all []*strand.Strand
		for _, fn := range []func(s *strand.Strand) error{
			func(s *strand.Strand) error { return full.Send(s, 2) },
			func(s *strand.Strand) error { _, err := empty.Receive(s); return err },
			func(s *strand.Strand) error {
				_, err := strand.Select(s, full.ToSend(3), empty.ToReceive(nil))
				return err
			},
		} {
			one, err := strand.Go(s, fn)
			if err != nil {
				return err
			}
			all = append(all, one)
		}
		s.Yield()
		for _, c := range []*strand.Chan[int]{full, empty} {
			if err := c.Close(s); err != nil {
				return err
			}
			is(t, c.Close(s), strand.ErrClosed)
		}
		for _, one := range all {
			is(t, one.Join(s), strand.ErrClosed)
		}
		if v, err := full.Receive(s); v != 1 || err != nil {
			t.Errorf("what was in the channel came as %d, %v", v, err)
		}
		_, err := full.Receive(s)
		is(t, err, strand.ErrClosed)
		is(t, full.Send(s, 1), strand.ErrClosed)
		return nil
	})
}

// TestCancelledOperationsLeaveNothing cancels waiting strands, and checks that neither a value
// nor a place goes with them.
func TestCancelledOperationsLeaveNothing(t *testing.T) {
	run(t, 1, func(s *strand.Strand) error {
		c, other := strand.NewChan[int](0), strand.NewChan[int](0)
		for _, fn := range []func(ctx context.Context) error{
			func(ctx context.Context) error { return c.Send(ctx, 13) },
			func(ctx context.Context) error { _, err := c.Receive(ctx); return err },
			func(ctx context.Context) error {
				_, err := strand.Select(ctx, other.ToReceive(nil), c.ToSend(13))
				return err
			},
		} {
			ctx, cancel := context.WithCancelCause(s)
			defer cancel(nil)
			waiter, err := strand.Go(ctx, func(s *strand.Strand) error { return fn(s) })
			if err != nil {
				return err
			}
			s.Yield()
			cancel(errBroken)
			is(t, waiter.Join(s), errBroken)
			if _, ok, err := c.TryReceive(s); ok || err != nil {
				t.Errorf("a value came of one who was cancelled: %v", err)
			}
			if ok, err := c.TrySend(s, 1); ok || err != nil {
				t.Errorf("a value went to one who was cancelled: %v", err)
			}
		}
		return nil
	})
}

// TestSelectIsFair has all cases ready all the time.
func TestSelectIsFair(t *testing.T) {
	run(t, 1, func(s *strand.Strand) error {
		var counts [3]int
		var cs [3]*strand.Chan[int]
		for i := range cs {
			cs[i] = strand.NewChan[int](100)
			for v := range 100 {
				if err := cs[i].Send(s, v); err != nil {
					return err
				}
			}
		}
		for range 90 {
			at, err := strand.Select(s, cs[0].ToReceive(nil), cs[1].ToReceive(nil), cs[2].ToReceive(nil))
			if err != nil {
				return err
			}
			counts[at]++
		}
		if counts != [3]int{30, 30, 30} {
			t.Errorf("the cases were taken %v times", counts)
		}
		if at, err := strand.TrySelect(s, strand.NewChan[int](0).ToReceive(nil)); at != -1 || err != nil {
			t.Errorf("an empty channel was received from: %d, %v", at, err)
		}
		return nil
	})
}

func TestMutexIsHeldAcrossWaits(t *testing.T) {
	simtest.Run(t, simtest.Config{}, func(s *simtest.Sim) {
		sc := s.Scheduler(sched.Config{})
		var m strand.Mutex
		var all strand.WaitGroup
		inside, sum := 0, 0
		for range 4 {
			if _, err := all.Go(s.Context(), func(s *strand.Strand) error {
				for range 2 {
					if err := m.Lock(s); err != nil {
						return err
					}
					if inside++; inside != 1 {
						return errBroken
					}
					s.Yield()
					sum++
					inside--
					if err := m.Unlock(s); err != nil {
						return err
					}
				}
				return nil
			}, strand.On(sc)); err != nil {
				s.Fatal(err)
			}
		}
		if err := m.Lock(s.Context()); err != nil {
			s.Fatal(err)
		}
		if inside != 0 {
			s.Error("the body has it while a strand does")
		}
		if err := m.Unlock(s.Context()); err != nil {
			s.Fatal(err)
		}
		if err := all.Wait(s.Context()); err != nil {
			s.Fatal(err)
		}
		if sum != 8 || !m.TryLock() {
			s.Errorf("it was had %d times, want 8, and must be free", sum)
		}
	})
}
