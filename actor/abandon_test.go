package actor_test

import (
	"context"
	"testing"

	"github.com/troupe-go/troupe/actor"
	"github.com/troupe-go/troupe/internal/simulated"
)

type (
	reply    = actor.Reply[int]
	embedded struct{ reply }
	two      struct {
		reply
		other actor.Reply[string]
	}
	nilEmbedded struct {
		*actor.Reply[int]
		second reply
	}
	wrapped struct{ inner any }
	ring    struct {
		next  any
		again *ring
		reply reply
	}
	deep struct {
		_    string
		list []*struct{ pair [2]reply }
	}
)

// A Reply is found wherever it lies in a message that is dropped, so its asker
// need not wait.
func TestAskOfADroppedMessageFails(t *testing.T) {
	places := map[string]func(reply) any{
		"itself":                 func(r reply) any { return r },
		"field":                  func(r reply) any { return question{1, r} },
		"pointer":                func(r reply) any { return &question{1, r} },
		"embedded":               func(r reply) any { return embedded{r} },
		"pointer to embedded":    func(r reply) any { return &embedded{r} },
		"beside an embedded one": func(r reply) any { return nilEmbedded{second: r} },
		"slice":                  func(r reply) any { return []reply{{}, r} },
		"slice of any":           func(r reply) any { return []any{1, nil, &question{1, r}} },
		"array":                  func(r reply) any { return [2]reply{{}, r} },
		"interface":              func(r reply) any { return wrapped{wrapped{r}} },
		"interface of a pointer": func(r reply) any { return wrapped{&question{1, r}} },
		"deep":                   func(r reply) any { return deep{list: []*struct{ pair [2]reply }{nil, {[2]reply{1: r}}}} },
		"ring": func(r reply) any {
			x := &ring{reply: r}
			x.next, x.again = x, x
			return x
		},
	}
	for name, place := range places {
		t.Run(name, func(t *testing.T) {
			ctx := guarded(t)
			sys := newSystem(t, actor.Config{})
			failing := spawn(t, sys, func(*actor.Context[any], any) error { return errOdd })
			_, err := actor.Ask(ctx, failing, place)
			wantErr(t, err, actor.ErrNoReply, errOdd)
		})
	}
}

func TestAllAsksInADroppedMessageFail(t *testing.T) {
	simulated.Too(t, testAllAsksInADroppedMessageFail)
}

func testAllAsksInADroppedMessageFail(t testing.TB) {
	ctx := guarded(t)
	sys := newSystem(t, actor.Config{})
	failing := spawn(t, sys, func(*actor.Context[two], two) error { return errOdd })
	middle := spawn(t, sys, func(c *actor.Context[question], q question) error {
		_, err := actor.Ask(c, failing, func(s actor.Reply[string]) two { return two{q.reply, s} })
		wantErr(t, err, actor.ErrNoReply)
		return nil
	})
	_, err := actor.Ask(ctx, middle, asking(1))
	wantErr(t, err, actor.ErrNoReply, errOdd)
}

// keeper keeps the replies until it is asked a negative question.
type keeper struct {
	kept []reply
	has  chan struct{} // One for each that is kept.
}

func (k *keeper) Receive(c *actor.Context[question], q question) error {
	if q.n >= 0 {
		k.kept = append(k.kept, q.reply)
		k.has <- struct{}{}
		return nil
	}
	for _, r := range k.kept {
		if err := r.Send(c, 1); err != nil {
			return err
		}
	}
	return q.reply.Send(c, 0)
}

// Dropping a message fails the asks in it, and not those which an actor keeps
// that the message mentions.
func TestDroppedRefLeavesItsActorAlone(t *testing.T) {
	type mention struct {
		to  actor.Ref[question]
		any any
		ctx context.Context
	}
	ctx := guarded(t)
	sys := newSystem(t, actor.Config{})
	has := make(chan struct{}, 1)
	k := spawnActor(t, sys, actor.Actor[question](&keeper{has: has}))
	kept := make(chan error, 1)
	go func() {
		_, err := actor.Ask(ctx, k, asking(1))
		kept <- err
	}()
	receive(t, ctx, has)
	gone := spawn(t, sys, func(*actor.Context[mention], mention) error { return nil })
	wantNoErr(t, gone.Stop(ctx))
	inner := make(chan context.Context, 1)
	other := spawn(t, sys, func(c *actor.Context[question], _ question) error { inner <- c; return nil })
	send(t, ctx, other, question{})
	wantErr(t, gone.Send(ctx, mention{k, k, receive(t, ctx, inner)}), actor.ErrStopped)
	_, err := actor.Ask(ctx, k, asking(-1))
	wantNoErr(t, err)
	wantNoErr(t, receive(t, ctx, kept))
}

// The target of a pointer may belong to other code, which may be writing an interface there
// right now. So it is not read. The race detector checks that.
func TestDroppedPointerIsNotRead(t *testing.T) {
	type shared struct{ value any }
	type message struct{ with *shared }
	ctx := guarded(t)
	sys := newSystem(t, actor.Config{})
	s := &shared{}
	stop, stopped := make(chan struct{}), make(chan struct{})
	go func() {
		defer close(stopped)
		for {
			select {
			case <-stop:
				return
			default:
				s.value = &question{}
				s.value = 1
			}
		}
	}()
	for range 100 {
		failing := spawn(t, sys, func(*actor.Context[message], message) error { return errOdd })
		send(t, ctx, failing, message{s})
		wantNoErr(t, failing.Stop(ctx))
	}
	close(stop)
	<-stopped
}
