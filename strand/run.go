package strand

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/troupe-go/troupe/sched"
)

// grace is how long Run waits for the strands that main has left behind. Picked
// out of thin air: a strand that heeds its context needs much less.
const grace = 5 * time.Second

// Run runs main as the first strand on a scheduler of its own, and shuts that down
// when main has ended: the contexts of all strands that were started below main
// end with the cause [ErrMainEnded], and Run waits for them for 5 s at most. It
// returns what main did. If something is left after that time, because it heeds
// no cancellation, the error says how much, and it goes on to its end.
//
// When ctx ends, so does main's context, and the rest is up to main.
func Run(ctx context.Context, cfg sched.Config, main func(s *Strand) error) error {
	switch {
	case ctx == nil:
		return errNilContext
	case main == nil:
		return errNilFunction
	}
	sc, err := sched.New(cfg)
	if err != nil {
		return err
	}
	all, cancel := context.WithCancelCause(ctx)
	defer cancel(ErrMainEnded)
	s, err := Go(all, main, On(sc), Name("main"))
	if err == nil {
		err = s.Join(context.WithoutCancel(ctx))
	}
	cancel(ErrMainEnded)
	limit, stop := context.WithTimeout(context.WithoutCancel(ctx), grace)
	defer stop()
	if left := sc.Stop(limit); left != nil {
		err = errors.Join(err, fmt.Errorf("strand: the main strand has ended, others have not: %w", left))
	}
	return err
}
