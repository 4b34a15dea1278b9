package netio_test

import (
	"errors"
	"net"
	"testing"

	"golang.org/x/sys/unix"

	"github.com/troupe-go/troupe/netio"
)

// TestStreamThatCannotBeTaken attaches a stream when no descriptor is left to take it
// over by. It is closed then.
func TestStreamThatCannotBeTaken(t *testing.T) {
	ctx := guarded(t)
	sys := newSystem(t)
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	near, err := net.Dial("tcp", l.Addr().String())
	if err != nil {
		t.Fatal(err)
	}
	defer l.Close() //nolint:errcheck // Nobody accepts.
	to := collector(t, sys, make(chan input))
	var was unix.Rlimit
	if err := unix.Getrlimit(unix.RLIMIT_NOFILE, &was); err != nil {
		t.Fatal(err)
	}
	none := was
	none.Cur = 1 // The standard input's.
	if err := unix.Setrlimit(unix.RLIMIT_NOFILE, &none); err != nil {
		t.Fatal(err)
	}
	_, err = netio.AttachStream(ctx, sys, to, near, attaching())
	if err := unix.Setrlimit(unix.RLIMIT_NOFILE, &was); err != nil {
		t.Fatal(err)
	}
	if !errors.Is(err, unix.EMFILE) {
		t.Errorf("the error is %v", err)
	}
	if _, err := near.Write([]byte("x")); !errors.Is(err, net.ErrClosed) {
		t.Errorf("the stream is open: %v", err)
	}
}
