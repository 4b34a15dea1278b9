//go:build linux || darwin || freebsd || netbsd || openbsd || dragonfly

package strand_test

import (
	"errors"
	"net"
	"syscall"
	"testing"
	"time"

	"github.com/troupe-go/troupe/sched"
	"github.com/troupe-go/troupe/simtest"
	"github.com/troupe-go/troupe/strand"
)

// maxSlowClients is the largest number of slow clients, with two descriptors each in this process.
func maxSlowClients(t *testing.T) int {
	t.Helper()
	var limit syscall.Rlimit
	if err := syscall.Getrlimit(syscall.RLIMIT_NOFILE, &limit); err != nil {
		t.Fatal(err)
	}
	return min(2000, max(10, int(min(uint64(limit.Cur), 1<<20))/2-100)) //nolint:unconvert // It is signed elsewhere.
}

// TestCloseEndsThePauseOfAccept closes a listener while Accept pauses, since there are no
// descriptors. The time is virtual.
func TestCloseEndsThePauseOfAccept(t *testing.T) {
	simtest.Run(t, simtest.Config{}, func(s *simtest.Sim) {
		sc := s.Scheduler(sched.Config{})
		began := s.Now()
		l := strand.NewExhaustedListener()
		accepts, err := strand.Go(s.Context(), func(s *strand.Strand) error {
			_, err := l.Accept(s)
			return err
		}, strand.On(sc))
		if err != nil {
			s.Fatal(err)
		}
		const at = 10*time.Second + time.Millisecond
		if _, err := strand.Go(s.Context(), func(s *strand.Strand) error {
			return errors.Join(s.Sleep(at), l.Close())
		}, strand.On(sc)); err != nil {
			s.Fatal(err)
		}
		if err := accepts.Join(s.Context()); !errors.Is(err, net.ErrClosed) {
			s.Errorf("Accept says %v", err)
		}
		if took := s.Now().Sub(began); took != at {
			s.Errorf("it took %v, want %v", took, at)
		}
		if n := l.Exhausted(); n < 10 || n > 30 {
			s.Errorf("it looked %d times", n)
		}
	})
}
