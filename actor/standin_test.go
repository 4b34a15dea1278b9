package actor_test

import (
	"context"
	"errors"
	"runtime"
	"strings"
	"sync"
	"testing"

	"github.com/troupe-go/troupe/actor"
	"github.com/troupe-go/troupe/internal/kernel/standin"
	"github.com/troupe-go/troupe/internal/lane"
)

// idle is a carrier whose network is down: it takes no messages.
type idle struct {
	mu      sync.Mutex
	watches []bool
	watched standin.StandIn
	route   any
}

var errIdle = errors.New("the network is down")

func (c *idle) Route(standin.StandIn) any {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.route
}
func (c *idle) Carry(context.Context, standin.StandIn, standin.Letter) error { return errIdle }
func (c *idle) Order(context.Context, standin.StandIn, standin.Order) error  { return errIdle }
func (c *idle) Answer(standin.Address, any, error) error                     { return errIdle }
func (c *idle) Cancel(standin.StandIn, standin.Address, error)               {}
func (c *idle) Watch(s standin.StandIn, on bool) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.watches, c.watched = append(c.watches, on), s
}

// joined returns a system that is a node, and writes refs of another.
func joined(t testing.TB) (*actor.System, standin.Host, *idle) {
	t.Helper()
	sys, c := newSystem(t, actor.Config{}), &idle{}
	h, err := standin.Join(sys, standin.Node{Name: "here", Birth: 3}, c)
	wantNoErr(t, err)
	return sys, h, c
}

// refTo returns a ref to an actor of another node.
func refTo(t testing.TB, h standin.Host, number uint64) (r actor.Ref[question]) {
	t.Helper()
	wantNoErr(t, r.UnmarshalBinary(refBytes(number)))
	wantNoErr(t, h.Bind(&r, nil))
	return r
}

// refBytes returns the bytes of a ref to an actor of the node there/9.
func refBytes(number uint64) []byte {
	data := append([]byte{5}, "there"...)
	data = append(data, 9)
	for ; number >= 0x80; number >>= 7 {
		data = append(data, byte(number)|0x80)
	}
	return append(data, byte(number), 0)
}

func TestStandInsAreCollectedWhenNobodyHoldsThem(t *testing.T) {
	n := 20_000
	if lane.Checking() {
		n = 500_000
	}
	sys, h, _ := joined(t)
	ctx := guarded(t)
	watched := refTo(t, h, 1<<40).PID()
	down, cancel := sys.Monitor(watched)
	defer cancel()
	var before, after runtime.MemStats
	runtime.GC()
	runtime.ReadMemStats(&before)
	refs := make([]actor.Ref[question], n)
	for i := range refs {
		refs[i] = refTo(t, h, uint64(i+1))
	}
	runtime.GC()
	runtime.GC()
	runtime.ReadMemStats(&after)
	each := (int64(after.HeapAlloc)-int64(before.HeapAlloc))/int64(n) - 16 // The refs themselves.
	t.Logf("%d stand-ins of %d bytes each", n, each)
	if each > 600 {
		t.Errorf("a stand-in takes %d bytes, more than 600", each)
	}
	if known := actor.StandIns(sys); known < n+1 {
		t.Errorf("%d stand-ins are known, want %d", known, n+1)
	}
	if again := refTo(t, h, 7); again != refs[6] {
		t.Errorf("the same actor is %v and %v", again, refs[6])
	}
	runtime.KeepAlive(refs)
	clear(refs)
	for actor.StandIns(sys) > 1 {
		if ctx.Err() != nil {
			t.Fatalf("%d stand-ins are left", actor.StandIns(sys))
		}
		runtime.GC()
	}
	if _, err := actor.Resolve[question](sys, watched); err != nil {
		t.Errorf("a stand-in that is watched was collected: %v", err)
	}
	h.Ended(standin.Node{Name: "there", Birth: 9}, errIdle)
	if e := receive(t, ctx, down); !errors.Is(e.Reason, errIdle) {
		t.Errorf("the watcher got %+v", e)
	}
}

func TestRefsThatAreNotBoundSayThat(t *testing.T) {
	ctx := guarded(t)
	var r actor.Ref[question]
	wantNoErr(t, r.UnmarshalBinary(refBytes(5)))
	sys := newSystem(t, actor.Config{})
	_, asked := actor.Ask(ctx, r, asking(1))
	_, timed := actor.SendAfter(sys, 0, r, question{})
	var answer actor.Answer[int]
	gathered := actor.Gather(ctx, actor.Into(&answer, r, asking(1)))
	for _, err := range []error{
		r.Send(ctx, question{}), r.TrySend(ctx, question{}), r.Offer(ctx, question{}), asked, timed, gathered,
		r.Stop(ctx), r.Drain(ctx), r.Kill(), r.StopWithin(ctx, 0), r.Err(),
	} {
		wantErr(t, err, actor.ErrUnbound)
	}
	receive(t, ctx, r.Done())
	if r.PID() != (actor.PID{}) || !strings.Contains(r.String()+r.Path(), "unbound") || r.Backlog() != 0 {
		t.Errorf("an unbound ref is %v, at %s", r, r.Path())
	}
	var reply actor.Reply[int]
	wantNoErr(t, reply.UnmarshalBinary(refBytes(5)[:8]))
	wantErr(t, reply.Send(ctx, 1), actor.ErrUnbound)
	wantErr(t, reply.Fail(ctx, errIdle), actor.ErrUnbound)
	if reply.WaitFor(actor.StopWait, actor.PID{}) {
		t.Error("somebody waits for an unbound Reply")
	}
	_, err := reply.MarshalBinary()
	wantErr(t, err, actor.ErrUnbound)
}

func TestBytesOfRefsThatAreDamagedAreRefused(t *testing.T) {
	good := refBytes(300)
	for n := 1; n < len(good); n++ {
		var r actor.Ref[question]
		var reply actor.Reply[int]
		if r.UnmarshalBinary(good[:n]) == nil {
			t.Errorf("%d of %d bytes were taken for a ref", n, len(good))
		}
		if err := reply.UnmarshalBinary(good[:n]); err == nil && n != len(good)-1 {
			t.Errorf("%d of %d bytes were taken for a Reply", n, len(good))
		}
	}
	for _, bad := range [][]byte{
		append(good[:len(good):len(good)], 1), {0, 1, 1, 0}, {200, 1}, append(good[:len(good)-1:len(good)-1], 9), {1, 'a', 0, 1, 0}, {1, 'a', 1, 0, 0},
	} {
		var r actor.Ref[question]
		if r.UnmarshalBinary(bad) == nil {
			t.Errorf("the bytes %v were taken for a ref", bad)
		}
	}
	var zero actor.Ref[question]
	wantNoErr(t, zero.UnmarshalBinary(nil))
	wantErr(t, zero.Send(context.Background(), question{}), actor.ErrNoRef)
}

func TestRefsLeaveOnlySystemsThatAreNodes(t *testing.T) {
	sys := newSystem(t, actor.Config{})
	ref := spawn(t, sys, answer)
	if _, err := ref.MarshalBinary(); err == nil || !strings.Contains(err.Error(), "is no node") {
		t.Errorf("a ref left a system that is no node: %v", err)
	}
	_, err := standin.Join(sys, standin.Node{Name: "x"}, &idle{})
	if err == nil || !strings.Contains(err.Error(), "birth") {
		t.Errorf("a node without a birth: %v", err)
	}
	_, err = standin.Join(sys, standin.Node{Name: "x", Birth: 1}, nil)
	if err == nil {
		t.Error("a nil carrier was taken")
	}
	_, err = standin.Join(nil, standin.Node{Name: "x", Birth: 1}, &idle{})
	wantErr(t, err, actor.ErrNoSystem)
	_, err = standin.Join(sys, standin.Node{Name: "x", Birth: 1}, &idle{})
	wantNoErr(t, err)
	_, err = standin.Join(sys, standin.Node{Name: "x", Birth: 1}, &idle{})
	if err == nil {
		t.Error("a system became a node twice")
	}
	data, err := ref.MarshalBinary()
	wantNoErr(t, err)
	if len(data) == 0 {
		t.Error("a ref is no bytes")
	}
}

func TestWhatTheCarrierRefusesIsTheSendersError(t *testing.T) {
	ctx := guarded(t)
	_, h, _ := joined(t)
	r := refTo(t, h, 5)
	_, asked := actor.Ask(ctx, r, asking(1))
	for _, err := range []error{r.Send(ctx, question{}), r.TrySend(ctx, question{}), asked, r.Stop(ctx), r.Kill()} {
		wantErr(t, err, errIdle)
		if !strings.Contains(err.Error(), "there/9<") {
			t.Errorf("the error does not name the actor: %v", err)
		}
	}
}

func TestRoutedStandInsLeadToActorsOfTheSystem(t *testing.T) {
	ctx := guarded(t)
	sys, h, c := joined(t)
	r := refTo(t, h, 5)
	here := spawn(t, sys, answer)
	c.mu.Lock()
	c.route = here
	c.mu.Unlock()
	got, err := actor.Ask(ctx, r, asking(4))
	wantNoErr(t, err)
	want, err := actor.Ask(ctx, here, asking(4))
	wantNoErr(t, err)
	if got != want {
		t.Errorf("the answer is %v, want %v", got, want)
	}
	wantNoErr(t, r.Send(ctx, question{}))
	wantNoErr(t, r.Stop(ctx))
	receive(t, ctx, here.Done())
}

func TestCarriersWatchWhileSomebodyWaits(t *testing.T) {
	ctx := guarded(t)
	sys, h, c := joined(t)
	r := refTo(t, h, 5)
	_, one := sys.Monitor(r.PID())
	down, two := sys.Monitor(r.PID())
	one()
	two()
	two()
	_, three := sys.Monitor(r.PID())
	three()
	c.mu.Lock()
	if got := c.watches; len(got) != 4 || !got[0] || got[1] || !got[2] || got[3] {
		t.Errorf("the carrier was told %v", got)
	}
	c.mu.Unlock()
	done := r.Done()
	c.watched.Exited("far", errIdle)
	c.watched.Exited("far", nil) // The first one counts.
	receive(t, ctx, done)
	wantErr(t, r.Err(), errIdle)
	wantErr(t, r.Send(ctx, question{}), actor.ErrStopped)
	if len(down) != 0 {
		t.Error("a watch that was ended was told")
	}
}

// TestASystemThatHasLeftCanBeANodeAgain has all that led to other nodes end, and PIDs of stand-ins not used again.
func TestASystemThatHasLeftCanBeANodeAgain(t *testing.T) {
	sys, h, c := joined(t)
	ctx := guarded(t)
	old := refTo(t, h, 1<<40)
	down, cancel := sys.Monitor(old.PID())
	defer cancel()
	if _, err := standin.Join(sys, standin.Node{Name: "here", Birth: 4}, c); err == nil {
		t.Error("a system is two nodes")
	}
	why := errors.New("left")
	h.Leave(why)
	if e := <-down; !errors.Is(e.Reason, why) {
		t.Errorf("the monitor got %+v", e)
	}
	if err := old.Send(ctx, question{}); !errors.Is(err, why) || !errors.Is(err, actor.ErrStopped) {
		t.Errorf("a send to another node got %v", err)
	}
	if late := refTo(t, h, 1<<41); !errors.Is(late.Send(ctx, question{}), why) {
		t.Error("a ref that was bound late is none of a node that has left")
	}
	if _, err := old.AppendBinary(nil); err != nil {
		t.Errorf("the address of an actor elsewhere is lost: %v", err)
	}
	if _, err := standin.HostOf(sys); err == nil {
		t.Error("the system is a node still")
	}
	again, err := standin.Join(sys, standin.Node{Name: "here", Birth: 5}, c)
	wantNoErr(t, err)
	fresh := refTo(t, again, 1<<40)
	if fresh == old || fresh.PID() == old.PID() {
		t.Error("a stand-in of an earlier birth is used again")
	}
	if err := fresh.Send(ctx, question{}); !errors.Is(err, errIdle) {
		t.Errorf("a send by the new carrier got %v", err)
	}
}
