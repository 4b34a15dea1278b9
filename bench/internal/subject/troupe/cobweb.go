package troupe

import (
	"github.com/troupe-go/troupe/actor"

	"github.com/troupe-go/troupe/bench/internal/savina"
	"github.com/troupe-go/troupe/internal/bench/suite"
)

// thread is what runs along the tree: that a subtree has grown, a visit on its
// way down, or a sum on its way up.
type thread struct {
	kind threadKind
	sum  int64
}

type threadKind uint8

const (
	grown threadKind = iota
	visited
	summed
)

// branch is a node of the tree. It lives as long as its children.
type branch struct {
	savina.Node
	parent   actor.Ref[thread]
	result   chan<- int64 // Of the root, which has no parent.
	children []actor.Ref[thread]
	waiting  int // For children.
	sum      int64
}

func (b *branch) Started(ctx *actor.Context[thread]) error {
	for n := range b.Children {
		ref, err := actor.Spawn(ctx, &branch{Node: n, parent: ctx.Self()})
		if err != nil {
			return err
		}
		b.children = append(b.children, ref)
	}
	if b.waiting = len(b.children); b.waiting == 0 {
		return b.up(ctx, thread{kind: grown})
	}
	return nil
}

func (b *branch) up(ctx *actor.Context[thread], t thread) error {
	if b.result != nil {
		b.result <- t.sum
		return nil
	}
	return b.parent.Send(ctx, t)
}

func (b *branch) Receive(ctx *actor.Context[thread], t thread) error {
	if t.kind == visited {
		return b.visit(ctx)
	}
	b.sum += t.sum
	if b.waiting--; b.waiting > 0 {
		return nil
	}
	if t.kind == grown {
		return b.up(ctx, thread{kind: grown})
	}
	ctx.Stop()
	return b.up(ctx, thread{summed, b.sum})
}

func (b *branch) visit(ctx *actor.Context[thread]) error {
	b.sum, b.waiting = b.Work(), len(b.children)
	for _, c := range b.children {
		if err := c.Send(ctx, thread{kind: visited}); err != nil {
			return err
		}
	}
	if b.waiting > 0 {
		return nil
	}
	ctx.Stop()
	return b.up(ctx, thread{summed, b.sum})
}

func cobweb(r *suite.Run) (int64, error) {
	return run(func(sys *actor.System) (int64, error) {
		var sum int64
		result := make(chan int64, 1)
		r.Start()
		for range r.N {
			root, err := actor.Spawn(sys, &branch{Node: savina.Root(r.Size), result: result})
			if err != nil {
				return 0, err
			}
			<-result
			if err := root.Send(background, thread{kind: visited}); err != nil {
				return 0, err
			}
			sum += <-result
		}
		r.Stop()
		return sum, nil
	})
}
