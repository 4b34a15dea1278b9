package terminal

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"slices"

	"github.com/creack/pty"
	"golang.org/x/term"
)

// quit is the key at which the program ends.
const quit = 0x04

// prelude has all but the last row scroll.
var prelude = fmt.Sprintf("\x1b[1;%dr\x1b[1;1H", Rows-1)

// program is what runs at the other end of a pseudo-terminal: it answers each key
// by showing it in the last row, as an editor does in its status line, and writes
// output. Above that row the screen scrolls.
type program struct {
	master *os.File // The emulator's end.
	slave  *os.File // The program's end, in raw mode.
	done   chan struct{}
	err    error // Why it has ended, if not by quit. To be read after done.
}

// start opens a pseudo-terminal and runs a program on it.
func start() (*program, error) {
	master, tty, err := pty.Open()
	if errors.Is(err, pty.ErrUnsupported) {
		return nil, fmt.Errorf("terminal: this system has no pseudo-terminals that can be opened; use Linux or macOS: %w", err)
	}
	if err != nil {
		return nil, fmt.Errorf("terminal: opening a pseudo-terminal: %w", err)
	}
	p := &program{master: master, done: make(chan struct{})}
	if p.slave, err = blocking(tty); err != nil {
		return nil, errors.Join(fmt.Errorf("terminal: opening the program's end: %w", err), master.Close())
	}
	if _, err := fmt.Fprint(p.slave, prelude); err != nil { // Before all other output.
		return nil, errors.Join(fmt.Errorf("terminal: setting the screen up: %w", err), master.Close(), p.slave.Close())
	}
	go p.run()
	return p, nil
}

// blocking opens a terminal once more, in raw mode, as programs have it: what is
// not blocking makes cat fail, and is never granted a turn beside one who blocks.
func blocking(tty *os.File) (*os.File, error) {
	_, err := term.MakeRaw(int(tty.Fd()))
	if err == nil {
		err = pty.Setsize(tty, &pty.Winsize{Rows: Rows, Cols: Cols})
	}
	again, openErr := open(tty.Name())
	if err = errors.Join(err, openErr, tty.Close()); err != nil {
		return nil, err
	}
	return again, nil
}

// run answers keys until one says to quit, or the terminal is closed.
func (p *program) run() {
	defer close(p.done)
	keys := make([]byte, 64)
	for p.err == nil {
		n, err := p.slave.Read(keys)
		p.err = err
		for _, key := range keys[:n] {
			if key == quit {
				return
			}
			if _, err := p.slave.Write(status(key)); err != nil {
				p.err = err
			}
		}
	}
}

// status is what shows a key in the last row.
func status(key byte) []byte {
	return fmt.Appendf(nil, "\x1b7\x1b[%d;1H%c\x1b8", Rows, key)
}

// write writes output n times, in chunks, and then shows a key as the end of it.
func (p *program) write(text []byte, n int, end byte) error {
	for range n {
		for part := range slices.Chunk(text, ChunkSize) {
			if _, err := p.slave.Write(part); err != nil {
				return fmt.Errorf("terminal: writing output: %w", err)
			}
		}
	}
	_, err := p.slave.Write(status(end))
	return err
}

// flood has cat write a file to the terminal, over and over until ctx ends, or
// once.
func (p *program) flood(ctx context.Context, path string, once bool) error {
	for ctx.Err() == nil {
		files := slices.Repeat([]string{path}, 100) // So that cat seldom starts again.
		if once {
			files = files[:1]
		}
		cat := exec.CommandContext(ctx, "cat", files...)
		cat.Stdout = p.slave
		if err := cat.Run(); err != nil && ctx.Err() == nil {
			return fmt.Errorf("terminal: cat %s: %w", path, err)
		}
		if once {
			break
		}
	}
	return nil
}

// stop has the program quit, and closes its end. Somebody must still read what it
// has written.
func (p *program) stop(ctx context.Context) error {
	if _, err := p.master.Write([]byte{quit}); err != nil {
		return fmt.Errorf("terminal: ending the program: %w", err)
	}
	select {
	case <-p.done:
		return errors.Join(p.err, p.slave.Close())
	case <-ctx.Done():
		return fmt.Errorf("terminal: the program does not end: %w", context.Cause(ctx))
	}
}
