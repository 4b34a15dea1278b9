package journal_test

import (
	"errors"
	"fmt"
	"testing"
	"time"

	"github.com/troupe-go/troupe/actor"
	"github.com/troupe-go/troupe/internal/lane"
	"github.com/troupe-go/troupe/journal"
	"github.com/troupe-go/troupe/journal/memory"
	"github.com/troupe-go/troupe/simtest"
	"github.com/troupe-go/troupe/supervise"
)

// order asks a counter to add a number once.
type order struct {
	id    string
	n     int
	reply actor.Reply[int]
}

// ordered is a counter that takes orders.
type ordered struct{ counter }

func (o *ordered) Receive(ctx *journal.Context[order, any], m order) error {
	if _, err := ctx.Once(m.id, added{m.n}); err != nil {
		return err
	}
	return m.reply.Send(ctx, o.total)
}

// Two actors for each of two streams take orders, while the store fails, loses answers
// and crashes, in commits and when snapshots are saved, and while actors are killed. Clients try again until they have an answer.
// Under any schedule each order is done exactly once, and an acknowledged one is there.
func TestOrdersAreDoneOnceInSimulation(t *testing.T) {
	lane.Short(t)
	simtest.Run(t, simtest.Config{Schedules: lane.Rounds(100, 1000, 20000)}, takeOrders)
}

func takeOrders(s *simtest.Sim) {
	const clients, each = 4, 3
	store := &restarting{Store: memory.New()}
	store.inject = func([]*journal.Write) memory.Fault {
		if s.Rand().IntN(4) > 0 {
			return memory.None
		}
		return memory.Fault(s.Rand().IntN(5))
	}
	store.save = func() memory.Fault { return memory.Fault(s.Rand().IntN(5)) }
	kind, err := journal.Actor(journal.Config[order, any]{
		Journal: journal.New(store), Events: numbers, Snapshots: journal.SnapshotOf[int]("sum", 1), SnapshotEvery: 2,
		New: func(self *journal.Self) journal.Behaviour[order, any] { return &ordered{counter{self: self}} },
	})
	if err != nil {
		s.Fatal(err)
	}
	sys := s.System(actor.Config{})
	sup, err := supervise.Start(sys, supervise.Config{Intensity: 10000, Period: time.Hour})
	if err != nil {
		s.Fatal(err)
	}
	var takers []actor.Ref[order]
	for i := range clients {
		ref, err := supervise.Spawn(s.Context(), sup, supervise.Child[order]{Name: fmt.Sprint("taker ", i), New: kind.For(fmt.Sprint(i % 2))})
		if err != nil {
			s.Fatal(err)
		}
		takers = append(takers, ref)
		s.KillRate(fmt.Sprint("taker ", i), 0.05)
	}
	store.Inject(store.inject)
	acknowledged := make([]int, clients)
	for i, ref := range takers {
		client, err := actor.Spawn(sys, actor.Func(func(ctx *actor.Context[int], n int) error {
			for {
				_, err := actor.Ask(ctx, ref, func(r actor.Reply[int]) order { return order{fmt.Sprintf("%d/%d", i, n), 1, r} })
				if err == nil {
					acknowledged[i]++
					return nil
				}
				if errors.Is(err, actor.ErrStopped) {
					return err
				}
			}
		}))
		if err != nil {
			s.Fatal(err)
		}
		for n := range each {
			if err := client.Send(s.Context(), n); err != nil {
				s.Fatal(err)
			}
		}
	}
	s.Advance(time.Hour) // Restarts wait for a while.
	store.Inject(nil)
	store.save = nil
	for stream := range 2 {
		want := 0
		for i := stream; i < clients; i += 2 {
			want += acknowledged[i]
		}
		done := map[string]bool{}
		for r, err := range store.Read(s.Context(), fmt.Sprint(stream), 0) {
			if err != nil || done[r.Once] {
				s.Errorf("stream %d: order %q comes twice (%v)", stream, r.Once, err)
			}
			done[r.Once] = true
		}
		if len(done) != want || want != each*clients/2 {
			s.Errorf("stream %d: %d orders are done, %d were acknowledged, of %d", stream, len(done), want, each*clients/2)
		}
		snap, err := store.LoadSnapshot(s.Context(), fmt.Sprint(stream))
		if err != nil || snap.Version > 0 && string(snap.Data) != fmt.Sprint(snap.Version) {
			s.Errorf("stream %d: the snapshot of version %d is %s (%v)", stream, snap.Version, snap.Data, err)
		}
	}
}
