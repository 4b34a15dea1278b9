// Command frames shows frames that a camera makes faster than they can be drawn. The screen
// is an actor whose lane holds one frame. A newer frame takes the place of one that still
// waits, so the screen is never behind by more than the frame that it draws, and the camera
// never waits.
//
//	go run ./examples/frames
//	frame 1
//	frame 3
//	...
//	100 frames: 36 drawn, 64 skipped, the last drawn is 100
package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"sync/atomic"
	"time"

	"github.com/troupe-go/troupe/actor"
	"github.com/troupe-go/troupe/task"
)

// frame is a picture. A real one has pixels.
type frame struct{ number int }

// screen draws what it is sent.
type screen struct {
	w     io.Writer
	draws time.Duration // How long it takes to draw a frame.
	drawn int
	last  int
}

// Receive draws a frame.
func (s *screen) Receive(ctx *actor.Context[frame], f frame) error {
	if err := task.Sleep(ctx, s.draws); err != nil {
		return err
	}
	s.drawn, s.last = s.drawn+1, f.number
	_, err := fmt.Fprintln(s.w, "frame", f.number)
	return err
}

// film is a camera and a screen.
type film struct {
	frames int
	every  time.Duration // How often the camera makes a frame.
	draws  time.Duration
}

// play shows a film, and then says what became of the frames.
func (f film) play(ctx context.Context, w io.Writer) (err error) {
	var skipped atomic.Int64
	sys, err := actor.NewSystem(actor.Config{OnDeadLetter: func(d actor.DeadLetter) {
		if errors.Is(d.Reason, actor.ErrOverflow) {
			skipped.Add(1)
		}
	}})
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, sys.Stop(context.WithoutCancel(ctx))) }()
	s := &screen{w: w, draws: f.draws}
	ref, err := actor.Spawn(sys, s, actor.WithName("screen"), actor.WithCapacity(actor.Data, 1), actor.WithBuffer(actor.Data, actor.Sliding))
	if err != nil {
		return err
	}
	for n := range f.frames {
		if err := ref.Send(ctx, frame{n + 1}); err != nil {
			return err
		}
		if err := task.Sleep(ctx, f.every); err != nil {
			return err
		}
	}
	if err := ref.Drain(ctx); err != nil { // The screen ends when it has drawn what waits.
		return err
	}
	_, err = fmt.Fprintf(w, "%d frames: %d drawn, %d skipped, the last drawn is %d\n", f.frames, s.drawn, skipped.Load(), s.last)
	return err
}

func main() {
	f := film{frames: 100, every: time.Millisecond, draws: 4 * time.Millisecond}
	if err := f.play(context.Background(), os.Stdout); err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}
