package router

import (
	"context"
	"errors"
	"fmt"
	"math"
	"slices"
	"time"

	"github.com/troupe-go/troupe/actor"
	"github.com/troupe-go/troupe/internal/workers"
	"github.com/troupe-go/troupe/supervise"
)

// chief is the actor that looks at the members of an [Elastic], and changes their
// number. Its looks are Control messages: it is needed most when everybody else
// is busy.
type chief[M any] struct {
	e       *Elastic[M]
	members []*member[M]
	spawned int // How many members there have ever been.

	changed time.Time     // When their number was changed last.
	looked  time.Time     // When they were looked at last.
	stalled time.Duration // For how long they have handled nothing.
}

// member is one of those that get messages.
type member[M any] struct {
	ref     actor.Ref[M]
	handled uint64 // How many messages it had been given at the last look.
}

// tick makes the chief look at the members, or begin.
type tick[M any] struct {
	begin actor.Reply[struct{}]
	first bool
}

// Receive begins, or looks at the members.
func (k *chief[M]) Receive(ctx *actor.Context[tick[M]], t tick[M]) error {
	if !t.first {
		return k.look(ctx)
	}
	if err := k.begin(ctx); err != nil {
		return t.begin.Fail(ctx, err) // NewElastic stops the chief.
	}
	return t.begin.Send(ctx, struct{}{})
}

func (k *chief[M]) begin(ctx *actor.Context[tick[M]]) error {
	cfg := &k.e.cfg
	var err error
	k.e.sup, err = supervise.Start(ctx, supervise.Config{
		Name: cfg.Name + " supervisor", Strategy: supervise.Dynamic, Intensity: cfg.Intensity, Period: cfg.Period,
	})
	if err != nil {
		return err
	}
	if _, err := ctx.Monitor(k.e.sup.PID()); err != nil {
		return err
	}
	if k.e.router, err = New(ctx, cfg.Router); err != nil {
		return err
	}
	if s := k.scale(ctx, Sample{At: time.Now()}, cfg.Min, BelowMin); s.Err != nil {
		return s.Err
	}
	k.looked = time.Now()
	_, err = actor.Every(ctx, cfg.Every, ctx.Self().On(actor.Control), tick[M]{})
	return err
}

// Down takes out a member that has stopped for good. Without its supervisor, the
// pool ends.
func (k *chief[M]) Down(_ *actor.Context[tick[M]], m actor.Monitor, e actor.Exit) error {
	if m.PID() == k.e.sup.PID() {
		if e.Reason == nil {
			e.Reason = errors.New("it was stopped")
		}
		return fmt.Errorf("router: the members of %s are not supervised any more: %w", k.e.cfg.Name, e.Reason)
	}
	k.members = slices.DeleteFunc(k.members, func(x *member[M]) bool { return x.ref.PID() == m.PID() })
	k.e.mu.Lock()
	defer k.e.mu.Unlock()
	k.e.leaving = slices.DeleteFunc(k.e.leaving, func(r actor.Ref[M]) bool { return r.PID() == m.PID() })
	k.e.stats.Members = len(k.members)
	return nil
}

// look takes a sample, and changes the number of members if need be.
func (k *chief[M]) look(ctx *actor.Context[tick[M]]) error {
	if k.e.router.closed() {
		return nil // Drain has begun.
	}
	s := k.sample(time.Now())
	k.e.mu.Lock()
	k.e.stats.Last = s
	k.e.mu.Unlock()
	if to, why := k.e.cfg.decide(s, k.changed); why != Unchanged {
		k.scale(ctx, s, to, why)
	}
	return nil
}

func (k *chief[M]) sample(now time.Time) Sample {
	since := now.Sub(k.looked)
	k.looked = now
	backlog, handled := 0, uint64(0)
	for _, m := range k.members {
		backlog += m.ref.Backlog()
		if i, err := m.ref.Info(); err == nil && i.Handled > m.handled {
			handled += i.Handled - m.handled
			m.handled = i.Handled
		}
	}
	s := Sample{At: now, Members: len(k.members), Backlog: float64(backlog) / float64(max(1, len(k.members)))}
	switch {
	case backlog == 0:
		k.stalled = 0
	case handled == 0:
		k.stalled += since
		s.Latency = k.stalled
	default:
		k.stalled = 0
		s.Latency = latency(backlog, handled, since)
	}
	return s
}

// latency estimates how long the backlog takes, if as many messages as in the last
// time are handled in the next.
func latency(backlog int, handled uint64, since time.Duration) time.Duration {
	d := float64(backlog) / float64(handled) * float64(since)
	if d >= math.MaxInt64 {
		return math.MaxInt64 // More than a Duration can hold.
	}
	return time.Duration(d)
}

// scale changes the number of members, and tells of it.
func (k *chief[M]) scale(ctx *actor.Context[tick[M]], s Sample, to int, why ScaleReason) Scaling {
	done := Scaling{Sample: s, Reason: why, From: len(k.members)}
	for len(k.members) < to && done.Err == nil {
		done.Err = k.grow(ctx)
	}
	for len(k.members) > to && done.Err == nil {
		done.Err = k.shrink(ctx)
	}
	k.changed, done.To = s.At, len(k.members)
	k.e.note(done)
	return done
}

// grow starts a member.
func (k *chief[M]) grow(ctx *actor.Context[tick[M]]) error {
	cfg := &k.e.cfg
	k.spawned++
	ref, err := supervise.Spawn(ctx, k.e.sup, supervise.Child[M]{
		Name: fmt.Sprintf("%s %d", cfg.Name, k.spawned), New: cfg.New, Options: cfg.Options,
	})
	if err != nil {
		return err
	}
	if _, err := ctx.Monitor(ref.PID()); err != nil {
		return err
	}
	k.members = append(k.members, &member[M]{ref: ref})
	return k.e.router.Add(ctx, ref)
}

// shrink takes out the member that has least to do, and lets it handle what it
// has. Nobody waits for that.
func (k *chief[M]) shrink(ctx *actor.Context[tick[M]]) error {
	i, least := 0, k.members[0].ref.Backlog()
	for j, m := range k.members {
		if b := m.ref.Backlog(); b <= least { // Of equals the youngest.
			i, least = j, b
		}
	}
	ref := k.members[i].ref
	k.members = slices.Delete(k.members, i, i+1)
	k.e.mu.Lock()
	k.e.leaving = append(k.e.leaving, ref)
	k.e.mu.Unlock()
	if err := k.e.router.Remove(ctx, ref); err != nil {
		return err
	}
	_, err := k.e.sys.Scheduler().Go(context.Background(), func(ctx context.Context) error { return ref.Drain(ctx) }, workers.WithTimeout(0))
	return err
}

// note keeps a change for Stats, and tells OnScale. A panic of that is not the
// pool's failure.
func (e *Elastic[M]) note(s Scaling) {
	e.mu.Lock()
	e.stats.Members = s.To
	switch {
	case s.To > s.From:
		e.stats.Ups++
	case s.To < s.From:
		e.stats.Downs++
	}
	if len(e.stats.Recent) == recentScalings {
		e.stats.Recent = slices.Delete(e.stats.Recent, 0, 1)
	}
	e.stats.Recent = append(e.stats.Recent, s)
	e.mu.Unlock()
	if e.cfg.OnScale != nil {
		defer func() { _ = recover() }()
		e.cfg.OnScale(s)
	}
}
