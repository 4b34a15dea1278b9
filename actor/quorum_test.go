package actor_test

import (
	"context"
	"errors"
	"testing"

	"github.com/troupe-go/troupe/actor"
	"github.com/troupe-go/troupe/internal/simulated"
	"github.com/troupe-go/troupe/simtest"
)

func TestAskQuorum(t *testing.T) { simulated.Too(t, testAskQuorum) }

func testAskQuorum(t testing.TB) {
	ctx := guarded(t)
	sys := newSystem(t, actor.Config{})
	good := spawn(t, sys, answer)
	odd := spawn(t, sys, func(c *actor.Context[question], q question) error { return q.reply.Fail(c, errOdd) })
	never := spawnActor(t, sys, &questionKeeper{})
	refs := func(all ...actor.Ref[question]) []actor.Ref[question] { return all }
	everywhere(t, ctx, sys, func(c context.Context) {
		answers, err := actor.AskQuorum(c, refs(never, odd, good, good, never), 2, asking(1))
		wantNoErr(t, err)
		if answers[2].Value != 2 || answers[3].Value != 2 {
			t.Errorf("the answers are %s", summary(answers))
		}
		wantSummary(t, append(answers[:1:1], answers[4]), "notneeded notneeded")
		answers, err = actor.AskQuorum(c, refs(never, odd, odd), 2, asking(1)) // Two have failed: there can't be two.
		wantErr(t, err, errOdd)
		wantSummary(t, answers, "notneeded odd odd")
		answers, err = actor.AskQuorum(c, refs(good, good), 2, asking(1))
		wantNoErr(t, err)
		wantSummary(t, answers, "2 2")
		answers, err = actor.AskQuorum(c, refs(good, good), 0, func(actor.Reply[int]) question {
			t.Error("a quorum of nobody asks")
			return question{}
		})
		wantNoErr(t, err)
		wantSummary(t, answers, "notneeded notneeded")
		for _, n := range []int{-1, 2} {
			if _, err := actor.AskQuorum(c, refs(good), n, asking(1)); err == nil {
				t.Errorf("a quorum of %d among one is no error", n)
			}
		}
		x, cancel := context.WithCancel(c)
		cancel()
		_, err = actor.AskQuorum(x, refs(good), 1, asking(1))
		wantErr(t, err, context.Canceled)
	})
}

// An asker that needs one answer of two is not in a ring through one of the two, as long as
// the other may answer.
func TestQuorumAndRings(t *testing.T) {
	for name, fails := range map[string]bool{"the other answers": false, "the other fails": true} {
		t.Run(name, func(t *testing.T) {
			simtest.Run(t, simtest.Config{Schedules: 200}, func(s *simtest.Sim) {
				sys := s.System(actor.Config{})
				all := named(s, sys, "a", "b", "sink")
				kept := &questionKeeper{}
				sink := spawnActor(s, sys, kept)
				other := spawn(s, sys, func(c *actor.Context[instruction], e instruction) error {
					if _, err := actor.Ask(c, sink, asking(1)); err != nil {
						return e.reply.Fail(c, err)
					}
					return e.reply.Send(c, nil)
				})
				inner := errors.New("not asked")
				msg := lets(map[string]func(*actor.Context[instruction]) error{
					"b": func(c *actor.Context[instruction]) error {
						inner = let(c, all["a"], nil)
						return inner
					},
				})
				var answers []actor.Answer[error]
				var err error
				over := false
				send(s, s.Context(), all["a"], instruction{do: func(c *actor.Context[instruction]) error {
					answers, err = actor.AskQuorum(c, []instructedRef{all["b"], other}, 1, msg)
					over = true
					return nil
				}})
				s.RunUntilIdle()
				if over {
					s.Fatalf("a ring was found that is none: %v, %v", err, inner)
				}
				withHandler(s, s.Context(), sys, func(c context.Context) {
					if fails {
						wantNoErr(s, kept.kept[0].reply.Fail(c, errOdd))
					} else {
						wantNoErr(s, kept.kept[0].reply.Send(c, 1))
					}
				})
				s.RunUntilIdle()
				switch {
				case !over:
					s.Fatalf("the last hope has gone, and nobody sees the ring: %v", sys.Waits())
				case !fails:
					wantNoErr(s, err)
					wantErr(s, answers[0].Err, actor.ErrNotNeeded)
				default:
					wantErr(s, err, errOdd)
					_ = wantRing(s, answers[0].Err, "a", "b")
				}
				wantNoErr(s, inner) // It had its turn in the end.
				if waits := sys.Waits(); len(waits) != 0 {
					s.Errorf("somebody waits: %v", waits)
				}
			})
		})
	}
}

// A lane that is full keeps nobody from going on who has enough, and what waited for
// room there is taken back, or comes in time.
func TestQuorumBesideAFullLane(t *testing.T) {
	simtest.Run(t, simtest.Config{Schedules: 30}, func(s *simtest.Sim) {
		sys := s.System(actor.Config{})
		kept, good := &questionKeeper{}, spawn(s, sys, answer)
		sink := spawnActor(s, sys, kept)
		full := spawn(s, sys, busy(sink), actor.WithCapacity(actor.Data, 1))
		for range 2 {
			send(s, s.Context(), full, question{})
			s.RunUntilIdle()
		}
		everywhere(s, s.Context(), sys, func(c context.Context) {
			answers, err := actor.AskQuorum(c, []actor.Ref[question]{full, full, good}, 1, asking(1))
			wantNoErr(s, err)
			wantSummary(s, answers, "notneeded notneeded 2")
		})
		info, err := full.Info()
		wantNoErr(s, err)
		if info.Senders[actor.Data] != 0 {
			s.Errorf("%d senders wait", info.Senders[actor.Data])
		}
		var answers []actor.Answer[int]
		withHandler(s, s.Context(), sys, func(c context.Context) {
			all := spawn(s, sys, run)
			send(s, c, all, instruction{do: func(c *actor.Context[instruction]) error {
				answers = actor.AskAll(c, []actor.Ref[question]{full, good, full}, asking(5))
				return nil
			}})
		})
		for i := range 4 { // The two from the beginning, and the two of AskAll.
			s.RunUntilIdle()
			withHandler(s, s.Context(), sys, func(c context.Context) { wantNoErr(s, kept.kept[i].reply.Send(c, 10+i)) })
		}
		s.RunUntilIdle()
		wantSummary(s, answers, "12 6 13")
		// An actor that stops refuses messages that wait for room.
		for range 2 {
			send(s, s.Context(), full, question{})
			s.RunUntilIdle()
		}
		answers = nil
		all := spawn(s, sys, run)
		send(s, s.Context(), all, instruction{do: func(c *actor.Context[instruction]) error {
			answers = actor.AskAll(c, []actor.Ref[question]{full, good, full}, asking(5))
			return nil
		}})
		s.RunUntilIdle()
		wantNoErr(s, full.Kill())
		s.RunUntilIdle()
		wantSummary(s, answers, "stopped 6 stopped")
	})
}
