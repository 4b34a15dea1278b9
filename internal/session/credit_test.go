package session_test

import (
	"fmt"
	"sync"
	"testing"

	"github.com/troupe-go/troupe/internal/patience"
	"github.com/troupe-go/troupe/internal/session"
)

// TestACreditIsReturnedWhenThereIsRoom has a target that never takes a message at once, and one credit: each message comes as
// soon as the credit of the one before is there, and must find its place.
func TestACreditIsReturnedWhenThereIsRoom(t *testing.T) {
	const n = 50
	ctx := patience.Context(t)
	var mu sync.Mutex
	var readers sync.WaitGroup
	var got []string
	all, over, asked := make(chan struct{}), make(chan error, 2), false
	j := newJoint(t, func(cfg *session.Config) {
		cfg.Credits = 1
		cfg.Ended = func(_ *session.Session, err error) { over <- err }
		cfg.Deliver = func(s *session.Session, m *session.Message) session.Verdict {
			mu.Lock()
			defer mu.Unlock()
			if asked = !asked; asked {
				target, lane := m.Target, m.Lane
				readers.Go(func() { s.Ready(target, lane) })
				return session.Full
			}
			if got = append(got, string(m.Payload)); len(got) == n {
				close(all)
			}
			return session.Taken
		}
	})
	link := j.open(t)
	sent := make(chan error, 1)
	go func() {
		for i := range n {
			if err := link.Send(ctx, tell(session.Data, 1), text(fmt.Sprint(i))); err != nil {
				sent <- err
				return
			}
		}
		sent <- nil
	}()
	select {
	case <-all:
	case err := <-over:
		t.Fatalf("the session has ended: %v", err)
	case <-ctx.Done():
		t.Fatal("the messages have not come")
	}
	if err := <-sent; err != nil {
		t.Error(err)
	}
	readers.Wait()
	for i, g := range got {
		if g != fmt.Sprint(i) {
			t.Errorf("message %d is %q", i, g)
		}
	}
	j.close(t)
}
