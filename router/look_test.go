package router_test

import (
	"math"
	"slices"
	"sync"
	"testing"

	"github.com/troupe-go/troupe/actor"
	"github.com/troupe-go/troupe/router"
)

// heldRoutees are n routees that are stuck, each with so many messages, and what
// starts a router of them.
func heldRoutees(tb testing.TB, n, each int) (start func(router.Config[task]) router.Router[task], c *testRoutees, release []func()) {
	tb.Helper()
	sys := newSystem(tb, actor.Config{Workers: n + 1})
	c = newRoutees(tb, sys, n)
	for _, ref := range c.refs {
		release = append(release, hold(tb, ref))
		for range each - 1 {
			wantNoErr(tb, ref.Send(guarded(tb), task{id: -1}))
		}
	}
	return func(cfg router.Config[task]) router.Router[task] {
		cfg.Routees = c.refs
		return newRouter(tb, sys, cfg)
	}, c, release
}

// empty lets a routee handle all that it has, and holds it then.
func empty(tb testing.TB, ref actor.Ref[task], release func()) (again func()) {
	tb.Helper()
	release()
	until(tb, guarded(tb), func() bool { return ref.Backlog() == 0 })
	return hold(tb, ref)
}

// lateness sends messages. The first makes the router look at its held routees. Then
// one routee is emptied. lateness returns how many messages went to other routees
// before the empty routee got one.
func lateness(tb testing.TB, r router.Router[task], ref actor.Ref[task], release func()) (late int, again func()) {
	tb.Helper()
	for range 20 { // Else it would get its share of the next ones, as an equal.
		wantNoErr(tb, ref.Send(guarded(tb), task{id: -1}))
	}
	wantNoErr(tb, r.Send(guarded(tb), task{}))
	again = empty(tb, ref, release)
	for ref.Backlog() == 1 && late <= 100 {
		wantNoErr(tb, r.Send(guarded(tb), task{}))
		late++
	}
	return late - 1, again
}

// With short backlogs each message goes to the smallest; with longer ones a
// look serves for half of the smallest, and for 16 at most.
func TestSmallestMailboxReusesALook(t *testing.T) {
	for _, x := range []struct{ each, from, to int }{{7, 0, 0}, {12, 1, 6}, {500, 8, 16}} {
		start, c, release := heldRoutees(t, 3, x.each)
		r := start(router.Config[task]{Strategy: router.SmallestMailbox})
		late, again := lateness(t, r, c.refs[2], release[2])
		if late < x.from || late > x.to {
			t.Errorf("with %d messages each, one that became idle was passed over %d times, not %d to %d", x.each, late, x.from, x.to)
		}
		for _, f := range []func(){release[0], release[1], again} {
			f()
		}
	}
}

// The router counts the messages that it has sent since its last look: stuck routees
// with long backlogs get the same number.
func TestSmallestMailboxCountsItsOwn(t *testing.T) {
	start, _, release := heldRoutees(t, 4, 300)
	defer func() {
		for _, f := range release {
			f()
		}
	}()
	r := start(router.Config[task]{Strategy: router.SmallestMailbox})
	for range 60 {
		wantNoErr(t, r.Send(guarded(t), task{}))
		if b := r.Stats().Backlogs; slices.Max(b)-slices.Min(b) > 1 {
			t.Fatalf("the backlogs are %v", b)
		}
	}
}

// When all but the owner of a key have become idle, it gets no more than a look
// serves for before the others do.
func TestBoundedHashReusesALook(t *testing.T) {
	for _, x := range []struct{ each, from, to int }{{7, 0, 0}, {12, 1, 6}, {500, 8, 16}} {
		start, c, release := heldRoutees(t, 4, x.each)
		r := start(router.Config[task]{Strategy: router.BoundedHash, Key: router.By(byKey)})
		wantNoErr(t, r.Send(guarded(t), task{key: "k"}))
		home := slices.Index(r.Stats().Backlogs, slices.Max(r.Stats().Backlogs))
		for i, ref := range c.refs {
			if i != home {
				release[i] = empty(t, ref, release[i])
			}
		}
		got := -1
		for before := 0; got < 100 && before != c.refs[home].Backlog(); got++ {
			before = c.refs[home].Backlog()
			wantNoErr(t, r.Send(guarded(t), task{key: "k"}))
		}
		if got < x.from || got > x.to {
			t.Errorf("with %d messages each, a routee above its bound got %d more, not %d to %d", x.each, got, x.from, x.to)
		}
		for _, f := range release {
			f()
		}
	}
}

// If others have sent so much meanwhile that everybody has more than the bound
// that was known, the router looks again, and the message goes by the bound.
func TestBoundedHashLooksAgain(t *testing.T) {
	start, c, release := heldRoutees(t, 4, 100)
	defer func() {
		for _, f := range release {
			f()
		}
	}()
	r := start(router.Config[task]{Strategy: router.BoundedHash, Key: router.By(byKey)})
	wantNoErr(t, r.Send(guarded(t), task{key: "k"}))
	home := slices.Index(r.Stats().Backlogs, 101)
	for i, ref := range c.refs {
		n := 200
		if i == home {
			n = 400
		}
		for range n {
			wantNoErr(t, ref.Send(guarded(t), task{id: -1}))
		}
	}
	wantNoErr(t, r.Send(guarded(t), task{key: "k"}))
	wantEqual(t, "home", r.Stats().Backlogs[home], 501)
}

// The router counts the messages that it has sent since its last look: among stuck
// routees, the routee of the popular key gets as many messages as the bound allows.
func TestBoundedHashCountsItsOwn(t *testing.T) {
	start, c, release := heldRoutees(t, 4, 100)
	defer func() {
		for _, f := range release {
			f()
		}
	}()
	r := start(router.Config[task]{Strategy: router.BoundedHash, Key: router.By(byKey)})
	wantNoErr(t, r.Send(guarded(t), task{key: "k"}))
	home := slices.Index(r.Stats().Backlogs, 101)
	for n := 402; n <= 700; n++ {
		has := c.refs[home].Backlog()
		wantNoErr(t, r.Send(guarded(t), task{key: "k"}))
		may := float64(has) < 1.25*float64(n)/4
		if got := c.refs[home].Backlog() > has; got != may {
			t.Fatalf("of %d messages home has %d: did it get another? %v", n, has, got)
		}
	}
}

// While a sender that looks at the backlogs is interrupted, the messages of others are
// routed by the true backlogs. When the sender goes on, its look is too old to be used:
// the routee that had the shortest backlog then, and has the longest now, gets nothing.
func TestInterruptedLook(t *testing.T) {
	start, c, release := heldRoutees(t, 4, 100)
	defer func() {
		for _, f := range release {
			f()
		}
	}()
	r := start(router.Config[task]{Strategy: router.SmallestMailbox})
	goOn := router.Interrupt(r)
	for i := range interruption {
		wantNoErr(t, r.Send(guarded(t), task{}))
		if b := r.Stats().Backlogs; slices.Max(b)-slices.Min(b) > 1 {
			t.Fatalf("message %d of others: the backlogs are %v", i, b)
		}
	}
	for range 400 {
		wantNoErr(t, c.refs[0].Send(guarded(t), task{id: -1}))
	}
	has := c.refs[0].Backlog()
	goOn()
	for range 40 {
		wantNoErr(t, r.Send(guarded(t), task{}))
	}
	wantEqual(t, "the busiest", c.refs[0].Backlog(), has)
}

// interruption is for how many messages of others one who looks is interrupted.
const interruption = 80

// So it is by key: how much there was is not the bound when it has been handled.
func TestInterruptedLookAtAll(t *testing.T) {
	start, c, release := heldRoutees(t, 4, 500)
	r := start(router.Config[task]{Strategy: router.BoundedHash, Key: router.By(byKey)})
	wantNoErr(t, r.Send(guarded(t), task{key: "k"}))
	home := slices.Index(r.Stats().Backlogs, slices.Max(r.Stats().Backlogs))
	goOn := router.Interrupt(r)
	for i, ref := range c.refs {
		if i != home {
			release[i] = empty(t, ref, release[i])
		}
	}
	has := c.refs[home].Backlog()
	send := func() {
		t.Helper()
		for range interruption {
			wantNoErr(t, r.Send(guarded(t), task{key: "k"}))
		}
		late := c.refs[home].Backlog() - has
		if late > 16 {
			t.Errorf("a routee above its bound got %d more", late)
		}
		has += late
	}
	send()
	first := has
	goOn()
	send()
	wantEqual(t, "home after the interruption", has, first)
	for _, f := range release {
		f()
	}
}

// wantBound fails if a routee of a router by key has more than the bound and so
// much beyond.
func wantBound(tb testing.TB, r router.Router[task], beyond int) {
	tb.Helper()
	b := r.Stats().Backlogs
	total := 0
	for _, n := range b {
		total += n
	}
	if most := int(math.Ceil(1.25*float64(total)/float64(len(b)))) + beyond; slices.Max(b) > most {
		tb.Fatalf("the backlogs are %v, which are %d: somebody has more than %d", b, total, most)
	}
}

// sendTogether sends from several goroutines at once.
func sendTogether(tb testing.TB, r router.Router[task], senders, each int) {
	tb.Helper()
	ctx := guarded(tb)
	var all sync.WaitGroup
	for range senders {
		all.Go(func() {
			for range each {
				if err := r.Send(ctx, task{key: "k"}); err != nil {
					tb.Error(err)
				}
			}
		})
	}
	all.Wait()
}

// However many send at once to stuck routees, what the strategies promise holds,
// up to one message for each of the others that may have chosen already.
func TestManySendersAndStuckRoutees(t *testing.T) {
	const senders = 4
	for _, each := range []int{1, 100} {
		start, _, release := heldRoutees(t, 4, each)
		r := start(router.Config[task]{Strategy: router.SmallestMailbox})
		for range 20 {
			sendTogether(t, r, senders, 10)
			if b := r.Stats().Backlogs; slices.Max(b)-slices.Min(b) > 1+2*senders {
				t.Fatalf("the backlogs are %v", b)
			}
		}
		hash := start(router.Config[task]{Strategy: router.BoundedHash, Key: router.By(byKey)})
		for range 20 {
			sendTogether(t, hash, senders, 10)
			wantBound(t, hash, 2*senders)
		}
		for _, f := range release {
			f()
		}
	}
}
