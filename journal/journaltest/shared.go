package journaltest

import (
	"context"
	"errors"
	"fmt"
	"io"
	"slices"
	"sync"

	"github.com/troupe-go/troupe/journal"
)

// Of writers at the same time.
const writers, each = 8, 20

// together runs f for each writer at the same time.
func together(f func(writer int)) {
	var all sync.WaitGroup
	for i := range writers {
		all.Go(func() { f(i) })
	}
	all.Wait()
}

var sharedTests = []test{
	{"of writers at the same version one is first", func(k *kit) {
		won := make([]int, each)
		var mu sync.Mutex
		together(func(i int) {
			for version := range each {
				w := write("s", uint64(version), fmt.Sprint(version))
				if err := k.s.Append(k.ctx, []*journal.Write{w}); err != nil {
					k.Errorf("writer %d: %v", i, err)
					return
				}
				if w.Err == nil {
					mu.Lock()
					won[version]++
					mu.Unlock()
				}
			}
		})
		for version, n := range won {
			if n != 1 {
				k.Errorf("%d writers were first at version %d, want 1", n, version)
			}
		}
		k.has("s", numbered("", each)...)
	}},
	{"writers at any version all write", func(k *kit) {
		together(func(i int) {
			for n := range each {
				w := write("s", journal.AnyVersion, fmt.Sprintf("%d/%d", i, n))
				if err := k.s.Append(k.ctx, []*journal.Write{w}); err != nil || w.Err != nil {
					k.Errorf("writer %d: %v, %v", i, err, w.Err)
				}
			}
		})
		k.eachInOrder(k.records("s", 0))
	}},
	{"a feed that is followed misses nothing while many write", func(k *kit) {
		writing, wrote := make(chan struct{}), make(chan struct{}, 1)
		go func() {
			defer close(writing)
			together(func(i int) {
				for n := range each {
					w := write(fmt.Sprint("s", i), uint64(n), fmt.Sprintf("%d/%d", i, n))
					if err := k.s.Append(k.ctx, []*journal.Write{w}); err != nil || w.Err != nil {
						k.Errorf("writer %d: %v, %v", i, err, w.Err)
					}
					select {
					case wrote <- struct{}{}:
					default:
					}
				}
			})
		}()
		var got []journal.Record
		after := journal.Position(0)
		for last := false; ; {
			page := k.feed(after, journal.Filter{})
			if len(page) > 0 {
				after = page[len(page)-1].Position
			} else if last {
				break
			}
			got = append(got, page...)
			select {
			case <-writing:
				last = true
			case <-wrote:
			}
		}
		k.eachInOrder(got)
	}},
	{"all is kept over a restart", func(k *kit) {
		k.append(write("s", 0, "a", "b"), write("t", 0, "c"))
		before := k.feed(0, journal.Filter{})
		k.reopen()
		k.has("s", "a", "b")
		k.append(write("s", 2, "d"))
		after := k.feed(before[len(before)-1].Position, journal.Filter{})
		if got := texts(after); !slices.Equal(got, []string{"d"}) {
			k.Errorf("the feed goes on with %q, want d alone", got)
		}
	}},
	{"two stores in one folder see each other", func(k *kit) {
		first, second := k.s, k.another()
		k.append(write("s", 0, "a"))
		k.s = second
		k.conflict(k.try(write("s", 0, "x")), 1)
		k.append(write("s", 1, "b"))
		k.s = first
		k.conflict(k.try(write("s", 1, "x")), 2)
		k.has("s", "a", "b")
	}},
	{"two stores in one folder write at the same time", func(k *kit) {
		stores := []journal.Store{k.s, k.another()}
		together(func(i int) {
			for n := range each {
				w := write("s", journal.AnyVersion, fmt.Sprintf("%d/%d", i, n))
				if err := stores[i%2].Append(k.ctx, []*journal.Write{w}); err != nil || w.Err != nil {
					k.Errorf("writer %d: %v, %v", i, err, w.Err)
				}
			}
		})
		k.eachInOrder(k.records("s", 0))
	}},
	{"a call that is cancelled on its way stores all or nothing", func(k *kit) {
		stored := uint64(0)
		for range each {
			ctx, cancel := context.WithCancel(k.ctx)
			go cancel()
			w := write("s", stored, "a", "b")
			err := beneath(k.s).Append(ctx, []*journal.Write{w})
			probe := k.try(write("s", journal.AnyVersion))
			switch {
			case err == nil && (w.Err != nil || probe.Version != stored+2):
				k.Fatalf("Append returned nil, and the version is %d after %d (%v)", probe.Version, stored, w.Err)
			case err != nil && !errors.Is(err, journal.ErrUnknownOutcome) && probe.Version != stored:
				k.Fatalf("Append returned %v, and the version is %d after %d", err, probe.Version, stored)
			case probe.Version != stored && probe.Version != stored+2:
				k.Fatalf("half of a write is stored: the version is %d after %d", probe.Version, stored)
			}
			stored = probe.Version
		}
	}},
	{"a closed store says so", func(k *kit) {
		s := beneath(k.s)
		c, ok := s.(io.Closer)
		if !ok {
			k.Skip("the store can't be closed")
		}
		if err := errors.Join(c.Close(), c.Close()); err != nil {
			k.Errorf("close it twice: %v", err)
		}
		var errs []error
		errs = append(errs, s.Append(k.ctx, []*journal.Write{write("s", 0, "a")}))
		for _, err := range s.Read(k.ctx, "s", 0) {
			errs = append(errs, err)
		}
		for _, err := range s.Feed(k.ctx, 0, journal.Filter{}) {
			errs = append(errs, err)
		}
		_, err := s.LoadSnapshot(k.ctx, "s")
		errs = append(errs, err, s.SaveSnapshot(k.ctx, journal.Snapshot{Stream: "s", Version: 1}))
		if len(errs) != 5 {
			k.Fatalf("got %d errors, want one of each call", len(errs))
		}
		for _, err := range errs {
			if !errors.Is(err, journal.ErrClosed) {
				k.Errorf("got %v, want ErrClosed", err)
			}
		}
	}},
}

// eachInOrder fails unless each writer's events are there once and in order.
func (k *kit) eachInOrder(records []journal.Record) {
	k.Helper()
	next := [writers]int{}
	for _, r := range records {
		var i, n int
		if _, err := fmt.Sscanf(string(r.Data), "%d/%d", &i, &n); err != nil || next[i] != n {
			k.Fatalf("writer %d: got event %d, want %d (%v)", i, n, next[i], err)
		}
		next[i]++
	}
	for i, n := range next {
		if n != each {
			k.Errorf("writer %d has %d events, want %d", i, n, each)
		}
	}
}
