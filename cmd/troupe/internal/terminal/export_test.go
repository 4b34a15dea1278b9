package terminal

import (
	"context"
	"io"

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
