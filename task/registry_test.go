package task_test

import (
	"context"
	"errors"
	"testing"

	"github.com/troupe-go/troupe/sched"
	"github.com/troupe-go/troupe/task"
)

// TestAJoinedGroupIsListedNoMore is about memory: what is listed is kept.
func TestAJoinedGroupIsListedNoMore(t *testing.T) {
	ctx, s := guarded(t), newScheduler(t, sched.Config{})
	gate := make(chan struct{})
	open := newGroup(t, ctx, s, task.AllCompleted[int]())
	blocked := start(t, open, after(gate, 0, nil))
	var joined []*task.Group[int]
	for i := range 10 {
		g := newGroup(t, ctx, s, task.AllCompleted[int]())
		start(t, g, returns(i, nil))
		joined = append(joined, g)
	}
	if n := task.Listed(s); n != 11 {
		t.Errorf("%d groups are listed, want 11", n)
	}
	for i, g := range joined {
		if _, err := g.Join(ctx); err != nil {
			t.Fatal(err)
		}
		if n := task.Listed(s); n != 10-i {
			t.Fatalf("%d groups are listed after %d were joined, want %d", n, i+1, 10-i)
		}
	}
	ended, cancel := context.WithCancel(ctx)
	cancel()
	if _, err := open.Join(ended); !errors.Is(err, context.Canceled) {
		t.Fatalf("Join returned %v", err)
	}
	if list := task.List(s); len(list) != 1 || list[0].ID != blocked.ID() {
		t.Errorf("listed is %v", list)
	}
	close(gate)
	if _, err := open.Join(ctx); err != nil || task.Listed(s) != 0 {
		t.Errorf("Join returned %v, and %d groups are listed", err, task.Listed(s))
	}
}

// TestGroupsThatNobodyJoinsAreSweptOut has one more task come to a group that was
// swept out.
func TestGroupsThatNobodyJoinsAreSweptOut(t *testing.T) {
	ctx, s := guarded(t), newScheduler(t, sched.Config{})
	var groups []*task.Group[int]
	for range 1000 {
		g := newGroup(t, ctx, s, task.AllCompleted[int]())
		_, _ = start(t, g, returns(0, nil)).Join(ctx)
		groups = append(groups, g)
	}
	if n := task.Listed(s); n > 100 {
		t.Errorf("%d groups are listed, none of which has a task", n)
	}
	gate := make(chan struct{})
	again := start(t, groups[0], after(gate, 0, nil))
	if list := task.List(s); len(list) != 1 || list[0].ID != again.ID() {
		t.Errorf("listed is %v", list)
	}
	close(gate)
	for _, g := range groups {
		if _, err := g.Join(ctx); err != nil {
			t.Error(err)
		}
	}
	if n := task.Listed(s); n != 0 {
		t.Errorf("%d groups are listed after all were joined", n)
	}
}
