package guide_test

import (
	"context"
	"errors"
	"testing"

	"github.com/troupe-go/troupe/actor"
	"github.com/troupe-go/troupe/internal/patience"
	"github.com/troupe-go/troupe/wire"
	"github.com/troupe-go/troupe/wire/wiretest"
)

//guide:begin messages

// Bid offers money for an item. The auctioneer answers with the highest bid.
type Bid struct {
	Item  string
	Cents int
	Reply actor.Reply[int]
}

// ErrClosed says that the auction is over.
var ErrClosed = errors.New("the auction is closed")

// register gives names to all that crosses.
func register(r *wire.Registry) {
	wire.Register[Bid]("auction.bid", wire.In(r))
	wire.Register[int]("auction.cents", wire.In(r)) // The answer.
	wire.Error(ErrClosed, "auction.closed", wire.In(r))
}

//guide:end messages

//guide:begin auctioneer
func auctioneer() actor.Actor[Bid] {
	highest := map[string]int{}
	return actor.Func(func(ctx *actor.Context[Bid], b Bid) error {
		if b.Cents <= 0 {
			return b.Reply.Fail(ctx, ErrClosed)
		}
		highest[b.Item] = max(highest[b.Item], b.Cents)
		return b.Reply.Send(ctx, highest[b.Item])
	})
}

//guide:end auctioneer

func offerOf(item string, cents int) func(actor.Reply[int]) Bid {
	return func(r actor.Reply[int]) Bid { return Bid{item, cents, r} }
}

func auctionSystem(t *testing.T) *actor.System {
	t.Helper()
	sys, err := actor.NewSystem(actor.Config{Workers: 2})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := sys.Stop(patience.Context(t)); err != nil {
			t.Error(err)
		}
	})
	return sys
}

func TestAnActorElsewhereIsUsedByItsRef(t *testing.T) {
	ctx := patience.Context(t)
	house, bidder := auctionSystem(t), auctionSystem(t)
	//guide:begin export
	r := &wire.Registry{}
	register(r)
	wiretest.Join(t, r, house, bidder) // Makes both systems nodes.

	there, err := actor.Spawn(house, auctioneer())
	if err != nil {
		t.Fatal(err)
	}
	address, err := wire.Export(there) // Bytes: for a file, a flag, a name service.
	if err != nil {
		t.Fatal(err)
	}
	ref, err := wire.Import[Bid](bidder, address)
	if err != nil {
		t.Fatal(err)
	}
	//guide:end export

	//guide:begin use
	highest, err := actor.Ask(ctx, ref, offerOf("clock", 1500))
	if err != nil || highest != 1500 {
		t.Fatalf("the highest bid is %d (%v)", highest, err)
	}
	if _, err = actor.Ask(ctx, ref, offerOf("clock", 0)); !errors.Is(err, ErrClosed) {
		t.Fatalf("the error is %v", err) // The very error, by its name.
	}
	down, cancel := bidder.Monitor(ref.PID())
	defer cancel()
	if err := ref.Drain(ctx); err != nil { // Behind all that was sent.
		t.Fatal(err)
	}
	<-down
	//guide:end use
	again, err := wire.Import[Bid](bidder, address)
	if err != nil || again != ref {
		t.Errorf("the same bytes are another ref, %v (%v)", again, err)
	}
}

func TestWhatCannotCrossIsAnErrorOfItsSender(t *testing.T) {
	house, bidder := auctionSystem(t), auctionSystem(t)
	link := wiretest.Join(t, &wire.Registry{}, house, bidder)
	there, err := actor.Spawn(house, auctioneer())
	if err != nil {
		t.Fatal(err)
	}
	ref := wiretest.Move(t, link.Nodes(), 1, there)
	if err := ref.Send(context.Background(), Bid{Item: "clock"}); !errors.Is(err, wire.ErrNotRegistered) {
		t.Errorf("the error is %v", err)
	}
	if err := bidder.Suspend(ref.PID()); !errors.Is(err, actor.ErrElsewhere) {
		t.Errorf("the error is %v", err)
	}
	link.Lose()
	if err := ref.Send(context.Background(), Bid{Item: "clock"}); !errors.Is(err, actor.ErrStopped) {
		t.Errorf("after the node is lost, the error is %v", err)
	}
	if err := ref.Err(); !errors.Is(err, wiretest.ErrLost) {
		t.Errorf("the actor has ended for %v", err)
	}
}
