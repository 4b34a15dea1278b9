package task_test

import (
	"context"
	"errors"
	"sync/atomic"
	"testing"
	"time"

	"pgregory.net/rapid"

	"github.com/troupe-go/troupe/internal/patience"
	"github.com/troupe-go/troupe/sched"
	"github.com/troupe-go/troupe/task"
)

// A program is a tree of groups whose tasks succeed, fail, panic, wait, are
// cancelled, detach work, pass scopes and shields, and open groups of their own.
// Whatever it is, each Join returns, with what its joiner promises, and nothing
// is left.
func TestPrograms(t *testing.T) {
	ctx, s := guarded(t), newScheduler(t, sched.Config{})
	rapid.Check(t, func(rt *rapid.T) {
		checkProgram(ctx, rt, s, func(what string, most int) int { return rapid.IntRange(0, most).Draw(rt, what) })
	})
	patience.Until(t, ctx, func() bool { return s.Stats().Jobs == 0 && len(task.List(s)) == 0 }) // Some are detached.
}

// checkProgram runs a program that is made up by draw, which returns a number
// from 0 to most.
func checkProgram(ctx context.Context, tb rapid.TB, s *sched.Scheduler, draw func(what string, most int) int) {
	p := &program{draws: draw, s: s}
	node := p.draw(1 + draw("depth", 2))
	_ = node.run(ctx, tb, s)
	if p.started.Load() < p.ran.Load() {
		tb.Fatalf("%d tasks ran, %d were started", p.ran.Load(), p.started.Load())
	}
	for _, left := range task.List(s) {
		if !left.Detached {
			tb.Fatalf("left behind: %v", left)
		}
	}
}

type program struct {
	draws        func(what string, most int) int
	s            *sched.Scheduler
	started, ran atomic.Int64
}

// node is a group and what happens to it.
type node struct {
	p        *program
	joiner   int
	quorum   int
	limit    int
	cancels  bool
	children []child
}

type child struct {
	does  int
	below *node
}

const (
	succeeds = iota
	fails
	panics
	waits
	cancelsGroup
	detaches
	passesScope
	passesShield
	opens
	kinds
)

func (p *program) draw(depth int) *node {
	n := &node{
		p:       p,
		joiner:  p.draws("joiner", 3),
		quorum:  1 + p.draws("quorum", 4),
		limit:   p.draws("limit", 3),
		cancels: p.draws("cancels", 4) == 0,
	}
	for range p.draws("children", 6) {
		c := child{does: p.draws("does", kinds-1)}
		if c.does == opens {
			if depth == 0 {
				c.does = succeeds
			} else {
				c.below = p.draw(depth - 1)
			}
		}
		n.children = append(n.children, c)
	}
	return n
}

func (n *node) pick() task.Joiner[int] {
	switch n.joiner {
	case 0:
		return task.AllCompleted[int]()
	case 1:
		return task.FirstFailure[int]()
	case 2:
		return task.FirstSuccess[int]()
	default:
		return task.Quorum[int](n.quorum)
	}
}

// run runs the group, and checks its result against what its tasks say.
func (n *node) run(ctx context.Context, tb rapid.TB, s *sched.Scheduler) error {
	g, err := task.NewGroup(ctx, n.pick(), task.On(s), task.Limit(n.limit))
	if err != nil {
		tb.Errorf("NewGroup: %v", err)
		return err
	}
	endless := false
	for _, c := range n.children {
		endless = endless || c.does == waits
		n.p.started.Add(1)
		if _, err := g.Go(func(ctx context.Context) (int, error) {
			n.p.ran.Add(1)
			return c.run(ctx, tb, g, s)
		}); err != nil {
			tb.Errorf("Go: %v", err)
		}
	}
	if n.cancels || endless { // Else it might take for ever.
		g.Cancel(errBroken)
	}
	values, err := g.Join(context.WithoutCancel(ctx))
	n.check(tb, g, values, err)
	return err
}

func (c child) run(ctx context.Context, tb rapid.TB, g *task.Group[int], s *sched.Scheduler) (int, error) {
	switch c.does {
	case fails:
		return 0, errBroken
	case panics:
		panic(errBroken)
	case waits:
		return 0, forever(ctx)
	case cancelsGroup:
		g.Cancel(errBroken)
		return 1, nil
	case detaches:
		_, err := task.Detach(ctx, func(ctx context.Context) (int, error) { return 1, c.stays(ctx, tb) }, task.On(s))
		return 1, err
	case passesScope:
		return 1, c.passScope(ctx, tb)
	case passesShield:
		return 1, task.Shield(ctx, task.NoLimit, func(ctx context.Context) error { return c.stays(ctx, tb) })
	case opens:
		return 1, c.below.run(ctx, tb, s)
	}
	return 1, nil
}

// stays is for a context that nobody ends.
func (child) stays(ctx context.Context, tb rapid.TB) error {
	err := task.Sleep(ctx, 10*time.Microsecond)
	if err != nil {
		tb.Errorf("a shield, or a detached task, was cancelled: %v", err)
	}
	return err
}

// passScope waits for the deadline of a scope.
func (child) passScope(ctx context.Context, tb rapid.TB) error {
	return task.Within(ctx, func(inside context.Context, sc *task.Scope) error {
		sc.SetDeadline(time.Now().Add(10 * time.Microsecond))
		err, again := forever(inside), task.Checkpoint(inside)
		switch {
		case err == nil || again == nil:
			tb.Errorf("a wait behind the deadline returned %v, the next one %v", err, again)
		case sc.Caught(err):
			return nil
		case ctx.Err() == nil:
			tb.Errorf("nobody has ended the scope: %v", err)
		}
		return err
	})
}

func (n *node) check(tb rapid.TB, g *task.Group[int], values []int, err error) {
	succeeded, failed := 0, 0
	for _, one := range g.Tasks() {
		switch _, err := one.Result(); {
		case errors.Is(err, task.ErrNotEnded):
			tb.Errorf("a task has outlived its group")
		case err == nil:
			succeeded++
		case one.State() == sched.JobFailed:
			failed++
		}
	}
	wrong := false
	switch n.joiner {
	case 0:
		wrong = len(values) != len(n.children) || (err == nil) != (succeeded == len(n.children))
	case 1:
		wrong = (err == nil) != (succeeded == len(n.children)) || err == nil && len(values) != len(n.children)
	case 2:
		wrong = (err == nil) != (len(values) == 1) || err == nil && succeeded == 0 || err != nil && succeeded > 0
	case 3:
		wrong = (err == nil) != (len(values) == n.quorum) || err == nil && succeeded < n.quorum
	}
	if wrong {
		tb.Errorf("joiner %d, quorum %d: %v, %v, of %d tasks %d succeeded and %d failed",
			n.joiner, n.quorum, values, err, len(n.children), succeeded, failed)
	}
}
