// Package reply has handlers that forget to answer, and others that do not.
package reply

import (
	"errors"

	"github.com/troupe-go/troupe/actor"
)

type ask struct {
	id   int
	done actor.Reply[int]
}

type box struct {
	what string
	inner
}

type inner struct{ reply actor.Reply[string] }

type note struct{ text string }

// One: no path answers.
type silent struct{ last int }

func (s *silent) Receive(ctx *actor.Context[ask], m ask) error {
	s.last = m.id
	return nil // want `ask is not answered on a path to this return: .*; use done.Send or Fail`
}

// Two: one path forgets.
type early struct{ known map[int]int }

func (e *early) Receive(ctx *actor.Context[ask], m ask) error {
	n, found := e.known[m.id]
	if !found {
		return nil // want `ask is not answered`
	}
	return m.done.Send(ctx, n)
}

// Three and four: cases of a type switch, of which one returns and one falls out of it.
type several struct{ sum int }

func (s *several) Receive(ctx *actor.Context[any], m any) error {
	switch m := m.(type) {
	case ask:
		if m.id < 0 {
			return nil // want `ask is not answered`
		}
		return m.done.Send(ctx, s.sum)
	case *box:
		s.sum += len(m.what)
	case note:
		s.sum += len(m.text)
	}
	return nil // want `\*box is not answered on a path to this return: .*; use inner.Send or Fail`
}

// Five: a function that becomes the behaviour, and does not even name its message.
func closed(*actor.Context[ask], ask) error {
	return nil // want `ask is not answered`
}

// Six: a literal, with a loop.
var forget = actor.Func(func(ctx *actor.Context[ask], m ask) error {
	for i := range 3 {
		if i == 2 {
			return m.done.Send(ctx, i)
		}
	}
	return nil // want `ask is not answered`
})

// All below is right. One: every path answers, by Send, by Fail, or by the error that it returns.
type good struct{}

func (good) Receive(ctx *actor.Context[ask], m ask) error {
	if m.id < 0 {
		return m.done.Fail(ctx, errors.New("negative"))
	}
	if m.id > 100 {
		return errors.New("too much")
	}
	if err := m.done.Send(ctx, m.id); err != nil {
		return err
	}
	return nil
}

// Two: the Reply is kept for later.
type later struct {
	waiting []actor.Reply[int]
	all     map[int]ask
}

func (l *later) Receive(ctx *actor.Context[ask], m ask) error {
	if m.id == 0 {
		l.waiting = append(l.waiting, m.done)
		return nil
	}
	l.all[m.id] = m
	return nil
}

// Three: it is handed to a function, or to another actor.
type hands struct{ other actor.Ref[ask] }

func (h *hands) Receive(ctx *actor.Context[ask], m ask) error {
	if m.id == 0 {
		answer(ctx, m.done)
		return nil
	}
	if err := h.other.Send(ctx, m); err != nil {
		return err
	}
	return nil
}

func answer(ctx *actor.Context[ask], r actor.Reply[int]) { _ = r.Send(ctx, 1) }

// Four: a closure answers, and a stash keeps it.
func defers(ctx *actor.Context[ask], m ask) error {
	if m.id == 1 {
		if err := ctx.Stash(m); err != nil {
			return err
		}
		return nil
	}
	defer func() { _ = m.done.Send(ctx, 2) }()
	return nil
}

// Five: messages without a Reply, and a case that panics.
func mixed(ctx *actor.Context[any], m any) error {
	switch m := m.(type) {
	case note:
		return nil
	case ask:
		if m.id < 0 {
			panic("negative")
		}
		return m.done.Send(ctx, 1)
	case nil:
		return nil
	}
	return actor.ErrUnhandled
}

// Six: it is silenced, with a reason.
func silenced(ctx *actor.Context[ask], m ask) error {
	if m.id == 0 {
		return nil //troupe:ignore reply: the gateway answers
	}
	//troupe:ignore reply: the gateway answers
	return nil
}

// Seven: one struct for messages of several kinds.
func kinds(ctx *actor.Context[box], m box) error {
	switch m.what {
	case "note":
		return nil
	case "ask":
		return m.reply.Send(ctx, "yes")
	}
	return nil
}

// A comment without a reason, and one about something else, silence nothing.
func notSilenced(ctx *actor.Context[ask], m ask) error {
	//troupe:ignore droppederror: it is another matter
	return nil // want `ask is not answered`
}
