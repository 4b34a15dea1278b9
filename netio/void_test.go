package netio_test

import (
	"context"
	"errors"
	"net"
	"testing"

	"github.com/troupe-go/troupe/netio"
)

// TestVoidConn uses connections that nobody has made, which are closed ones.
func TestVoidConn(t *testing.T) {
	for name, c := range map[string]*netio.Conn[string]{"nil": nil, "zero": {}} {
		for call, err := range map[string]error{
			"Send": c.Send(t.Context(), "x"), "CloseWrite": c.CloseWrite(), "Close": c.Close(), "Close again": c.Close(), "Err": c.Err(),
		} {
			if !errors.Is(err, net.ErrClosed) {
				t.Errorf("%s: %s returns %v", name, call, err)
			}
		}
		select {
		case <-c.Done():
		default:
			t.Errorf("%s: it is not done", name)
		}
		if c.LocalAddr() != nil || c.RemoteAddr() != nil || c.Traffic() != (netio.Traffic{}) {
			t.Errorf("%s: it has addresses, or traffic", name)
		}
	}
}

// TestVoidListener is the same with listeners.
func TestVoidListener(t *testing.T) {
	var none context.Context
	for name, l := range map[string]*netio.Listener{"nil": nil, "zero": {}} {
		if err := l.Stop(t.Context()); !errors.Is(err, net.ErrClosed) {
			t.Errorf("%s: Stop returns %v", name, err)
		}
		if err := l.Stop(none); !errors.Is(err, netio.ErrConfig) {
			t.Errorf("%s: Stop with a nil context returns %v", name, err)
		}
		if l.Addr() != nil || l.Supervisor() != nil || l.Stats() != (netio.Stats{}) {
			t.Errorf("%s: it has something to tell", name)
		}
	}
}
