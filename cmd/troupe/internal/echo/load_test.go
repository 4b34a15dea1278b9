package echo_test

import (
	"context"
	"io"
	"net"
	"strings"
	"testing"
	"time"

	"github.com/troupe-go/troupe/cmd/troupe/internal/echo"
	"github.com/troupe-go/troupe/internal/patience"
)

// deaf accepts connections, and takes all and answers nothing.
func deaf(t *testing.T) (address string) {
	t.Helper()
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	ended := make(chan struct{})
	go func() {
		defer close(ended)
		for {
			c, err := l.Accept()
			if err != nil {
				return
			}
			_, _ = io.Copy(io.Discard, c) // Until the client has gone.
			_ = c.Close()
		}
	}()
	t.Cleanup(func() { _ = l.Close(); <-ended })
	return l.Addr().String()
}

func TestLoadOfADeafServer(t *testing.T) {
	l := echo.Load{Address: deaf(t), Clients: 1, Size: 8, Duration: time.Millisecond, Grace: 10 * time.Millisecond}
	r, err := l.Run(patience.Context(t))
	if err != nil || r.Failed != 1 || r.Requests != 0 || !strings.Contains(r.FirstError, "no answer") || r.Interrupted {
		t.Errorf("the report is %+v, %v", r, err)
	}
}

func TestLoadIsInterrupted(t *testing.T) {
	ctx, cancel := context.WithCancel(patience.Context(t))
	cancel()
	l := echo.Load{Address: deaf(t), Clients: 1, Size: 8, Duration: time.Hour}
	if r, err := l.Run(ctx); err != nil || !r.Interrupted || r.Failed != 0 {
		t.Errorf("the report is %+v, %v", r, err)
	}
}
