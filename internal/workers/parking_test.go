package workers_test

import (
	"fmt"
	"testing"

	"pgregory.net/rapid"

	"github.com/troupe-go/troupe/internal/workers"
)

// TestIdleAccounts compares the counts of searching and sleeping workers with a
// model, through every kind of change, and checks that each worker that was
// taken from the sleepers gets its token, and no other.
func TestIdleAccounts(t *testing.T) {
	const width = 5
	const (
		working = iota
		searching
		sleeping
		woken // A token is on its way.
	)
	rapid.Check(t, func(t *rapid.T) {
		s := workers.NewStill(workers.Config{Workers: width})
		state := [width]int{}
		queued := false // Something is, beside what a searching worker finds.
		count := func(which ...int) (n int) {
			for _, st := range state {
				for _, w := range which {
					if st == w {
						n++
					}
				}
			}
			return n
		}
		draw := func(t *rapid.T, which ...int) int {
			var fit []int
			for i, st := range state {
				for _, w := range which {
					if st == w {
						fit = append(fit, i)
					}
				}
			}
			if len(fit) == 0 {
				t.Skip(fmt.Sprint("no worker in states ", which))
			}
			return rapid.SampledFrom(fit).Draw(t, "worker")
		}
		t.Repeat(map[string]func(*rapid.T){
			"search": func(t *rapid.T) {
				i := draw(t, working)
				may := 2*count(searching, woken) < width
				if got := s.Worker(i).StartSearch(); got != may {
					t.Fatalf("the search is allowed: %t, want %t", got, may)
				} else if got {
					state[i] = searching
				}
			},
			"sleep": func(t *rapid.T) {
				i := draw(t, working, searching)
				s.Worker(i).EnterIdle()
				state[i] = sleeping
			},
			"stay": func(t *rapid.T) {
				i := draw(t, sleeping, woken)
				if got, want := s.Worker(i).LeaveIdle(), state[i] == sleeping; got != want {
					t.Fatalf("worker %d may leave: %t, want %t", i, got, want)
				} else if got {
					state[i] = searching
				}
			},
			"queue": func(t *rapid.T) {
				if !queued { // One alone wakes nobody.
					s.Worker(0).Push(names{}.node("work"), workers.Normal)
				} else if s.Worker(0).TakeFrom(workers.Normal) == nil {
					t.Fatal("the work is gone")
				}
				queued = !queued
			},
			"find": func(t *rapid.T) {
				i := draw(t, searching)
				state[i] = working
				wakes := queued && count(searching, woken) == 0 && count(sleeping) > 0
				before := count(sleeping)
				s.Worker(i).Found()
				if woke := s.Sleeping() < before; woke != wakes {
					t.Fatalf("another was woken: %t, want %t", woke, wakes)
				}
				deliver(s, state[:], sleeping, woken)
			},
			"wake": func(t *rapid.T) {
				wakes := count(searching, woken) == 0 && count(sleeping) > 0
				before := count(sleeping)
				s.Wake()
				if woke := s.Sleeping() < before; woke != wakes {
					t.Fatalf("one was woken: %t, want %t", woke, wakes)
				}
				deliver(s, state[:], sleeping, woken)
			},
			"wake all": func(t *rapid.T) {
				s.WakeAll()
				deliver(s, state[:], sleeping, woken)
				if n := count(sleeping); n != 0 {
					t.Fatalf("%d still sleep", n)
				}
			},
			"wake up": func(t *rapid.T) {
				state[draw(t, woken)] = searching
			},
			"": func(t *rapid.T) {
				if got, want := s.Searching(), count(searching, woken); got != want {
					t.Fatalf("%d count as searching, want %d", got, want)
				}
				if got, want := s.Sleeping(), count(sleeping); got != want {
					t.Fatalf("%d count as sleeping, want %d", got, want)
				}
			},
		})
	})
}

// deliver moves the workers that were given a token from one state to another.
func deliver(s *workers.Scheduler, state []int, from, to int) {
	for i := range state {
		if s.Worker(i).Token() {
			if state[i] != from {
				panic(fmt.Sprintf("worker %d got a token in state %d", i, state[i]))
			}
			state[i] = to
		}
	}
}

// TestOverloadOutlastsASearch has somebody find something while a worker has more work that
// prefers it than it should keep. Another worker wakes instead of the one that has searched.
func TestOverloadOutlastsASearch(t *testing.T) {
	s := workers.NewStill(workers.Config{Workers: 3})
	s.Worker(2).EnterIdle()
	if !s.Worker(1).StartSearch() {
		t.Fatal("the search is not allowed")
	}
	n := names{}
	for range workers.KeepPreferred + 1 {
		n.to(t, s, workers.Normal, workers.Preferred(0), "preferred")
	}
	if s.Worker(2).Token() {
		t.Error("one was woken while another searched")
	}
	s.Worker(1).Found()
	if !s.Worker(2).Token() {
		t.Error("nobody was woken")
	}
}

// TestMostRecentSleeperIsWoken checks the order, since that one is warm.
func TestMostRecentSleeperIsWoken(t *testing.T) {
	s := workers.NewStill(workers.Config{Workers: 3})
	for i := range 3 {
		s.Worker(i).EnterIdle()
	}
	s.Wake()
	if !s.Worker(2).Token() {
		t.Error("another sleeper than the most recent was woken")
	}
}
