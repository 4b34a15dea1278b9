package strand_test

import (
	"context"
	"net"
	"testing"
	"time"

	"github.com/troupe-go/troupe/strand"
)

// TestVoidConn uses connections that nobody has made, which are closed ones.
func TestVoidConn(t *testing.T) {
	ctx := t.Context()
	for name, c := range map[string]*strand.Conn{"nil": nil, "zero": {}} {
		n := c.Net(ctx)
		for call, err := range map[string]error{
			"Read":             second(c.Read(ctx, make([]byte, 1))),
			"Append":           second(c.Append(ctx, nil)),
			"ReadLine":         second(c.ReadLine(ctx)),
			"AppendLine":       second(c.AppendLine(ctx, nil)),
			"Write":            second(c.Write(ctx, []byte("x"))),
			"Write of nothing": second(c.Write(ctx, nil)),
			"WriteLine":        c.WriteLine(ctx, "x"),
			"TryWrite":         second(c.TryWrite(ctx, []byte("x"))),
			"SetLineLimit":     c.SetLineLimit(1),
			"CloseWrite":       c.CloseWrite(),
			"Close":            c.Close(),
			"Close again":      c.Close(),
			"Net.Read":         second(n.Read(make([]byte, 1))),
			"Net.Write":        second(n.Write([]byte("x"))),
			"Net.SetDeadline":  n.SetDeadline(time.Now()),
			"Net.Close":        n.Close(),
		} {
			t.Run(name+" "+call, func(t *testing.T) { is(t, err, net.ErrClosed) })
		}
		if c.LocalAddr() != nil || c.RemoteAddr() != nil || n.LocalAddr() != nil || n.RemoteAddr() != nil {
			t.Errorf("%s: it has an address", name)
		}
	}
}

// TestVoidListener is the same with listeners.
func TestVoidListener(t *testing.T) {
	for name, l := range map[string]*strand.Listener{"nil": nil, "zero": {}} {
		for call, err := range map[string]error{
			"Accept": second(l.Accept(t.Context())), "Close": l.Close(), "Close again": l.Close(),
		} {
			t.Run(name+" "+call, func(t *testing.T) { is(t, err, net.ErrClosed) })
		}
		if l.Addr() != nil || l.Exhausted() != 0 {
			t.Errorf("%s: address %v, exhausted %d", name, l.Addr(), l.Exhausted())
		}
	}
}

// TestNetDeadlines sets deadlines where there is no context, and after the end.
func TestNetDeadlines(t *testing.T) {
	one, two := strand.Pipe()
	defer two.Close() //nolint:errcheck // Nothing is left in it.
	var none context.Context
	n := one.Net(none)
	for call, err := range map[string]error{
		"Read": second(n.Read(make([]byte, 1))), "Write": second(n.Write([]byte("x"))), "SetDeadline": n.SetReadDeadline(time.Now()),
	} {
		if err == nil {
			t.Errorf("%s with a nil context succeeds", call)
		}
	}
	if err := n.Close(); err != nil {
		t.Error(err)
	}
	n = one.Net(t.Context())
	is(t, n.SetWriteDeadline(time.Now().Add(time.Hour)), net.ErrClosed)
	is(t, n.SetDeadline(time.Time{}), net.ErrClosed)
	is(t, one.SetLineLimit(1), net.ErrClosed)
}

func second[T any](_ T, err error) error { return err }
