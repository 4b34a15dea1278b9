package memory_test

import (
	"context"
	"errors"
	"sync"
	"testing"

	"github.com/troupe-go/troupe/internal/leak"
	"github.com/troupe-go/troupe/journal"
	"github.com/troupe-go/troupe/journal/journaltest"
	"github.com/troupe-go/troupe/journal/memory"
)

func TestMain(m *testing.M) { leak.Main(m) }

// open is a store without Close.
type open struct {
	journal.Store
	journal.Catalog
	journal.Keeper
}

func TestSuite(t *testing.T) {
	var mu sync.Mutex
	stores := map[string]*memory.Store{}
	journaltest.Run(t, func(t *testing.T, dir string) journal.Store {
		mu.Lock()
		defer mu.Unlock()
		if s := stores[dir]; s != nil {
			return open{s, s, s}
		}
		s := memory.New()
		stores[dir] = s
		return open{s, s, s}
	})
}

func TestClose(t *testing.T) {
	s := memory.New()
	if err := s.Close(); err != nil {
		t.Fatal(err)
	}
	if _, err := s.LoadSnapshot(t.Context(), "s"); !errors.Is(err, journal.ErrClosed) {
		t.Errorf("got %v, want ErrClosed", err)
	}
}

// A crash leaves as much as the fault says, and the store does nothing until it is
// restarted.
func TestFaults(t *testing.T) {
	for _, c := range []struct {
		fault            memory.Fault
		stored, unknown  bool
		crashed, failure bool
	}{
		{memory.None, true, false, false, false},
		{memory.Refuse, false, false, false, true},
		{memory.LoseAnswer, true, true, false, true},
		{memory.CrashBefore, false, true, true, true},
		{memory.CrashAfter, true, true, true, true},
	} {
		s := memory.New()
		s.Inject(func([]*journal.Write) memory.Fault { return c.fault })
		write := func(s *memory.Store) error {
			return s.Append(context.Background(), []*journal.Write{{Stream: "s", Expected: journal.AnyVersion, Events: []journal.Encoded{{Type: "e"}}}})
		}
		if err := write(s); (err != nil) != c.failure || errors.Is(err, journal.ErrUnknownOutcome) != c.unknown {
			t.Errorf("fault %d: Append returns %v", c.fault, err)
		}
		s.Inject(nil)
		if _, err := s.LoadSnapshot(t.Context(), "s"); errors.Is(err, memory.ErrCrashed) != c.crashed {
			t.Errorf("fault %d: the store then returns %v", c.fault, err)
		}
		again := s.Restart()
		n := 0
		for _, err := range again.Read(t.Context(), "s", 0) {
			if err != nil {
				t.Fatal(err)
			}
			n++
		}
		if (n == 1) != c.stored {
			t.Errorf("fault %d: %d events are left", c.fault, n)
		}
		if err := write(s); !errors.Is(err, memory.ErrCrashed) {
			t.Errorf("fault %d: the store before the restart returns %v", c.fault, err)
		}
		if err := write(again); err != nil {
			t.Errorf("fault %d: after the restart: %v", c.fault, err)
		}
	}
}
