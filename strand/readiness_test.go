package strand_test

import (
	"context"
	"errors"
	"math/rand/v2"
	"net"
	"runtime"
	"sync/atomic"
	"testing"

	"github.com/troupe-go/troupe/internal/lane"
	"github.com/troupe-go/troupe/internal/patience"
	"github.com/troupe-go/troupe/strand"
)

// TestNoChangeIsMissed has a goroutine report changes as fast as strands, which take turns,
// can wait for them: each change comes at the beginning, the middle or the end of a wait. The
// goroutine may still look for the last waiter while the next one enters itself. The race
// detector checks that.
func TestNoChangeIsMissed(t *testing.T) {
	lane.Short(t)
	const changes, parties = 60_000, 3
	ctx := guarded(t)
	sc := newScheduler(t, 2)
	var r strand.Readiness
	var told, seen atomic.Int64
	var reading strand.Mutex // One uses a direction at a time.
	read := func(s *strand.Strand) error {
		for seen.Load() < changes {
			if err := reading.Lock(s); err != nil {
				return err
			}
			r.Begin()
			now := told.Load()
			var err error
			if now == seen.Load() && now < changes {
				err = r.Wait(s)
			}
			seen.Store(now)
			if err := errors.Join(err, reading.Unlock(s)); err != nil {
				return err
			}
			s.Yield() // The next wait is another strand's.
		}
		return nil
	}
	moments := rand.New(rand.NewPCG(1, 2))
	var all []*strand.Strand
	for range parties {
		all = append(all, start(t, ctx, read, strand.On(sc)))
	}
	for i := range int64(changes) {
		for range moments.IntN(600) {
			runtime.KeepAlive(i) // So that the change comes at any moment.
		}
		told.Add(1)
		r.Changed()
		if i%4 != 0 { // Else most of them come while nobody waits.
			patience.Until(t, ctx, func() bool { return seen.Load() == i+1 })
		}
	}
	for _, s := range all {
		join(t, ctx, s)
	}
}

// TestWaitsForAChangeEnd cancels a wait, has the next one told of a change, and
// closes under the last.
func TestWaitsForAChangeEnd(t *testing.T) {
	run(t, 1, func(s *strand.Strand) error {
		var r strand.Readiness
		for _, c := range []struct {
			end  func(cancel context.CancelCauseFunc)
			want error
		}{
			{func(cancel context.CancelCauseFunc) { cancel(errBroken) }, errBroken},
			{func(context.CancelCauseFunc) { r.Changed() }, nil},
			{func(context.CancelCauseFunc) { r.Close() }, net.ErrClosed},
			{func(context.CancelCauseFunc) { r.Changed() }, net.ErrClosed},
		} {
			ctx, cancel := context.WithCancelCause(s)
			if _, err := strand.Go(s, func(*strand.Strand) error { c.end(cancel); return nil }); err != nil {
				return err
			}
			if err := r.Wait(ctx); !errors.Is(err, c.want) {
				t.Errorf("the wait ended with %v, want %v", err, c.want)
			}
			r.Begin()
			cancel(nil)
		}
		return nil
	})
}
