package actor_test

import (
	"context"
	"testing"

	"github.com/troupe-go/troupe/actor"
	"github.com/troupe-go/troupe/internal/simulated"
)

type envelope struct {
	text  string
	inner struct{ q question }
}

type (
	counting         interface{ number() int }
	countingQuestion struct{ question }
)

func (q countingQuestion) number() int { return q.n }

// A message shows its ask only by a Reply in the message itself. The ask of a Reply
// behind a pointer, or in a slice, is told by the send.
func TestIsAsk(t *testing.T) { simulated.Too(t, testIsAsk) }

func testIsAsk(t testing.TB) {
	sys := newSystem(t, actor.Config{})
	replies := make(chan actor.Reply[int], 1)
	asked := spawn(t, sys, func(_ *actor.Context[question], q question) error { replies <- q.reply; return nil })
	ctx, cancel := context.WithCancel(guarded(t))
	defer cancel()
	go func() { _, _ = actor.Ask(ctx, asked, asking(1)) }()
	q := question{1, receive(t, ctx, replies)}

	var in envelope
	in.inner.q = q
	check := func(name string, got, want bool) {
		t.Helper()
		if got != want {
			t.Errorf("%s: it is an ask: %v, want %v", name, got, want)
		}
	}
	check("an int", actor.IsAsk(1), false)
	check("a question", actor.IsAsk(q), true)
	check("one that is sent", actor.IsAsk(question{}), false)
	check("inside", actor.IsAsk(in), true)
	check("inside, sent", actor.IsAsk(envelope{text: "x"}), false)
	check("behind a pointer", actor.IsAsk(&q), false)
	check("behind a nil pointer", actor.IsAsk((*question)(nil)), false)
	check("in an interface", actor.IsAsk[any](q), true)
	check("in a nil interface", actor.IsAsk[any](nil), false)
	check("in a slice", actor.IsAsk([]question{{}, q}), false)
	check("in an interface, behind a pointer", actor.IsAsk[any](&q), false)
	check("in an interface with a method", actor.IsAsk[counting](countingQuestion{q}), true)
	check("in an array", actor.IsAsk([2]question{{}, q}), true)
	check("itself", actor.IsAsk(q.reply), true)
}
