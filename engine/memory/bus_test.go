package memory_test

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/troupe-go/troupe/engine"
	"github.com/troupe-go/troupe/engine/memory"
	"github.com/troupe-go/troupe/simtest"
)

// inbox keeps what a subscription has delivered.
type inbox struct {
	mu  sync.Mutex
	got []string
	at  []time.Time
}

func (i *inbox) deliver(frame []byte) {
	i.mu.Lock()
	defer i.mu.Unlock()
	i.got = append(i.got, string(frame))
	i.at = append(i.at, time.Now())
}

func (i *inbox) all() []string {
	i.mu.Lock()
	defer i.mu.Unlock()
	return slices.Clone(i.got)
}

// bubble runs a test with two nodes in virtual time; b listens.
func bubble(t *testing.T, test func(t *testing.T, network *memory.Network, a *memory.Bus, in *inbox), faults ...memory.Faults) {
	t.Helper()
	synctest.Test(t, func(t *testing.T) {
		network, err := memory.NewNetwork(faults...)
		if err != nil {
			t.Fatal(err)
		}
		defer func() { _ = network.Close() }()
		in := &inbox{}
		if _, err := network.Bus("b").Subscribe(engine.Bulk, "to.b", in.deliver); err != nil {
			t.Fatal(err)
		}
		test(t, network, network.Bus("a"), in)
	})
}

func publish(t *testing.T, b *memory.Bus, frames ...string) {
	t.Helper()
	for _, frame := range frames {
		if err := b.Publish(t.Context(), engine.Bulk, "to.b", []byte(frame)); err != nil {
			t.Fatal(err)
		}
	}
}

// numbers returns n frames.
func numbers(n int) []string {
	var all []string
	for i := range n {
		all = append(all, fmt.Sprint(i))
	}
	return all
}

func TestFramesArriveInOrder(t *testing.T) {
	bubble(t, func(t *testing.T, network *memory.Network, a *memory.Bus, in *inbox) {
		other := &inbox{}
		for _, s := range []struct {
			class   engine.Class
			subject string
		}{{engine.Urgent, "to.b"}, {engine.Bulk, "to.c"}, {engine.Bulk, "to"}} {
			if _, err := a.Subscribe(s.class, s.subject, other.deliver); err != nil {
				t.Fatal(err)
			}
		}
		publish(t, a, numbers(100)...)
		synctest.Wait()
		if !slices.Equal(in.all(), numbers(100)) || len(other.all()) > 0 {
			t.Errorf("have %q, and elsewhere %q", in.all(), other.all())
		}
		publish(t, network.Bus("b"), "of itself")
		synctest.Wait()
		if n := len(in.all()); n != 101 {
			t.Errorf("%d frames, with that of the node itself", n)
		}
	})
}

func TestAFrameBelongsToItsPublisherAgain(t *testing.T) {
	bubble(t, func(t *testing.T, _ *memory.Network, a *memory.Bus, in *inbox) {
		frame := []byte("frame")
		if err := a.Publish(t.Context(), engine.Bulk, "to.b", frame); err != nil {
			t.Fatal(err)
		}
		copy(frame, "xxxxx")
		synctest.Wait()
		if in.all()[0] != "frame" {
			t.Errorf("have %q", in.all())
		}
	})
}

func TestDelayAndJitterKeepTheOrder(t *testing.T) {
	bubble(t, func(t *testing.T, _ *memory.Network, a *memory.Bus, in *inbox) {
		var sent []time.Time
		for _, frame := range numbers(50) {
			sent = append(sent, time.Now())
			publish(t, a, frame)
			<-time.After(2 * time.Millisecond)
		}
		<-time.After(time.Second)
		if !slices.Equal(in.all(), numbers(50)) {
			t.Errorf("have %q", in.all())
		}
		var took []time.Duration
		for i := range sent {
			took = append(took, in.at[i].Sub(sent[i]))
		}
		if least, most := slices.Min(took), slices.Max(took); least < 10*time.Millisecond || most > 30*time.Millisecond || most-least < 5*time.Millisecond {
			t.Errorf("frames take %v to %v", least, most)
		}
	}, memory.Faults{Delay: 10 * time.Millisecond, Jitter: 20 * time.Millisecond})
}

func TestFramesAreLostDoubledAndReordered(t *testing.T) {
	for name, faults := range map[string]memory.Faults{"loss": {Loss: 0.5}, "double": {Double: 0.5}, "reorder": {Reorder: 0.5}} {
		t.Run(name, func(t *testing.T) {
			bubble(t, func(t *testing.T, _ *memory.Network, a *memory.Bus, in *inbox) {
				publish(t, a, numbers(400)...)
				<-time.After(time.Second)
				n := len(in.all())
				sorted := slices.IsSortedFunc(in.all(), func(x, y string) int {
					if len(x) != len(y) {
						return len(x) - len(y)
					}
					return strings.Compare(x, y)
				})
				switch name {
				case "loss":
					if n < 100 || n > 300 || !sorted {
						t.Errorf("%d of 400 frames have come, in order: %v", n, sorted)
					}
				case "double":
					if n < 500 || n > 700 {
						t.Errorf("%d frames have come of 400", n)
					}
				case "reorder":
					if n != 400 || sorted {
						t.Errorf("%d of 400 frames have come, in order: %v", n, sorted)
					}
				}
			}, faults)
		})
	}
}

func TestFaultsOfPairs(t *testing.T) {
	bubble(t, func(t *testing.T, network *memory.Network, a *memory.Bus, in *inbox) {
		if err := network.SetPair("a", "b", memory.Faults{Loss: 1}); err != nil {
			t.Fatal(err)
		}
		publish(t, a, "lost")
		publish(t, network.Bus("c"), "of c")
		if err := network.Set(memory.Faults{}); err != nil {
			t.Fatal(err)
		}
		publish(t, a, "again")
		synctest.Wait()
		if want := []string{"of c", "again"}; !slices.Equal(in.all(), want) {
			t.Errorf("have %q, want %q", in.all(), want)
		}
	})
}

func TestACutLosesFramesAlsoThoseUnderWay(t *testing.T) {
	bubble(t, func(t *testing.T, network *memory.Network, a *memory.Bus, in *inbox) {
		back := &inbox{}
		if _, err := a.Subscribe(engine.Bulk, "to.a", back.deliver); err != nil {
			t.Fatal(err)
		}
		answer := func() {
			if err := network.Bus("b").Publish(t.Context(), engine.Bulk, "to.a", []byte("back")); err != nil {
				t.Fatal(err)
			}
		}
		publish(t, a, "under way")
		network.CutOneWay("a", "b")
		publish(t, a, "lost")
		answer()
		<-time.After(time.Second)
		if len(in.all()) > 0 || len(back.all()) != 1 {
			t.Errorf("one way: %q, back %q", in.all(), back.all())
		}
		if err := a.Reachable(); err == nil || !strings.Contains(err.Error(), `node "a" is cut off`) {
			t.Errorf("Reachable: %v", err)
		}
		network.Cut("a", "b")
		answer()
		network.Heal("a", "b")
		if err := a.Reachable(); err != nil {
			t.Error(err)
		}
		publish(t, a, "healed")
		<-time.After(time.Second)
		if !slices.Equal(in.all(), []string{"healed"}) || len(back.all()) != 1 {
			t.Errorf("healed: %q, back %q", in.all(), back.all())
		}
	}, memory.Faults{Delay: time.Millisecond})
}

func TestASlowLinkHasItsRateAndPublishWaits(t *testing.T) {
	bubble(t, func(t *testing.T, _ *memory.Network, a *memory.Bus, in *inbox) {
		start := time.Now()
		frame := strings.Repeat("x", 10_000)
		for range 20 { // 200,000 bytes at 100,000 a second.
			publish(t, a, frame)
		}
		if took := time.Since(start); took < time.Second || took > 2*time.Second {
			t.Errorf("Publish has waited %v", took)
		}
		ctx, cancel := context.WithTimeout(t.Context(), time.Millisecond)
		defer cancel()
		if err := a.Publish(ctx, engine.Bulk, "to.b", []byte(frame)); !errors.Is(err, context.DeadlineExceeded) {
			t.Errorf("Publish with a context that ends: %v", err)
		}
		<-time.After(2 * time.Second)
		if n := len(in.all()); n != 20 {
			t.Errorf("%d frames have come, of 20", n)
		}
		if last := in.at[len(in.at)-1].Sub(start); last < 1900*time.Millisecond || last > 2100*time.Millisecond {
			t.Errorf("the last frame arrives after %v", last)
		}
	}, memory.Faults{Rate: 100_000})
}

func TestAPausedNodeNeitherReceivesNorPublishes(t *testing.T) {
	bubble(t, func(t *testing.T, network *memory.Network, a *memory.Bus, in *inbox) {
		network.Pause("b")
		publish(t, a, "kept")
		published := make(chan error, 1)
		network.Pause("a")
		go func() { published <- a.Publish(t.Context(), engine.Bulk, "to.b", []byte("later")) }()
		<-time.After(time.Minute)
		select {
		case err := <-published:
			t.Errorf("a paused node has published: %v", err)
		default:
		}
		network.Resume("a")
		if err := <-published; err != nil || len(in.all()) > 0 {
			t.Errorf("Publish: %v; a paused node got %q", err, in.all())
		}
		network.Resume("b")
		synctest.Wait()
		if want := []string{"kept", "later"}; !slices.Equal(in.all(), want) {
			t.Errorf("have %q, want %q", in.all(), want)
		}
	})
}

func TestASlowSubscriberLosesFramesAndCountsThem(t *testing.T) {
	bubble(t, func(t *testing.T, network *memory.Network, a *memory.Bus, _ *inbox) {
		release := make(chan struct{})
		sub, err := network.Bus("b").Subscribe(engine.Bulk, "slow", func([]byte) { <-release })
		if err != nil {
			t.Fatal(err)
		}
		send := func() {
			if err := a.Publish(t.Context(), engine.Bulk, "slow", []byte("x")); err != nil {
				t.Fatal(err)
			}
		}
		send()
		synctest.Wait()
		for range 2000 {
			send()
		}
		if n := sub.Dropped(); n != 2000-1024 {
			t.Errorf("%d frames are dropped, of 2,000; the queue has 1,024", n)
		}
		close(release)
	})
}

func TestBadCallsAreErrors(t *testing.T) {
	bubble(t, func(t *testing.T, network *memory.Network, a *memory.Bus, in *inbox) {
		ctx := t.Context()
		if err := a.Publish(ctx, engine.Bulk, "to.b", make([]byte, engine.MaxFrame)); err != nil {
			t.Error(err)
		}
		if err := a.Publish(ctx, engine.Bulk, "to.b", make([]byte, engine.MaxFrame+1)); !errors.Is(err, engine.ErrFrameTooLong) {
			t.Errorf("a frame that is too long: %v", err)
		}
		for _, subject := range []string{"", ".", "a.", ".a", "a..b", "a b", "a*", "ä"} {
			if err := a.Publish(ctx, engine.Bulk, subject, nil); err == nil {
				t.Errorf("the subject %q is taken", subject)
			}
			if _, err := a.Subscribe(engine.Bulk, subject, in.deliver); err == nil {
				t.Errorf("a subscription of %q is taken", subject)
			}
		}
		if err := a.Publish(ctx, engine.Class(7), "to.b", nil); err == nil {
			t.Error("class 7 is taken")
		}
		for _, f := range []memory.Faults{{Loss: -1}, {Loss: 2}, {Double: 1.5}, {Reorder: -0.1}, {Delay: -1}, {Jitter: -1}, {Rate: -1}} {
			if _, err := memory.NewNetwork(f); err == nil || network.Set(f) == nil || network.SetPair("a", "b", f) == nil {
				t.Errorf("%+v is taken", f)
			}
		}
		ended, cancel := context.WithCancel(ctx)
		cancel()
		if err := a.Publish(ended, engine.Bulk, "to.b", nil); !errors.Is(err, context.Canceled) {
			t.Errorf("Publish with a context that has ended: %v", err)
		}
		if err := a.Close(); err != nil {
			t.Error(err)
		}
		_, err := a.Subscribe(engine.Bulk, "x", in.deliver)
		for _, err := range []error{err, a.Publish(ctx, engine.Bulk, "to.b", nil), a.Reachable()} {
			if !errors.Is(err, engine.ErrClosed) {
				t.Errorf("after Close: %v", err)
			}
		}
	})
}

func TestCloseOfASubscriptionWaitsForDeliver(t *testing.T) {
	network, err := memory.NewNetwork()
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = network.Close() }()
	begun, release := make(chan struct{}, 10), make(chan struct{})
	running := true
	sub, err := network.Bus("b").Subscribe(engine.Urgent, "x", func([]byte) { begun <- struct{}{}; <-release; running = false })
	if err != nil {
		t.Fatal(err)
	}
	for range 2 {
		if err := network.Bus("a").Publish(t.Context(), engine.Urgent, "x", nil); err != nil {
			t.Fatal(err)
		}
	}
	<-begun
	go close(release)
	if err := sub.Close(); err != nil {
		t.Fatal(err)
	}
	if running { // The race detector looks, too.
		t.Error("deliver runs after Close")
	}
	if err := sub.Close(); err != nil {
		t.Error(err)
	}
}

// TestTheScheduleChoosesTheFaults finds a schedule in which a frame is lost, and one in which it comes, and expects the same
// from the same seed.
func TestTheScheduleChoosesTheFaults(t *testing.T) {
	count := func(seed uint64) string {
		var arrived []string
		f, err := simtest.Find(t, simtest.Config{Schedules: 1, Seed: seed}, func(s *simtest.Sim) {
			network, err := memory.NewNetwork(memory.Faults{Loss: 0.5, Jitter: time.Second, Reorder: 0.2, Double: 0.2})
			if err != nil {
				s.Fatal(err)
			}
			in := &inbox{}
			if _, err := network.Bus("b").Subscribe(engine.Bulk, "x", in.deliver); err != nil {
				s.Fatal(err)
			}
			for i := range 20 {
				if err := network.Bus("a").Publish(s.Context(), engine.Bulk, "x", []byte(fmt.Sprint(i))); err != nil {
					s.Fatal(err)
				}
			}
			s.Advance(time.Minute)
			arrived = in.all()
			if err := network.Close(); err != nil {
				s.Fatal(err)
			}
		})
		if err != nil || f != nil {
			t.Fatal(f, err)
		}
		return strings.Join(arrived, " ")
	}
	outcomes := map[string]bool{}
	for seed := range uint64(8) {
		first := count(seed + 1)
		if second := count(seed + 1); first != second {
			t.Errorf("seed %d: %q, and then %q", seed+1, first, second)
		}
		outcomes[first] = true
	}
	if len(outcomes) < 2 {
		t.Errorf("each seed has the outcome %v", outcomes)
	}
}
