package strand_test

import (
	"context"
	"testing"

	"github.com/troupe-go/troupe/sched"
	"github.com/troupe-go/troupe/simtest"
	"github.com/troupe-go/troupe/strand"
)

// TestEndOfTheContextReachesAll has strands start strands, which wait when the
// context of the first ends, have not begun, or ask for the channel.
func TestEndOfTheContextReachesAll(t *testing.T) {
	simtest.Run(t, simtest.Config{}, func(s *simtest.Sim) {
		sc := s.Scheduler(sched.Config{})
		ctx, cancel := context.WithCancelCause(s.Context())
		var below []*strand.Strand
		root, err := strand.Go(ctx, func(s *strand.Strand) error {
			for _, fn := range []func(s *strand.Strand) error{
				(*strand.Strand).Park,
				func(s *strand.Strand) error { return strand.NewChan[int](0).Send(s, 1) },
				func(s *strand.Strand) error {
					derived, stop := context.WithCancel(s) // It asks for Done.
					defer stop()
					_, err := strand.NewChan[int](0).Receive(derived)
					return err
				},
				func(s *strand.Strand) error {
					one, err := strand.Go(s, (*strand.Strand).Park)
					below = append(below, one)
					return err
				},
			} {
				one, err := strand.Go(s, fn)
				if err != nil {
					return err
				}
				below = append(below, one)
			}
			return nil
		}, strand.On(sc))
		if err != nil {
			s.Fatal(err)
		}
		if err := root.Join(s.Context()); err != nil {
			s.Fatal(err)
		}
		if s.Rand().IntN(2) == 0 {
			s.RunUntilIdle() // Else most have not begun.
		}
		cancel(errBroken)
		s.RunUntilIdle()
		waiting := 0
		for _, one := range below {
			if !one.State().Ended() {
				s.Errorf("%v has not ended", one)
			}
			if err := one.Join(s.Context()); err != nil {
				is(s, err, errBroken)
				waiting++
			}
		}
		if waiting != 4 {
			s.Errorf("%d were cut short, want 4", waiting)
		}
	})
}

// TestContextThatNeverEndsIsHandedDown has strands started with such a context, and
// one of theirs, see its values.
func TestContextThatNeverEndsIsHandedDown(t *testing.T) {
	ctx := guarded(t)
	sc := newScheduler(t, 1)
	type key struct{}
	for _, above := range []context.Context{context.Background(), context.TODO(), context.WithValue(context.Background(), key{}, 1)} {
		want := above.Value(key{})
		s := start(t, above, func(s *strand.Strand) error {
			below, err := strand.Go(s, func(below *strand.Strand) error {
				if got := below.Value(key{}); got != want || below.Parent() != above {
					t.Errorf("a strand of a strand sees %v, derived from %v, want %v of %v", got, below.Parent(), want, above)
				}
				return nil
			})
			if err != nil {
				return err
			}
			if got := s.Value(key{}); got != want || s.Parent() != above {
				t.Errorf("it sees %v, derived from %v, want %v of %v", got, s.Parent(), want, above)
			}
			return below.Join(s)
		}, strand.On(sc))
		join(t, ctx, s)
	}
}
