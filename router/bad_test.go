package router_test

import (
	"context"
	"fmt"
	"math"
	"strings"
	"testing"
	"time"

	"github.com/troupe-go/troupe/actor"
	"github.com/troupe-go/troupe/router"
)

// Pools that there are not say so.
func TestNoPool(t *testing.T) {
	ctx := guarded(t)
	one := func(yield func(int) bool) { yield(1) }
	for _, p := range []*router.Pool[int, int]{nil, {}} {
		_, askErr := p.Ask(ctx, 1)
		for _, err := range []error{p.Send(ctx, 1), p.TrySend(ctx, 1), p.On(actor.Control).Send(ctx, 1), askErr, p.Stop(ctx), p.Drain(ctx)} {
			wantErr(t, err, router.ErrNoPool)
		}
		results := 0
		for _, err := range p.Map(ctx, one) {
			wantErr(t, err, router.ErrNoPool)
			results++
		}
		wantEqual(t, "results", results, 1)
		wantErr(t, p.Ref().Send(ctx, 1), actor.ErrNoRef)
		wantEqual(t, "name", p.String(), "<no pool>")
		wantEqual(t, "workers", p.Stats().Workers, 0)
	}
	for _, e := range []*router.Elastic[int]{nil, {}} {
		for _, err := range []error{e.Stop(ctx), e.Drain(ctx), e.Err()} {
			wantErr(t, err, router.ErrNoPool)
		}
		wantErr(t, e.Router().Send(ctx, 1), router.ErrNoRouter)
		<-e.Done()
		wantEqual(t, "name", e.String(), "<no pool>")
		wantEqual(t, "members", e.Stats().Members, 0)
	}
}

// Nothing can be started at no place, or in a system that has stopped.
func TestNoSpawner(t *testing.T) {
	var none *actor.Context[int]
	stopped := newSystem(t, actor.Config{})
	wantNoErr(t, stopped.Stop(guarded(t)))
	for name, at := range map[string]actor.Spawner{
		"nil": nil, "nil system": (*actor.System)(nil), "zero system": &actor.System{}, "nil context": none,
		"zero context": &actor.Context[int]{}, "stopped": stopped,
	} {
		_, err := router.New(at, router.Config[int]{})
		_, errPool := router.NewPool(at, router.PoolConfig[int, int]{Do: func(context.Context, int) (int, error) { return 0, nil }})
		_, errElastic := router.NewElastic(at, router.ElasticConfig[int]{New: func() actor.Actor[int] { return nil }})
		want := "NewSystem"
		if at == actor.Spawner(stopped) {
			want = "the system has stopped"
		}
		for _, err := range []error{err, errPool, errElastic} {
			if err == nil || !strings.Contains(err.Error(), want) {
				t.Errorf("%s: %v", name, err)
			}
		}
	}
}

// A task that stops its own pool is told so, whatever the context, and the stop goes
// on.
func TestPoolStopInTaskWithAnyContext(t *testing.T) {
	for name, stop := range map[string]func(*router.Pool[int, int], context.Context) error{
		"stop": (*router.Pool[int, int]).Stop, "drain": (*router.Pool[int, int]).Drain,
	} {
		t.Run(name, func(t *testing.T) {
			sys := newSystem(t, actor.Config{})
			var p *router.Pool[int, int]
			p = newPool(t, sys, router.PoolConfig[int, int]{Do: func(context.Context, int) (int, error) {
				return 0, stop(p, context.Background())
			}})
			_, err := p.Ask(guarded(t), 1)
			wantErr(t, err, actor.ErrWouldDeadlock)
			wantNoErr(t, p.Stop(guarded(t)))
			wantErr(t, p.Send(guarded(t), 1), actor.ErrStopped)
		})
	}
}

// A step without bound leads to the bound; a minimum that nobody can mean is an
// error.
func TestElasticBounds(t *testing.T) {
	cfg := router.ElasticConfig[int]{
		New: func() actor.Actor[int] { return nil }, Max: 7, StepUp: math.MaxInt, StepDown: math.MaxInt,
	}
	now := time.Now()
	for backlog, want := range map[float64]int{100: 7, 0: 1} {
		to, _, err := router.Decide(cfg, router.Sample{At: now, Members: 3, Backlog: backlog}, time.Time{})
		wantNoErr(t, err)
		wantEqual(t, "members", to, want)
	}
	_, err := router.NewElastic(newSystem(t, actor.Config{}), router.ElasticConfig[int]{New: cfg.New, Min: math.MaxInt})
	if err == nil || !strings.Contains(err.Error(), fmt.Sprint("ElasticConfig.Min is ", math.MaxInt)) {
		t.Errorf("the largest minimum: %v", err)
	}
}
