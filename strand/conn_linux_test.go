package strand_test

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"os"
	"testing"

	"golang.org/x/sys/unix"

	"github.com/troupe-go/troupe/internal/patience"
	"github.com/troupe-go/troupe/strand"
)

// TestOutOfDescriptors takes all of them away while somebody connects.
func TestOutOfDescriptors(t *testing.T) {
	l, ends := listener(t, echo)
	address := l.Addr().String()
	serves(t, address)
	if err := next(t, ends); err != nil {
		t.Error(err)
	}
	c := dialer(t) // It has its descriptor already.
	giveBack := allBut(t, 0)
	c.connect(t, address)
	patience.Until(t, guarded(t), func() bool { return l.Exhausted() > 0 }) // The server tries, in vain.
	giveBack()
	c.echoes(t)
	if err := next(t, ends); err != nil {
		t.Error(err)
	}
}

// rawConn is a socket that has a descriptor before it is connected.
type rawConn struct{ fd int }

func dialer(t *testing.T) rawConn {
	fd, err := unix.Socket(unix.AF_INET, unix.SOCK_STREAM|unix.SOCK_CLOEXEC, 0)
	if err != nil {
		t.Fatal(err)
	}
	return rawConn{fd}
}

func (c rawConn) connect(t *testing.T, address string) {
	a, err := net.ResolveTCPAddr("tcp", address)
	if err != nil {
		t.Error(err)
		return
	}
	if err := unix.Connect(c.fd, &unix.SockaddrInet4{Port: a.Port, Addr: [4]byte(a.IP.To4())}); err != nil {
		t.Error(err)
	}
}

func (c rawConn) echoes(t *testing.T) {
	t.Helper()
	f := os.NewFile(uintptr(c.fd), "socket")
	defer f.Close() //nolint:errcheck // It was only read.
	answer := make([]byte, 3)
	if _, err := f.WriteString("hi\n"); err != nil {
		t.Fatal(err)
	}
	if _, err := io.ReadFull(f, answer); err != nil || string(answer) != "hi\n" {
		t.Errorf("it answered %q, %v", answer, err)
	}
}

// TestDialIsCancelled has a listener whose queue is full, so that connecting takes
// for ever.
func TestDialIsCancelled(t *testing.T) {
	before := descriptors(t)
	fd, err := unix.Socket(unix.AF_INET, unix.SOCK_STREAM|unix.SOCK_CLOEXEC, 0)
	if err != nil {
		t.Fatal(err)
	}
	if err := errors.Join(unix.Bind(fd, &unix.SockaddrInet4{Addr: [4]byte{127, 0, 0, 1}}), unix.Listen(fd, 0)); err != nil {
		t.Fatal(err)
	}
	at, err := unix.Getsockname(fd)
	if err != nil {
		t.Fatal(err)
	}
	address := fmt.Sprintf("127.0.0.1:%d", at.(*unix.SockaddrInet4).Port)
	cancelled := 0
	run(t, 1, func(s *strand.Strand) error {
		ctx, cancel := context.WithCancelCause(s)
		defer cancel(nil)
		var all []*strand.Strand
		first := strand.NewChan[struct{}](10)
		for range 4 {
			one, err := strand.Go(ctx, func(s *strand.Strand) error {
				c, err := strand.Dial(s, "tcp", address)
				if err != nil {
					return err
				}
				return errors.Join(first.Send(s, struct{}{}), c.Close())
			})
			if err != nil {
				return err
			}
			all = append(all, one)
		}
		if _, err := first.Receive(s); err != nil {
			return err
		}
		cancel(errBroken)
		for _, one := range all {
			switch err := one.Join(s); {
			case errors.Is(err, errBroken):
				cancelled++
			case err != nil:
				return err
			}
		}
		return nil
	})
	if cancelled == 0 {
		t.Error("no Dial was cancelled")
	}
	_ = unix.Close(fd) // It held nothing.
	patience.Until(t, guarded(t), func() bool { return descriptors(t) <= before })
}
