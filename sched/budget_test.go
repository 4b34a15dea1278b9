package sched_test

import (
	"context"
	"testing"

	"github.com/troupe-go/troupe/sched"
)

// A limited budget says when it is spent, to the reduction, in a job and on any other
// goroutine, however much is spent at a time and however many slices that takes.
func TestLimitedBudget(t *testing.T) {
	ctx := guarded(t)
	s := newScheduler(t, sched.Config{Workers: 1, Reductions: 100})
	count := func(ctx context.Context, limit, each int) (rounds int) {
		budget := sched.NewLimitedBudget(ctx, limit)
		for ; !budget.Spent() && rounds <= limit; rounds++ {
			budget.Spend(each)
		}
		if budget.Spend(1); !budget.Spent() {
			t.Error("a spent budget is not spent when more is")
		}
		return rounds
	}
	check := func(where string, ctx context.Context) {
		for _, c := range []struct{ limit, each, want int }{
			{10_000, 1, 10_000}, {10_000, 7, 1429}, {1, 1, 1}, {5, 1000, 1}, {0, 1, 0}, {-3, 1, 0},
		} {
			if got := count(ctx, c.limit, c.each); got != c.want {
				t.Errorf("%s, a budget of %d is spent after %d rounds of %d, want %d", where, c.limit, got, c.each, c.want)
			}
		}
	}
	check("elsewhere", ctx)
	if err := start(t, ctx, s, func(ctx context.Context) error { check("in a job", ctx); return nil }).Wait(ctx); err != nil {
		t.Error(err)
	}
}

// A budget without a limit is never spent.
func TestBudgetWithoutALimitIsNeverSpent(t *testing.T) {
	ctx := guarded(t)
	s := newScheduler(t, sched.Config{Workers: 1, Reductions: 100})
	check := func(budget sched.Budget) {
		for range 1000 {
			if budget.Spent() {
				t.Fatal("it is spent")
			}
			budget.Spend(1)
		}
	}
	check(sched.Budget{})
	check(sched.NewBudget(ctx))
	if err := start(t, ctx, s, func(ctx context.Context) error { check(sched.NewBudget(ctx)); return nil }).Wait(ctx); err != nil {
		t.Error(err)
	}
}

// A job's info has what it has spent, over all slices, and what is left of the last; the
// next job on the same fiber begins from 0.
func TestJobInfoReductions(t *testing.T) {
	ctx := guarded(t)
	for limit, left := range map[int]int{0: 3750, 100: 50, -1: -1} {
		s := newScheduler(t, sched.Config{Workers: 1, Reductions: limit})
		for range 2 {
			self := make(chan *sched.Job, 1)
			j := start(t, ctx, s, func(ctx context.Context) error {
				j := <-self
				if info := j.Info(); info.Reductions != 0 {
					t.Errorf("a job begins with %d reductions", info.Reductions)
				}
				for range 250 {
					sched.Checkpoint(ctx)
				}
				if info := j.Info(); info.Reductions != 250 || info.ReductionsLeft != left {
					t.Errorf("in slices of %d, it has %d reductions, %d left, want 250 and %d", limit, info.Reductions, info.ReductionsLeft, left)
				}
				budget := sched.NewBudget(ctx)
				budget.Spend(1_000_000) // At once, so all of it passes the first checkpoint.
				if info := j.Info(); info.Reductions != 1_000_250 {
					t.Errorf("in slices of %d, it has %d reductions, want 1,000,250", limit, info.Reductions)
				}
				for range 3 { // More than a fiber counts in a slice.
					budget := sched.NewBudget(ctx)
					budget.Spend(9_000_000)
				}
				if info := j.Info(); info.Reductions != 28_000_250 {
					t.Errorf("in slices of %d, it has %d reductions, want 28,000,250", limit, info.Reductions)
				}
				return nil
			})
			self <- j
			if err := j.Wait(ctx); err != nil {
				t.Error(err)
			}
			if info := j.Info(); info.Reductions != 0 || info.ReductionsLeft != 0 {
				t.Errorf("an ended job has %+v", info)
			}
		}
	}
}

// The new settings reach the workers, and bad ones are refused.
func TestConfigOfStealingAndPreemption(t *testing.T) {
	newScheduler(t, sched.Config{MaxSteal: 1, BackoffMin: 1, BackoffMax: 2, PreemptionDepth: 1})
	for _, c := range []struct {
		cfg  sched.Config
		says string
	}{
		{sched.Config{MaxSteal: -1}, "Config.MaxSteal is -1"},
		{sched.Config{BackoffMax: -1}, "Config.BackoffMax is -1ns"},
		{sched.Config{PreemptionDepth: 1000}, "Config.PreemptionDepth is 1000"},
	} {
		_, err := sched.New(c.cfg)
		checkSays(t, err, c.says)
	}
}
