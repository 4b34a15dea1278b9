package terminal

import (
	"context"
	"errors"
	"fmt"
	"io"
	"sync/atomic"
	"syscall"
	"time"
)

// chunk is a piece of a program's output.
type chunk struct {
	data [ChunkSize]byte
	n    int
}

// inFlight is how many chunks may be on their way to the screen: enough that the
// reader and the parser don't wait for each other, few enough that a keystroke's
// echo, which comes behind them, is not late by more than a millisecond.
const inFlight = 32

// sighting is a key that has come to be seen on the screen.
type sighting struct {
	key rune
	at  time.Time
}

// session is a terminal's screen and what belongs to it. Only the emulator calls
// feed and press, feed by one goroutine at a time.
type session struct {
	screen *Screen
	keys   io.Writer // The program's input.
	free   chan *chunk
	shown  chan sighting
	last   rune
	parsed atomic.Int64 // Bytes that are on the screen.
	number int          // Of the session within its emulator.
}

func newSession(number int, keys io.Writer) *session {
	s := &session{
		screen: NewScreen(Rows, Cols), keys: keys, number: number, last: ' ',
		free: make(chan *chunk, inFlight), shown: make(chan sighting, 1),
	}
	for range inFlight {
		s.free <- &chunk{}
	}
	return s
}

// feed puts a chunk on the screen, and tells of a key that has come to be seen.
func (s *session) feed(c *chunk) {
	_, _ = s.screen.Write(c.data[:c.n])
	s.parsed.Add(int64(c.n))
	s.free <- c
	if key := s.screen.At(Rows-1, 0); key != s.last {
		s.last = key
		select {
		case s.shown <- sighting{key, time.Now()}:
		default: // Nobody asked for the last sighting, so the next waiter gets a wrong one.
		}
	}
}

// settle waits until all that was read is on the screen, which may then be looked
// at. The session is of no use any more.
func (s *session) settle(ctx context.Context) error {
	for range inFlight {
		select {
		case <-s.free:
		case <-ctx.Done():
			return fmt.Errorf("terminal: output was not parsed: %w", context.Cause(ctx))
		}
	}
	return nil
}

// press passes a keystroke on to the program.
func (s *session) press(key byte) error {
	_, err := s.keys.Write([]byte{key})
	return err
}

// read reads the program's output until the program has closed its end, and has
// the emulator take it. The output is also written to record, if that is not nil.
// It reports a failure at once. After a failure or the end of ctx it goes on to read,
// so that the program can end.
func (s *session) read(ctx context.Context, from io.Reader, to emulator, record io.Writer, fail func(error)) {
	unused := &chunk{}
	for {
		c := unused
		select {
		case c = <-s.free:
		case <-ctx.Done():
		}
		n, err := from.Read(c.data[:])
		if c.n = n; n > 0 && record != nil {
			_, _ = record.Write(c.data[:n])
		}
		switch {
		case c == unused:
		case n == 0:
			s.free <- c
		default:
			if err := to.output(ctx, c); err != nil {
				fail(fmt.Errorf("terminal: passing output on: %w", err))
			}
		}
		switch {
		case errors.Is(err, io.EOF), errors.Is(err, syscall.EIO): // How systems tell of a hang-up.
			return
		case err != nil:
			fail(fmt.Errorf("terminal: reading output: %w", err))
			return
		}
	}
}

// patience is how long a key may take to be seen. It is far above what is
// measured, and low enough that a fault does not go unnoticed.
const patience = 30 * time.Second

// wait waits until a key is seen.
func (s *session) wait(ctx context.Context, key byte) (time.Time, error) {
	late := time.NewTimer(patience)
	defer late.Stop()
	select {
	case seen := <-s.shown:
		if seen.key != rune(key) {
			return seen.at, fmt.Errorf("terminal: the screen shows %q in place of %q", seen.key, key)
		}
		return seen.at, nil
	case <-late.C:
		return time.Time{}, fmt.Errorf("terminal: the screen does not show %q within %v", key, patience)
	case <-ctx.Done():
		return time.Time{}, context.Cause(ctx)
	}
}
