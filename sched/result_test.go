package sched_test

import (
	"context"
	"errors"
	"testing"

	"github.com/troupe-go/troupe/sched"
)

func TestResultHasTheValue(t *testing.T) {
	ctx := guarded(t)
	s := newScheduler(t, sched.Config{Workers: 1})
	r, err := sched.GoResult(ctx, s, func(context.Context) (int, error) { return 42, nil }, sched.WithKind("sum"))
	if err != nil {
		t.Fatal(err)
	}
	for range 2 {
		if v, err := r.Get(ctx); v != 42 || err != nil {
			t.Errorf("got %d, %v", v, err)
		}
	}
	if r.Kind() != "sum" {
		t.Errorf("its kind is %q", r.Kind())
	}
	failure := errors.New("failure")
	failed, err := sched.GoResult(ctx, s, func(context.Context) (int, error) { return 42, failure })
	if err != nil {
		t.Fatal(err)
	}
	if v, err := failed.Get(ctx); v != 0 || !errors.Is(err, failure) {
		t.Errorf("a failed one has %d, %v", v, err)
	}
}

func TestResultRefusesWhatIsWrong(t *testing.T) {
	ctx := guarded(t)
	s := newScheduler(t, sched.Config{Workers: 1})
	_, err := sched.GoResult[int](ctx, s, nil)
	checkSays(t, err, "sched: ", "nil function")
	_, err = sched.GoResult(ctx, nil, func(context.Context) (int, error) { return 0, nil })
	checkSays(t, err, "sched: ", "nil scheduler")
	_, err = sched.GoResult(ctx, s, func(context.Context) (int, error) { return 0, nil }, sched.WithPriority(9))
	checkSays(t, err, "sched: ", "priority 9")
	var none *sched.Result[int]
	for _, r := range []*sched.Result[int]{none, {}} {
		if _, err := r.Get(ctx); !errors.Is(err, sched.ErrNoJob) {
			t.Errorf("a handle of no job returned %v", err)
		}
	}
}
