package router_test

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"testing"

	"github.com/troupe-go/troupe/actor"
	"github.com/troupe-go/troupe/internal/patience"
	"github.com/troupe-go/troupe/router"
)

var (
	guarded = patience.Context
	ended   = patience.Ended
	until   = patience.Until
)

func newSystem(tb testing.TB, cfg actor.Config) *actor.System {
	tb.Helper()
	sys, err := actor.NewSystem(cfg)
	wantNoErr(tb, err)
	patience.StopAtEnd(tb, sys)
	return sys
}

func spawn[M any](tb testing.TB, at actor.Spawner, receive func(*actor.Context[M], M) error, opts ...actor.Option) actor.Ref[M] {
	tb.Helper()
	ref, err := actor.Spawn(at, actor.Func(receive), opts...)
	wantNoErr(tb, err)
	return ref
}

func newRouter[M any](tb testing.TB, at actor.Spawner, cfg router.Config[M]) router.Router[M] {
	tb.Helper()
	r, err := router.New(at, cfg)
	wantNoErr(tb, err)
	return r
}

func wantNoErr(tb testing.TB, err error) {
	tb.Helper()
	if err != nil {
		tb.Fatal(err)
	}
}

func wantErr(tb testing.TB, got error, want ...error) {
	tb.Helper()
	for _, w := range want {
		if !errors.Is(got, w) {
			tb.Fatalf("got error %v, want one that wraps %v", got, w)
		}
	}
}

func wantEqual[T any](tb testing.TB, what string, got, want T) {
	tb.Helper()
	if fmt.Sprint(got) != fmt.Sprint(want) {
		tb.Fatalf("%s: got %v, want %v", what, got, want)
	}
}

// task is a message that can be asked: which routee has it?
type task struct {
	id    int
	key   string
	do    func(ctx context.Context) error
	reply actor.Reply[int]
}

// testRoutees are routees that note the messages they get.
type testRoutees struct {
	refs []actor.Ref[task]
	got  []chan task // By routee.
}

// newRoutees starts n routees.
func newRoutees(tb testing.TB, sys *actor.System, n int, opts ...actor.Option) *testRoutees {
	tb.Helper()
	c := &testRoutees{}
	for i := range n {
		got := make(chan task, 1<<14)
		c.got = append(c.got, got)
		c.refs = append(c.refs, spawn(tb, sys, func(ctx *actor.Context[task], m task) error {
			if m.do != nil {
				if err := m.do(ctx); err != nil {
					return err
				}
			}
			got <- m
			return m.reply.Send(ctx, i)
		}, append(opts, actor.WithName(fmt.Sprint("routee ", i)))...))
	}
	return c
}

// drain stops the routees when they have handled what they have, and returns
// the ids that each has got.
func (c *testRoutees) drain(tb testing.TB) [][]int {
	tb.Helper()
	ids := make([][]int, len(c.refs))
	for i, ref := range c.refs {
		wantNoErr(tb, ref.Drain(guarded(tb)))
		close(c.got[i])
		for m := range c.got[i] {
			ids[i] = append(ids[i], m.id)
		}
	}
	return ids
}

// flat returns all ids in order.
func flat(ids [][]int) []int {
	all := slices.Concat(ids...)
	slices.Sort(all)
	return all
}

// upTo returns the numbers from 0 to n-1.
func upTo(n int) []int {
	ids := make([]int, n)
	for i := range ids {
		ids[i] = i
	}
	return ids
}

// who asks for a task and returns which routee has answered.
func who(tb testing.TB, ctx context.Context, r router.Router[task], t task) int {
	tb.Helper()
	i, err := router.Ask(ctx, r, func(reply actor.Reply[int]) task { t.reply = reply; return t })
	wantNoErr(tb, err)
	return i
}

// hold makes a routee wait in its handler until the returned function is called.
func hold(tb testing.TB, ref actor.Ref[task]) (release func()) {
	tb.Helper()
	in, out := make(chan struct{}), make(chan struct{})
	wantNoErr(tb, ref.Send(guarded(tb), task{id: -1, do: func(context.Context) error {
		close(in)
		<-out
		return nil
	}}))
	<-in
	return func() { close(out) }
}

func byKey(t task) (string, bool) { return t.key, t.key != "" }

// refuse makes a routee refuse messages although it has not ended yet: its stop waits
// for a child, until the returned function is called. So its end is not known yet.
func refuse(tb testing.TB, ref actor.Ref[task]) (release func()) {
	tb.Helper()
	in, out := make(chan struct{}), make(chan struct{})
	wantNoErr(tb, ref.Send(guarded(tb), task{id: -1, do: func(ctx context.Context) error {
		child, err := actor.Spawn(ctx.(actor.Spawner), actor.Func(func(*actor.Context[int], int) error {
			close(in)
			<-out
			return nil
		}))
		if err != nil {
			return err
		}
		return child.Send(ctx, 1)
	}}))
	<-in
	wantErr(tb, ref.Stop(ended()), context.Canceled)
	until(tb, guarded(tb), func() bool { i, _ := ref.Info(); return i.State == actor.Stopping })
	return func() { close(out) }
}
