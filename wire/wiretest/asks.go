package wiretest

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/troupe-go/troupe/actor"
)

func asked(b *bench) {
	_, there := b.spawn(double)
	got, err := actor.Ask(b.ctx, there, ask(21))
	b.ok(err)
	if got.N != 42 {
		b.Fatalf("the answer is %d, want 42", got.N)
	}
	got, err = actor.Ask(context.Background(), there.On(actor.Control), ask(4)) // An ask that carries nothing.
	b.ok(err)
	if got.N != 8 {
		b.Fatalf("the answer is %d, want 8", got.N)
	}
	done := make(chan error, 1)
	asker := b.spawnAt(1, func(ctx *actor.Context[call], m call) error {
		got, err := actor.Ask(ctx, m.Other, ask(m.N))
		if err == nil && got.N != 2*m.N {
			err = fmt.Errorf("the answer is %d", got.N)
		}
		done <- err
		return nil //troupe:ignore reply: the message was sent without an ask, or the test leaves the ask open
	})
	for i := range 50 {
		b.ok(asker.Send(b.ctx, call{N: i, Other: there}))
		b.ok(receive(b, done))
	}
}

func refused(b *bench) {
	_, there := b.spawn(func(ctx *actor.Context[call], m call) error {
		return m.Reply.Fail(ctx, fmt.Errorf("number %d: %w", m.N, errRefused))
	})
	_, err := actor.Ask(b.ctx, there, ask(3))
	b.wantErr(err, errRefused, "number 3")
}

func answeredTwice(b *bench) {
	second, late := make(chan error, 1), make(chan error, 1)
	kept := make(chan actor.Reply[answer], 1)
	_, there := b.spawn(func(ctx *actor.Context[call], m call) error {
		if m.N == 0 {
			kept <- m.Reply
			return nil
		}
		b.ok(m.Reply.Send(ctx, answer{N: 1}))
		second <- m.Reply.Send(ctx, answer{N: 2})
		return nil
	})
	got, err := actor.Ask(b.ctx, there, ask(1))
	b.ok(err)
	if got.N != 1 {
		b.Fatalf("the answer is %d, want the first", got.N)
	}
	b.wantErr(receive(b, second), actor.ErrReplied)
	ctx, cancel := context.WithCancel(b.ctx)
	over := make(chan error, 1)
	go func() {
		_, err := actor.Ask(ctx, there, ask(0))
		over <- err
	}()
	reply := receive(b, kept)
	cancel()
	b.wantErr(receive(b, over), context.Canceled)
	go func() { // Until the other node has heard that the asker has left, it may take an answer.
		for b.ctx.Err() == nil {
			if err := reply.Send(context.Background(), answer{}); err != nil {
				late <- err
				return
			}
		}
	}()
	if err := receive(b, late); !errors.Is(err, actor.ErrLateReply) && !errors.Is(err, actor.ErrReplied) {
		b.Fatalf("the late answer got %v", err)
	}
}

func strangeAnswer(b *bench) {
	failed := make(chan error, 1)
	_, there := b.spawn(func(ctx *actor.Context[call], m call) error {
		var r actor.Reply[stranger] // As a program would have it whose answer has no name.
		data, err := m.Reply.MarshalBinary()
		if err == nil {
			err = r.UnmarshalBinary(data)
		}
		if err == nil {
			err = r.Send(ctx, stranger{})
		}
		failed <- err
		return m.Reply.Send(ctx, answer{N: 1})
	})
	got, err := actor.Ask(b.ctx, there, ask(0))
	b.ok(err)
	if got.N != 1 {
		b.Fatalf("the answer is %d", got.N)
	}
	b.wantErr(receive(b, failed), actor.ErrUnbound)
}

func left(b *bench) {
	began, cause := make(chan bool, 1), make(chan error, 1)
	_, there := b.spawn(func(ctx *actor.Context[call], _ call) error {
		began <- true
		select {
		case <-ctx.Done():
			cause <- context.Cause(ctx)
		case <-b.ctx.Done():
		}
		return nil //troupe:ignore reply: the message was sent without an ask, or the test leaves the ask open
	})
	ctx, cancel := context.WithCancelCause(b.ctx)
	over := make(chan error, 1)
	go func() {
		_, err := actor.Ask(ctx, there, ask(1))
		over <- err
	}()
	receive(b, began)
	cancel(errRefused)
	b.wantErr(receive(b, over), errRefused)
	b.wantErr(receive(b, cause), errRefused)
}

func carried(b *bench) {
	type seen struct {
		at    time.Time
		has   bool
		name  string
		other any
	}
	got := make(chan seen, 1)
	_, there := b.spawn(func(ctx *actor.Context[call], m call) error {
		var s seen
		s.at, s.has = ctx.Deadline()
		v, _ := ctx.Value(tenantKey{}).(tenant)
		s.name, s.other = v.Name, ctx.Value("other")
		got <- s
		return m.Reply.Send(ctx, answer{})
	})
	ctx := context.WithValue(context.Background(), tenantKey{}, tenant{"acme"})
	ctx = context.WithValue(ctx, "other", 1) //nolint:staticcheck // It must not cross.
	ctx, cancel := context.WithTimeout(ctx, time.Hour)
	defer cancel()
	_, err := actor.Ask(ctx, there, ask(1))
	b.ok(err)
	s := receive(b, got)
	if rest := time.Until(s.at); !s.has || rest <= 0 || rest > 2*time.Hour || s.name != "acme" || s.other != nil {
		b.Fatalf("the handler has a deadline: %v, in %v; the value %q, and %v", s.has, rest, s.name, s.other)
	}
}

func cameHome(b *bench) {
	home := b.spawnAt(1, double)
	_, there := b.spawn(func(ctx *actor.Context[call], m call) error { // Hands the message on.
		return m.Other.Send(ctx, call{N: m.N + 1, Reply: m.Reply})
	})
	got, err := actor.Ask(b.ctx, there, func(r actor.Reply[answer]) call { return call{N: 1, Reply: r, Other: home} })
	b.ok(err)
	if got.N != 4 {
		b.Fatalf("the answer is %d, want 4", got.N)
	}
}

func gathered(b *bench) {
	var refs []actor.Ref[call]
	for range 5 {
		_, there := b.spawn(double)
		refs = append(refs, there)
	}
	refs = append(refs, b.spawnAt(1, double))
	for i, a := range actor.AskAll(b.ctx, refs, ask(5)) {
		if b.ok(a.Err); a.Value.N != 10 {
			b.Fatalf("answer %d is %d, want 10", i, a.Value.N)
		}
	}
	silent := make(chan error, 1)
	_, quiet := b.spawn(func(ctx *actor.Context[call], _ call) error {
		select {
		case <-ctx.Done():
			silent <- context.Cause(ctx)
		case <-b.ctx.Done():
		}
		return nil //troupe:ignore reply: the message was sent without an ask, or the test leaves the ask open
	})
	_, err := actor.AskQuorum(b.ctx, []actor.Ref[call]{quiet, refs[0]}, 1, ask(1))
	b.ok(err)
	_ = receive(b, silent) // It has heard that it is not needed.
}

func ring(b *bench) {
	result := make(chan error, 1)
	_, there := b.spawn(func(ctx *actor.Context[call], m call) error {
		_, err := actor.Ask(ctx, m.Other, ask(2))
		if err != nil {
			return m.Reply.Fail(ctx, err)
		}
		return m.Reply.Send(ctx, answer{})
	})
	first := b.spawnAt(1, func(ctx *actor.Context[call], m call) error {
		_, err := actor.Ask(ctx, m.Other, func(r actor.Reply[answer]) call { return call{N: 1, Reply: r, Other: ctx.Self()} })
		result <- err
		return nil //troupe:ignore reply: the message was sent without an ask, or the test leaves the ask open
	})
	b.ok(first.Send(b.ctx, call{Other: there}))
	b.wantErr(receive(b, result), actor.ErrCycle, first.PID().String())
}

func failed(b *bench) {
	_, there := b.spawn(func(_ *actor.Context[call], _ call) error { return errRefused })
	_, err := actor.Ask(b.ctx, there, ask(1))
	b.wantErr(err, actor.ErrNoReply)
	b.wantErr(err, errRefused)
	receive(b, there.Done())
	b.wantErr(there.Send(b.ctx, call{}), actor.ErrStopped)
}
