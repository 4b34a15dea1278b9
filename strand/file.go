package strand

import (
	"context"
	"errors"
	"os"
)

var (
	errNilFile     = errors.New("strand: the file is nil")
	errNilConn     = errors.New("strand: the connection is nil")
	errNotPollable = errors.New("strand: the listener is of a kind that can't be polled")
)

// File takes over an open file, which must not be used any more; with an error it
// stays the caller's. A pipe made by [os.Pipe] and, but on macOS, a FIFO opened by
// [os.OpenFile] are polled. Regular files can't be, and terminals and the standard streams are shared
// with other processes, which would be disturbed: of those, each call that waits takes
// a goroutine for so long. A read from a terminal that is cancelled goes on until a
// line comes, which the next read gets; after Close it is dropped, and the goroutine
// and the descriptor last until then.
func File(f *os.File) (*Conn, error) {
	if f == nil {
		return nil, errNilFile
	}
	t, err := wrapFile(f)
	if err != nil {
		return nil, err
	}
	return newConn(t), nil
}

// Open opens a file, as [os.OpenFile] does, on a goroutine.
func Open(ctx context.Context, name string, flag int, mode os.FileMode) (*Conn, error) {
	if ctx == nil {
		return nil, errNilContext
	}
	f, err := onGoroutine(ctx, func(context.Context) (*os.File, error) { return os.OpenFile(name, flag, mode) },
		func(f *os.File) { _ = f.Close() }) // Nobody wants it any more.
	if err != nil {
		return nil, err
	}
	c, err := File(f)
	if err != nil {
		_ = f.Close() // The first error says more.
		return nil, &os.PathError{Op: "open", Path: name, Err: err}
	}
	return c, nil
}
