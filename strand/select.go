package strand

import (
	"context"
	"errors"
	"time"

	"github.com/troupe-go/troupe/internal/workers"
)

// Case is one of the operations among which [Select] chooses. It belongs to one
// Select.
type Case interface {
	// attempt does the operation if that is possible without waiting, and if not
	// queues up in its channel, unless sel is nil.
	attempt(ctx context.Context, sel *selection, w workers.Waiter) (done bool)
	// leave takes the case out of its channel. It returns true if it was served.
	leave() (served bool)
	// finish returns the operation's error.
	finish() error
}

var (
	errNoCases = errors.New("strand: Select was given no cases; use Park to wait for the end of the context")
	errNilCase = errors.New("strand: Select was given a nil case, or one of a nil channel")
)

// Select waits until one of the operations can be done, does it, and returns its
// place among the cases, with its error: [ErrClosed] where the channel is closed.
// If several can, the first is taken, counted from another case each time, so
// that none is starved. If ctx ends first it returns -1 and the cause.
//
//	var line string
//	switch i, err := strand.Select(s, lines.ToReceive(&line), done.ToSend(x), strand.After(time.Second)); i {
func Select(ctx context.Context, cases ...Case) (int, error) {
	if err := checkSelect(ctx, cases); err != nil {
		return -1, err
	}
	if err := pass(ctx); err != nil {
		return -1, err
	}
	at, start, err := attempt(ctx, cases)
	if at >= 0 {
		return at, err
	}
	return wait(ctx, cases, start)
}

// TrySelect is Select without waiting. It returns -1 and nil if no operation can
// be done.
func TrySelect(ctx context.Context, cases ...Case) (int, error) {
	if err := checkSelect(ctx, cases); err != nil {
		return -1, err
	}
	if err := pass(ctx); err != nil {
		return -1, err
	}
	at, _, err := attempt(ctx, cases)
	return at, err
}

// attempt does what can be done at once, and returns where the search began.
func attempt(ctx context.Context, cases []Case) (at, start int, err error) {
	start = startOf(ctx, len(cases))
	for i := range cases {
		i = (start + i) % len(cases)
		if cases[i].attempt(ctx, nil, workers.Waiter{}) {
			return i, start, cases[i].finish()
		}
	}
	return -1, start, nil
}

func checkSelect(ctx context.Context, cases []Case) error {
	switch {
	case ctx == nil:
		return errNilContext
	case len(cases) == 0:
		return errNoCases
	}
	for _, c := range cases {
		if c == nil {
			return errNilCase
		}
	}
	return nil
}

// startOf says where the search begins.
func startOf(ctx context.Context, n int) int {
	if s := Current(ctx); s != nil {
		s.turn++
		return int(s.turn) % n
	}
	return 0
}

func wait(ctx context.Context, cases []Case, start int) (int, error) {
	var w workers.Waiter
	w.Arm(ctx, nil)
	defer w.Disarm()
	sel := newSelection()
	queued := 0
	for i := range cases {
		at := (start + i) % len(cases)
		queued++
		if cases[at].attempt(ctx, sel, w) {
			break // It was served here, or by somebody else.
		}
	}
	explain(ctx, false)
	for !sel.over() {
		if !w.Wait(ctx) && sel.claim() {
			leaveAll(cases, start, queued)
			return -1, cause(ctx)
		}
	}
	at := leaveAll(cases, start, queued)
	return at, cases[at].finish()
}

// leaveAll takes the cases out of their channels, and returns which was served.
func leaveAll(cases []Case, start, queued int) (served int) {
	served = -1
	for i := range queued {
		at := (start + i) % len(cases)
		if cases[at].leave() {
			served = at
		}
	}
	return served
}

// over reports whether the selection was claimed.
func (s *selection) over() bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.gone
}

// ToSend is [Chan.Send] as a case.
func (c *Chan[T]) ToSend(v T) Case {
	if c == nil {
		return nil
	}
	return &chanCase[T]{c: c, send: true, e: entry[T]{value: v}}
}

// ToReceive is [Chan.Receive] as a case. The value goes to where into points,
// unless that is nil.
func (c *Chan[T]) ToReceive(into *T) Case {
	if c == nil {
		return nil
	}
	return &chanCase[T]{c: c, into: into}
}

// chanCase is an operation of a channel.
type chanCase[T any] struct {
	c    *Chan[T]
	send bool
	into *T
	e    entry[T]
}

func (k *chanCase[T]) attempt(ctx context.Context, sel *selection, w workers.Waiter) bool {
	c := k.c
	c.mu.Lock()
	defer c.mu.Unlock()
	k.e.of = sel
	done, got, err := c.try(ctx, k.send, k.e.value, sel)
	switch {
	case done:
		k.e.done, k.e.err = true, err
		if !k.send {
			k.e.value = got
		}
		return true
	case sel != nil && sel.over():
		return true
	case sel != nil:
		k.e.waiter = w
		c.side(k.send).add(&k.e)
	}
	return false
}

func (k *chanCase[T]) leave() bool {
	k.c.mu.Lock()
	defer k.c.mu.Unlock()
	k.c.side(k.send).remove(&k.e)
	return k.e.done
}

func (k *chanCase[T]) finish() error {
	if k.into != nil && k.e.err == nil {
		*k.into = k.e.value
	}
	return k.e.err
}

// After is a case that can be done once d has passed from the begin of the
// Select.
func After(d time.Duration) Case { return &timeCase{d: d} }

// timeCase is a case that the time serves.
type timeCase struct {
	d     time.Duration
	timer *time.Timer
	won   bool // Written by who has claimed the selection, before the wake-up.
}

func (t *timeCase) attempt(_ context.Context, sel *selection, w workers.Waiter) bool {
	if t.d <= 0 && sel.claim() {
		t.won = true
		return true
	}
	if sel == nil {
		return false
	}
	t.timer = time.AfterFunc(t.d, workers.InOrder(func() {
		if t.win(sel) {
			w.Wake(nil, workers.Low)
		}
	}))
	return sel.over()
}

// win claims the selection for the time.
func (t *timeCase) win(sel *selection) bool {
	sel.mu.Lock()
	defer sel.mu.Unlock()
	if sel.gone {
		return false
	}
	sel.gone, t.won = true, true
	return true
}

func (t *timeCase) leave() bool {
	if t.timer != nil {
		t.timer.Stop()
	}
	return t.won
}

func (t *timeCase) finish() error { return nil }
