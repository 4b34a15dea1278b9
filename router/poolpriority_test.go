package router_test

import (
	"context"
	"errors"
	"slices"
	"strings"
	"testing"

	"github.com/troupe-go/troupe/actor"
	"github.com/troupe-go/troupe/router"
	"github.com/troupe-go/troupe/sched"
)

// The only worker has a task of each of two pools queued, the less urgent one first.
func TestPoolPriority(t *testing.T) {
	ctx := guarded(t)
	s, err := sched.New(sched.Config{Workers: 1, MaxSpares: -1})
	wantNoErr(t, err)
	t.Cleanup(func() { wantNoErr(t, s.Stop(guarded(t))) })
	sys := newSystem(t, actor.Config{Scheduler: s})
	var order []string // All tasks run on one worker.
	pool := func(p sched.Priority) *router.Pool[string, int] {
		return newPool(t, sys, router.PoolConfig[string, int]{Priority: p, Do: func(_ context.Context, name string) (int, error) {
			order = append(order, name)
			return 0, nil
		}})
	}
	low, unset, high := pool(sched.Low), pool(0), pool(sched.High)
	both, err := s.Go(ctx, func(ctx context.Context) error {
		return errors.Join(low.Send(ctx, "low"), unset.Send(ctx, "normal"), high.Send(ctx, "high"))
	})
	wantNoErr(t, err)
	wantNoErr(t, both.Wait(ctx))
	for _, p := range []*router.Pool[string, int]{low, unset, high} {
		wantNoErr(t, p.Drain(ctx))
	}
	if want := []string{"high", "normal", "low"}; !slices.Equal(order, want) {
		t.Errorf("done in the order %v, want %v", order, want)
	}
	_, err = router.NewPool(sys, router.PoolConfig[int, int]{Priority: 7, Do: func(context.Context, int) (int, error) { return 0, nil }})
	if want := "PoolConfig.Priority is Priority(7)"; err == nil || !strings.Contains(err.Error(), want) {
		t.Errorf("got error %v, want one that says %q", err, want)
	}
}
