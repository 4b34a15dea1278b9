package strand_test

import (
	"context"
	"errors"
	"io"
	"net"
	"os"
	"path/filepath"
	"testing"

	"github.com/troupe-go/troupe/strand"
)

// TestTryWriteNeverWaits writes to a peer that does not read until there is no room,
// and then waits for it: nothing is lost, nothing comes twice.
func TestTryWriteNeverWaits(t *testing.T) {
	one, two := strand.Pipe()
	near, far := connected(t)
	for name, ends := range map[string][2]*strand.Conn{"pipe": {one, two}, "tcp": {near, far}} {
		run(t, 1, func(s *strand.Strand) error {
			var sent []byte
			for i := 0; ; i++ {
				piece := []byte{byte(i), byte(i >> 8), byte(i >> 16)}
				n, err := ends[0].TryWrite(s, piece)
				if err != nil {
					return err
				}
				sent = append(sent, piece...)
				if n < len(piece) {
					if again, err := ends[0].TryWrite(s, piece); again != 0 || err != nil {
						t.Errorf("%s: without room: %d bytes, %v", name, again, err)
					}
					reader, err := strand.Call(s, func(s *strand.Strand) ([]byte, error) { return all(s, ends[1]) })
					if err != nil {
						return err
					}
					if _, err := ends[0].Write(s, piece[n:]); err != nil {
						return err
					}
					if err := ends[0].Close(); err != nil {
						return err
					}
					got, err := reader.Join(s)
					if string(got) != string(sent) {
						t.Errorf("%s: of %d bytes %d have come, or others", name, len(sent), len(got))
					}
					_ = ends[1].Close() // It has been read to its end.
					return err
				}
			}
		})
	}
}

func all(s *strand.Strand, c *strand.Conn) (got []byte, err error) {
	for err == nil {
		got, err = c.Append(s, got)
	}
	if errors.Is(err, io.EOF) {
		err = nil
	}
	return got, err
}

// connected returns the two ends of a connection, with little room in it.
func connected(t *testing.T) (near, far *strand.Conn) {
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer l.Close() //nolint:errcheck // It is of no use any more.
	dialled := dial(t, l.Addr().String())
	accepted, err := l.Accept()
	if err != nil {
		t.Fatal(err)
	}
	if err := errors.Join(dialled.SetWriteBuffer(4096), accepted.(*net.TCPConn).SetReadBuffer(4096)); err != nil {
		t.Fatal(err)
	}
	if near, err = strand.Wrap(dialled); err != nil {
		t.Fatal(err)
	}
	if far, err = strand.Wrap(accepted); err != nil {
		t.Fatal(err)
	}
	return near, far
}

func TestTryWriteErrors(t *testing.T) {
	run(t, 1, func(s *strand.Strand) error {
		one, two := strand.Pipe()
		gone, cancel := context.WithCancelCause(s)
		cancel(io.ErrNoProgress)
		try := func(ctx context.Context) error { _, err := one.TryWrite(ctx, []byte("x")); return err }
		is(t, try(gone), io.ErrNoProgress)
		if err := try(nil); err == nil {
			t.Error("a nil context is taken")
		}
		_ = two.Close() // It is in memory.
		is(t, try(s), io.ErrClosedPipe)
		_ = one.Close() // As above.
		is(t, try(s), net.ErrClosed)
		_, err := (*strand.Conn)(nil).TryWrite(s, nil)
		is(t, err, net.ErrClosed)

		near, far := connected(t)
		_ = far.Close() // Every later write is reset.
		for err = nil; err == nil; {
			_, err = near.TryWrite(s, []byte("x"))
			s.Yield()
		}
		var op *net.OpError
		if !errors.As(err, &op) || op.Op != "write" {
			t.Errorf("the peer has gone: %v", err)
		}
		_ = near.Close() // As above.

		f, err := strand.Open(s, filepath.Join(t.TempDir(), "f"), os.O_CREATE|os.O_WRONLY, 0o600)
		if err != nil {
			return err
		}
		if n, err := f.TryWrite(s, []byte("x")); n != 0 || err != nil {
			t.Errorf("a file: %d, %v", n, err)
		}
		return f.Close()
	})
}
