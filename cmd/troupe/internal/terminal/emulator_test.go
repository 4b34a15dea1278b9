package terminal_test

import (
	"context"
	"testing"

	"github.com/troupe-go/troupe/actor"
	"github.com/troupe-go/troupe/cmd/troupe/internal/terminal"
	"github.com/troupe-go/troupe/internal/patience"
)

// pressed receives the keys that the emulator sends.
type pressed chan byte

func (p pressed) Write(keys []byte) (int, error) {
	p <- keys[0]
	return len(keys), nil
}

// TestKeystrokesOvertake: a key that is pressed last is passed on before the output
// that waits.
func TestKeystrokesOvertake(t *testing.T) {
	for _, subject := range []string{terminal.Thread, terminal.Actor, terminal.Pool} {
		t.Run(subject, func(t *testing.T) {
			ctx := patience.Context(t)
			sys, err := actor.NewSystem(actor.Config{})
			if err != nil {
				t.Fatal(err)
			}
			defer func() { _ = sys.Stop(context.WithoutCancel(ctx)) }()
			const waiting = 20
			keys := make(pressed, 1)
			x, err := terminal.NewBlocked(ctx, sys, subject, keys, waiting)
			if err != nil {
				t.Fatal(err)
			}
			left := waiting + 1
			defer func() {
				for range left {
					x.Go()
				}
			}()
			if err := x.Key(ctx, 'k'); err != nil {
				t.Fatal(err)
			}
			if subject != terminal.Pool { // Which passes keys on while a chunk is being done.
				left--
				x.Go()
			}
			patience.Until(t, ctx, func() bool { return len(keys) > 0 || x.Parsed() > 10 })
			if len(keys) == 0 {
				t.Errorf("%d bytes are on the screen, and the key was not passed on", x.Parsed())
			}
		})
	}
}
