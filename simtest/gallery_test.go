package simtest_test

import (
	"context"
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/troupe-go/troupe/actor"
	"github.com/troupe-go/troupe/internal/lane"
	"github.com/troupe-go/troupe/simtest"
)

// fault is a planted concurrency fault: a program that has it, and the same
// program once mended.
type fault struct {
	name    string
	want    string // Is in the failure.
	program func(s *simtest.Sim, mended bool)
}

var bg = context.Background()

func spawn[M any](s *simtest.Sim, in actor.Spawner, name string, receive func(*actor.Context[M], M) error) actor.Ref[M] {
	ref, err := actor.Spawn(in, actor.Func(receive), actor.WithName(name))
	if err != nil {
		s.Fatal(err)
	}
	return ref
}

func ask[M, T any](ctx context.Context, s *simtest.Sim, to actor.Ref[M], msg func(actor.Reply[T]) M) T {
	v, err := actor.Ask(ctx, to, msg)
	if err != nil {
		s.Fatal(err)
	}
	return v
}

// account is a balance that is read and written by messages.
type account struct {
	set   bool
	add   int
	value int
	reply actor.Reply[int]
}

func newAccount(s *simtest.Sim, sys *actor.System, name string, balance *int) actor.Ref[account] {
	return spawn(s, sys, name, func(ctx *actor.Context[account], m account) error {
		switch {
		case m.set:
			*balance = m.value
		default:
			*balance += m.add
		}
		return m.reply.Send(ctx, *balance)
	})
}

// lostUpdate: two tellers read a balance by one ask and write it by another.
func lostUpdate(s *simtest.Sim, mended bool) {
	sys := s.System(actor.Config{})
	balance := 0
	acc := newAccount(s, sys, "account", &balance)
	done := 0
	teller := func(ctx *actor.Context[int], sum int) error {
		defer func() { done++ }()
		if mended {
			_, err := actor.Ask(ctx, acc, func(r actor.Reply[int]) account { return account{add: sum, reply: r} })
			return err
		}
		now, err := actor.Ask(ctx, acc, func(r actor.Reply[int]) account { return account{reply: r} })
		if err != nil {
			return err
		}
		_, err = actor.Ask(ctx, acc, func(r actor.Reply[int]) account { return account{set: true, value: now + sum, reply: r} })
		return err
	}
	a, b := spawn(s, sys, "teller a", teller), spawn(s, sys, "teller b", teller)
	_, _ = a.Send(bg, 10), b.Send(bg, 20)
	s.RunUntilIdle()
	if done != 2 || balance != 30 {
		s.Errorf("after %d deposits the balance is %d, not 30", done, balance)
	}
}

// senderOrder: a client that tells one actor and then another takes for granted
// that the second hears of it later, though the first passes it on.
func senderOrder(s *simtest.Sim, mended bool) {
	sys := s.System(actor.Config{})
	var seen []string
	store := spawn(s, sys, "store", func(_ *actor.Context[string], m string) error {
		seen = append(seen, m)
		return nil
	})
	cache := spawn(s, sys, "cache", func(ctx *actor.Context[string], m string) error { return store.Send(ctx, m) })
	client := spawn(s, sys, "client", func(ctx *actor.Context[string], _ string) error {
		if err := cache.Send(ctx, "create"); err != nil {
			return err
		}
		if mended {
			return cache.Send(ctx, "update")
		}
		return store.Send(ctx, "update")
	})
	_ = client.Send(bg, "go")
	s.RunUntilIdle()
	if got := strings.Join(seen, " "); got != "create update" {
		s.Errorf("the store saw %q", got)
	}
}

// forgottenReply: a handler that answers all messages but one.
func forgottenReply(s *simtest.Sim, mended bool) {
	sys := s.System(actor.Config{})
	busy := false
	server := spawn(s, sys, "server", func(ctx *actor.Context[account], m account) error {
		if m.set {
			busy = !busy
			return nil
		}
		if busy && !mended {
			return nil
		}
		return m.reply.Send(ctx, 1)
	})
	toggle := spawn(s, sys, "toggle", func(ctx *actor.Context[int], _ int) error {
		_ = server.Send(ctx, account{set: true})
		return server.Send(ctx, account{set: true})
	})
	client := spawn(s, sys, "client", func(ctx *actor.Context[int], _ int) error {
		_, err := actor.Ask(ctx, server, func(r actor.Reply[int]) account { return account{reply: r} })
		return err
	})
	_, _ = toggle.Send(bg, 1), client.Send(bg, 1)
	if err := client.Drain(bg); err != nil {
		s.Error(err)
	}
}

// askCycle: two actors ask each other.
func askCycle(s *simtest.Sim, mended bool) {
	sys := s.System(actor.Config{})
	type ping struct {
		back  bool
		reply actor.Reply[int]
	}
	var refs [2]actor.Ref[ping]
	for i := range refs {
		refs[i] = spawn(s, sys, fmt.Sprintf("peer %d", i), func(ctx *actor.Context[ping], m ping) error {
			if m.back || mended {
				return m.reply.Send(ctx, i)
			}
			v, err := actor.Ask(ctx, refs[1-i], func(r actor.Reply[int]) ping { return ping{true, r} })
			if err != nil {
				s.Error(err)
			}
			return m.reply.Send(ctx, v)
		})
	}
	starter := spawn(s, sys, "starter", func(ctx *actor.Context[int], i int) error {
		_, err := actor.Ask(ctx, refs[i], func(r actor.Reply[int]) ping { return ping{false, r} })
		return err
	})
	second := spawn(s, sys, "second starter", func(ctx *actor.Context[int], i int) error {
		_, err := actor.Ask(ctx, refs[i], func(r actor.Reply[int]) ping { return ping{false, r} })
		return err
	})
	_, _ = starter.Send(bg, 0), second.Send(bg, 1)
	if err := starter.Drain(bg); err != nil {
		s.Error(err)
	}
}

// tornRead: a sum over two accounts is taken while money moves between them.
func tornRead(s *simtest.Sim, mended bool) {
	sys := s.System(actor.Config{})
	x, y := 100, 0
	from, to := newAccount(s, sys, "from", &x), newAccount(s, sys, "to", &y)
	sum := -1
	bank := spawn(s, sys, "bank", func(ctx *actor.Context[string], m string) error {
		if m == "move" {
			_, err := actor.Ask(ctx, from, func(r actor.Reply[int]) account { return account{add: -40, reply: r} })
			if err != nil {
				return err
			}
			_, err = actor.Ask(ctx, to, func(r actor.Reply[int]) account { return account{add: 40, reply: r} })
			return err
		}
		return audit(ctx, from, to, &sum)
	})
	auditor := spawn(s, sys, "auditor", func(ctx *actor.Context[string], _ string) error { return audit(ctx, from, to, &sum) })
	if mended {
		auditor = bank
	}
	_, _ = bank.Send(bg, "move"), auditor.Send(bg, "audit")
	s.RunUntilIdle()
	if sum != 100 {
		s.Errorf("the sum was %d", sum)
	}
}

func audit(ctx context.Context, from, to actor.Ref[account], sum *int) error {
	a, err := actor.Ask(ctx, from, func(r actor.Reply[int]) account { return account{reply: r} })
	if err != nil {
		return err
	}
	b, err := actor.Ask(ctx, to, func(r actor.Reply[int]) account { return account{reply: r} })
	*sum = a + b
	return err
}

// noBackPressure: a producer that drops what does not fit.
func noBackPressure(s *simtest.Sim, mended bool) {
	sys := s.System(actor.Config{})
	got := 0
	sink, err := actor.Spawn(sys, actor.Func(func(*actor.Context[int], int) error { got++; return nil }),
		actor.WithName("sink"), actor.WithCapacity(actor.Data, 4))
	if err != nil {
		s.Fatal(err)
	}
	source := spawn(s, sys, "source", func(ctx *actor.Context[int], n int) error {
		for i := range n {
			if mended {
				if err := sink.Send(ctx, i); err != nil {
					return err
				}
			} else {
				_ = sink.TrySend(ctx, i)
			}
		}
		return nil
	})
	_ = source.Send(bg, 4)
	_ = source.Send(bg, 4)
	s.RunUntilIdle()
	if got != 8 {
		s.Errorf("%d of 8 arrived", got)
	}
}

// timeout: a client that takes a timeout for a failure, and tries again, has
// its order executed twice.
func timeout(s *simtest.Sim, mended bool) {
	sys := s.System(actor.Config{})
	type order struct {
		id    int
		reply actor.Reply[int]
	}
	executed := map[int]int{}
	shop := spawn(s, sys, "shop", func(ctx *actor.Context[order], m order) error {
		if !mended || executed[m.id] == 0 {
			executed[m.id]++
		}
		if s.Rand().IntN(2) == 0 {
			<-time.After(20 * time.Millisecond)
		}
		return m.reply.Send(ctx, m.id)
	})
	for range 2 {
		ctx, cancel := context.WithTimeout(bg, 10*time.Millisecond)
		_, err := actor.Ask(ctx, shop, func(r actor.Reply[int]) order { return order{7, r} })
		cancel()
		if err == nil {
			break
		}
	}
	s.RunUntilIdle()
	if executed[7] != 1 {
		s.Errorf("the order was executed %d times", executed[7])
	}
}

// leaked: a system that is not stopped on one of two paths.
func leaked(s *simtest.Sim, mended bool) {
	sys, err := actor.NewSystem(actor.Config{})
	if err != nil {
		s.Fatal(err)
	}
	var first string
	note := func(ctx *actor.Context[int], _ int) error {
		if first == "" {
			first = ctx.Name()
		}
		return nil
	}
	a, b := spawn(s, sys, "a", note), spawn(s, sys, "b", note)
	_, _ = a.Send(bg, 1), b.Send(bg, 1)
	s.RunUntilIdle()
	if first == "a" || mended {
		if err := sys.Stop(bg); err != nil {
			s.Error(err)
		}
	}
}

var gallery = []fault{
	{"lost update across two asks", "the balance is", lostUpdate},
	{"order assumption between two senders", "the store saw", senderOrder},
	{"forgotten reply", "deadlock", forgottenReply},
	{"ask cycle", "a ring of actors that wait", askCycle},
	{"torn read of two actors", "the sum was", tornRead},
	{"missing back-pressure", "arrived", noBackPressure},
	{"retry after a timeout", "executed 2 times", timeout},
	{"leaked system", "was not stopped", leaked},
	{"double restart", "workers are running", doubleRestart},
	{"stale ref after a restart", "were delivered", staleRef},
	{"timer after stop", "the lease is held by", timerAfterStop},
	{"leaked monitor", "the hub has lost ann", leakedMonitor},
	{"starvation by priority", "livelock", starvation},
	{"wrong supervision order", "before there was a database", wrongOrder},
}

func TestGalleryOfFaults(t *testing.T) {
	lane.Check(t)
	for _, g := range gallery {
		t.Run(g.name, func(t *testing.T) {
			cfg := simtest.Config{Schedules: 2000}
			f, err := simtest.Find(t, cfg, func(s *simtest.Sim) { g.program(s, false) })
			if err != nil {
				t.Fatal(err)
			}
			if f == nil || !strings.Contains(f.String(), g.want) {
				t.Fatalf("the failure is not that of the planted fault: %v", f)
			}
			t.Log(f)
			again, err := simtest.Replay(t, cfg, f.Schedule, func(s *simtest.Sim) { g.program(s, false) })
			if err != nil || again == nil || again.Messages[0] != f.Messages[0] {
				t.Errorf("replayed, it is %v (%v)", again, err)
			}
			if raceEnabled { // A simulation runs one step at a time, in which there is no race to be seen.
				cfg.Schedules = 50
			}
			simtest.Run(t, cfg, func(s *simtest.Sim) { g.program(s, true) })
		})
	}
}
