package terminal

import (
	"context"
	"io"
	"strings"

	"github.com/troupe-go/troupe/actor"
)

// Decide, Advice and Flood are the functions of these names.
var (
	Decide = decide
	Advice = advice
	Flood  = flood
	Names  = names
)

// NewResult sums up runs of a subject.
func NewResult(subject string, rounds ...Figures) Result {
	r := Result{Subject: subject, rounds: rounds}
	r.sum()
	return r
}

// Blocked is an emulator whose screen waits until Go is called.
type Blocked struct {
	s *session
	e emulator
}

// NewBlocked returns an emulator that holds a chunk and has n more before it.
func NewBlocked(ctx context.Context, sys *actor.System, subject string, keys io.Writer, n int) (*Blocked, error) {
	emulators, err := newEmulators(sys, subject)
	if err != nil {
		return nil, err
	}
	s := newSession(0, keys)
	e, err := emulators(s)
	for range n + 1 {
		if err == nil {
			c := &chunk{n: 10} // There is no place for it among the free ones.
			copy(c.data[:], "0123456789")
			err = e.output(ctx, c)
		}
	}
	return &Blocked{s, e}, err
}

// Key presses a key.
func (b *Blocked) Key(ctx context.Context, key byte) error { return b.e.key(ctx, key) }

// Go lets one more chunk be done.
func (b *Blocked) Go() { <-b.s.free }

// Parsed is how many bytes are on the screen.
func (b *Blocked) Parsed() int64 { return b.s.parsed.Load() }

// Status is what the program answers to a key.
var Status = status

// Seen is an emulator and the keys that it shows.
type Seen struct {
	s *session
	e emulator
}

// NewSeen returns one of a subject that needs no system.
func NewSeen(subject string) (*Seen, error) {
	emulators, err := newEmulators(nil, subject)
	if err != nil {
		return nil, err
	}
	s := newSession(0, nil)
	e, err := emulators(s)
	return &Seen{s, e}, err
}

// Output passes a piece of output.
func (x *Seen) Output(ctx context.Context, text string) error {
	c := <-x.s.free
	c.n = copy(c.data[:], text)
	return x.e.output(ctx, c)
}

// Shown are the keys that were shown since the last time.
func (x *Seen) Shown() (keys []rune) {
	for len(x.s.shown) > 0 {
		keys = append(keys, (<-x.s.shown).key)
	}
	return keys
}

// Pipeline is the four stages of a keystroke.
type Pipeline struct{ p *pipeline }

// NewPipeline returns one of a subject, in a system.
func NewPipeline(sys *actor.System, subject string) (*Pipeline, error) {
	p, err := newPipeline(sys, subject)
	return &Pipeline{p}, err
}

// Type types a key, waits until it is seen, and returns the last row of the screen.
func (x *Pipeline) Type(ctx context.Context, key byte) (row string, err error) {
	if err := x.p.hand(ctx, 0, parcel{key: key}); err != nil {
		return "", err
	}
	if _, err := x.p.session.wait(ctx, decode(key).letter); err != nil {
		return "", err
	}
	return x.Row(Rows - 1), nil
}

// Output hands the first stage a piece of output, and waits until it is on the screen.
func (x *Pipeline) Output(ctx context.Context, text string) error {
	c := <-x.p.session.free
	c.n = copy(c.data[:], text)
	if err := x.p.hand(ctx, 0, parcel{chunk: c}); err != nil {
		return err
	}
	return x.p.session.settle(ctx)
}

// Row returns a row of the screen.
func (x *Pipeline) Row(row int) (text string) {
	for col := range Cols {
		text += string(x.p.session.screen.At(row, col))
	}
	return strings.TrimRight(text, " ")
}

// Passed returns how many messages the stages have taken.
func (x *Pipeline) Passed() int64 { return x.p.passed.Load() }
