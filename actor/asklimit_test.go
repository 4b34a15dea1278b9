package actor_test

import (
	"context"
	"errors"
	"slices"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/troupe-go/troupe/actor"
	"github.com/troupe-go/troupe/simtest"
)

// forget answers nothing.
func forget(*actor.Context[question], question) error { return nil }

// wantTimeout fails unless an ask has ended by its default limit, at its time.
func wantTimeout(t *testing.T, err error, took, limit time.Duration, says ...string) {
	t.Helper()
	if !errors.Is(err, actor.ErrAskTimeout) || !errors.Is(err, context.DeadlineExceeded) {
		t.Fatalf("the ask ended with %v, want ErrAskTimeout", err)
	}
	if took < limit || took > limit+limit/8 {
		t.Errorf("it took %v, want %v and an eighth at most", took, limit)
	}
	for _, s := range says {
		if !strings.Contains(err.Error(), s) {
			t.Errorf("%q does not say %q", err, s)
		}
	}
}

// Each of these asks had waited for ever.
func TestForgottenReplies(t *testing.T) {
	type key struct{}
	asks := map[string]func(ctx context.Context, sys *actor.System, to actor.Ref[question]) error{
		"plain": func(ctx context.Context, _ *actor.System, to actor.Ref[question]) error {
			_, err := actor.Ask(ctx, to, asking(1))
			return err
		},
		"on Control": func(ctx context.Context, _ *actor.System, to actor.Ref[question]) error {
			_, err := actor.Ask(ctx, to.On(actor.Control), asking(1))
			return err
		},
		"with a value": func(ctx context.Context, _ *actor.System, to actor.Ref[question]) error {
			_, err := actor.Ask(context.WithValue(ctx, key{}, 1), to, asking(1))
			return err
		},
		"that can be cancelled": func(ctx context.Context, _ *actor.System, to actor.Ref[question]) error {
			ctx, cancel := context.WithCancel(ctx)
			defer cancel()
			_, err := actor.Ask(ctx, to, asking(1))
			return err
		},
		"by a Deliverer": func(ctx context.Context, sys *actor.System, to actor.Ref[question]) error {
			_, err := actor.AskBy(ctx, sys, toOne[question]{to}, asking(1))
			return err
		},
		"of all": func(ctx context.Context, _ *actor.System, to actor.Ref[question]) error {
			all := actor.AskAll(ctx, []actor.Ref[question]{to, to}, asking(1))
			return errors.Join(all[0].Err, all[1].Err)
		},
		"of a quorum": func(ctx context.Context, _ *actor.System, to actor.Ref[question]) error {
			_, err := actor.AskQuorum(ctx, []actor.Ref[question]{to, to}, 1, asking(1))
			return err
		},
		"of a Gather": func(ctx context.Context, _ *actor.System, to actor.Ref[question]) error {
			var a actor.Answer[int]
			return actor.Gather(ctx, actor.Into(&a, to, asking(1)))
		},
	}
	for name, ask := range asks {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				sys := newSystem(t, actor.Config{})
				to := spawn(t, sys, forget, actor.WithName("forgetful"))
				begin := time.Now()
				err := ask(context.Background(), sys, to)
				wantTimeout(t, err, time.Since(begin), 5*time.Second, "ask forgetful<", "actor_test.question within 5s", "its handler returned without a reply")
				for _, mode := range []actor.Option{actor.WithName("asker"), actor.WithReentrancy(actor.FullReentrancy)} {
					begin = time.Now()
					asker := spawn(t, sys, run, mode)
					err = let(actor.WithoutAskTimeout(context.Background()), asker, func(c *actor.Context[instruction]) error { return ask(c, sys, to) })
					wantTimeout(t, err, time.Since(begin), 5*time.Second)
				}
				st := sys.Stats()
				if st.AskTimeouts == 0 || st.AskTimeouts != st.Forgotten {
					t.Errorf("the system has counted %d asks and %d forgotten replies", st.AskTimeouts, st.Forgotten)
				}
			})
		})
	}
}

type toOne[M any] struct{ ref actor.Ref[M] }

func (d toOne[M]) Deliver(ctx context.Context, m M) (actor.Ref[M], error) {
	return d.ref, d.ref.Send(ctx, m)
}

// An answer that comes before the limit is not lost, though many others have not come.
func TestAnswersWithinTheLimit(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		sys := newSystem(t, actor.Config{AskTimeout: time.Second})
		late := spawn(t, sys, func(c *actor.Context[question], q question) error {
			time.AfterFunc(time.Duration(q.n)*time.Millisecond, func() { _ = q.reply.Send(context.Background(), q.n) })
			return nil
		})
		const n = 100
		done := make(chan error, n)
		for i := range n {
			go func() {
				begin := time.Now()
				after := 25 * i
				got, err := actor.Ask(context.Background(), late, asking(after))
				switch took := time.Since(begin); {
				case after < 1000 && (got != after || err != nil), after > 1125 && !errors.Is(err, actor.ErrAskTimeout), took > 1125*time.Millisecond:
					done <- errors.Join(errors.New("an ask has ended otherwise"), err)
				default:
					done <- nil
				}
			}()
		}
		for range n {
			wantNoErr(t, <-done)
		}
	})
}

func TestAsksWithoutALimit(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		unlimited, limited := newSystem(t, actor.Config{AskTimeout: -1}), newSystem(t, actor.Config{})
		begin := time.Now()
		const long = time.Hour
		ctx, cancel := context.WithTimeout(context.Background(), long)
		defer cancel()
		_, err := actor.Ask(ctx, spawn(t, limited, forget), asking(1))
		if errors.Is(err, actor.ErrAskTimeout) || !errors.Is(err, context.DeadlineExceeded) || time.Since(begin) != long {
			t.Errorf("an ask with a deadline ended with %v after %v", err, time.Since(begin))
		}
		slow := func(c *actor.Context[question], q question) error {
			time.AfterFunc(long, func() { _ = q.reply.Send(context.Background(), q.n) })
			return nil
		}
		_, err = actor.Ask(context.Background(), spawn(t, unlimited, slow), asking(1))
		wantNoErr(t, err)
		_, err = actor.Ask(actor.WithoutAskTimeout(context.Background()), spawn(t, limited, slow), asking(1))
		wantNoErr(t, err)
	})
}

// WithoutAskTimeout is about the asks of one caller, and does not go on with them.
func TestOptingOutIsNotInherited(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		sys := newSystem(t, actor.Config{})
		to, asker := spawn(t, sys, forget), spawn(t, sys, run)
		begin := time.Now()
		err := let(actor.WithoutAskTimeout(context.Background()), asker, func(c *actor.Context[instruction]) error {
			_, err := actor.Ask(c, to, asking(1))
			return err
		})
		wantTimeout(t, err, time.Since(begin), 5*time.Second)
	})
}

// The limit holds for an ask whose message waits, in a lane or for room in it.
func TestAskOfAnActorThatIsHeldUp(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		sys := newSystem(t, actor.Config{})
		to := spawn(t, sys, answer, actor.WithName("held"), actor.WithCapacity(actor.Data, 1))
		wantNoErr(t, sys.Suspend(to.PID()))
		for range 2 {
			begin := time.Now()
			_, err := actor.Ask(context.Background(), to, asking(1))
			wantTimeout(t, err, time.Since(begin), 5*time.Second, "held<", "WithoutAskTimeout")
		}
		if st := sys.Stats(); st.AskTimeouts != 2 || st.Forgotten != 0 {
			t.Errorf("the system has counted %d asks and %d forgotten replies", st.AskTimeouts, st.Forgotten)
		}
		all := actor.AskAll(context.Background(), []actor.Ref[question]{to}, asking(1))
		wantErr(t, all[0].Err, actor.ErrAskTimeout)
		wantNoErr(t, sys.Resume(to.PID()))
	})
}

// The handler's context ends with an ask that has one of its own.
func TestHandlerLearnsOfTheLimit(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		sys := newSystem(t, actor.Config{})
		ended := make(chan error, 1)
		to := spawn(t, sys, func(c *actor.Context[question], q question) error {
			<-c.Done()
			ended <- context.Cause(c)
			return q.reply.Send(c, 1)
		}, actor.WithBackend(actor.OnBlocking))
		ctx, cancel := context.WithCancel(context.Background())
		defer cancel()
		_, err := actor.Ask(ctx, to, asking(1))
		wantErr(t, err, actor.ErrAskTimeout)
		wantErr(t, <-ended, actor.ErrLateReply)
		synctest.Wait()
		if n := sys.Stats().LateReplies; n != 1 {
			t.Errorf("%d late replies, want 1", n)
		}
	})
}

// A forgotten reply had no trace in Waits.
func TestWaitsShowForgottenReplies(t *testing.T) {
	ctx := guarded(t)
	sys := newSystem(t, actor.Config{AskTimeout: -1})
	to := spawn(t, sys, forget, actor.WithName("forgetful"))
	asker := spawn(t, sys, run, actor.WithName("asker"))
	send(t, ctx, asker, instruction{do: func(c *actor.Context[instruction]) error {
		_, err := actor.Ask(c, to, asking(1))
		return err
	}})
	forgotten := func(w actor.Wait) bool { return w.Returned && w.PID == asker.PID() && w.On == to.PID() }
	until(t, ctx, func() bool { return slices.ContainsFunc(sys.Waits(), forgotten) })
	wantNoErr(t, to.Stop(ctx))
	waits := sys.Waits()
	if len(waits) != 1 || !forgotten(waits[0]) || !strings.Contains(waits[0].String(), "whose handler returned without a reply") {
		t.Errorf("the waits are %v", waits)
	}
	info, err := asker.Info()
	wantNoErr(t, err)
	if !slices.ContainsFunc(info.Waits, forgotten) {
		t.Errorf("the asker waits for %v", info.Waits)
	}
	wantNoErr(t, asker.Kill())
}

// In a simulation there is no limit: the deadlock is told, with who waits for whom.
func TestForgottenReplyInASimulation(t *testing.T) {
	f, err := simtest.Find(t, simtest.Config{Schedules: 1}, func(s *simtest.Sim) {
		sys := s.System(actor.Config{})
		to := spawn(s, sys, forget, actor.WithName("forgetful"))
		asker := spawn(s, sys, run, actor.WithName("asker"))
		_ = let(context.Background(), asker, func(c *actor.Context[instruction]) error {
			_, err := actor.Ask(c, to, asking(1))
			return err
		})
	})
	wantNoErr(t, err)
	if f == nil {
		t.Fatal("nothing was found")
	}
	for _, want := range []string{"deadlock", "for the answer of forgetful", "its handler has returned without a reply"} {
		if !strings.Contains(f.Messages[0], want) {
			t.Errorf("%q is not in %q", want, f.Messages[0])
		}
	}
}

// Sweeps end when there are no asks, and begin again.
func TestSweepsOfAsksEnd(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		sys := newSystem(t, actor.Config{})
		to, forgetful := spawn(t, sys, answer), spawn(t, sys, forget)
		if actor.SweepsAsks(sys) {
			t.Error("there are sweeps before the first ask")
		}
		for range 3 {
			_, err := actor.Ask(context.Background(), to, asking(1))
			wantNoErr(t, err)
			if !actor.SweepsAsks(sys) {
				t.Error("there are no sweeps after an ask")
			}
			pass(time.Hour)
			if actor.SweepsAsks(sys) {
				t.Error("there are sweeps without asks")
			}
		}
		begin := time.Now()
		_, err := actor.Ask(context.Background(), forgetful, asking(1))
		wantTimeout(t, err, time.Since(begin), 5*time.Second)
	})
}
