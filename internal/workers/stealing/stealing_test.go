package stealing_test

import (
	"math/rand/v2"
	"slices"
	"testing"
	"time"

	"pgregory.net/rapid"

	"github.com/troupe-go/troupe/internal/topology"
	"github.com/troupe-go/troupe/internal/workers/stealing"
)

// Whatever a policy has measured, a steal moves a part of a queue that is neither empty nor more than half, and only a
// worker that was told to be adaptive changes its strategy.
func TestPolicyIsWithinBounds(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		configured := stealing.Strategy(rapid.IntRange(0, int(stealing.Local)).Draw(t, "configured"))
		limit := rapid.IntRange(1, 100).Draw(t, "limit")
		p := stealing.New(configured, limit)
		var published stealing.Published
		random := rand.New(rand.NewPCG(1, 2))
		t.Repeat(map[string]func(*rapid.T){
			"try":    func(t *rapid.T) { p.Tried(rapid.Bool().Draw(t, "contended")) },
			"steal":  func(t *rapid.T) { p.Stole(time.Duration(rapid.IntRange(0, 1e6).Draw(t, "ns"))) },
			"search": func(t *rapid.T) { p.Searched(rapid.Bool().Draw(t, "in vain"), rapid.Bool().Draw(t, "flat")) },
			"": func(t *rapid.T) {
				n := rapid.IntRange(1, 1000).Draw(t, "queued")
				if most := p.AtMost(n); most < 1 || most > max(1, n/2) || most > limit {
					t.Fatalf("%d of %d pieces may be moved", most, n)
				}
				published.Publish(&p)
				st, why, counted := published.Read(configured)
				if st == stealing.Adaptive || configured != stealing.Adaptive && (st != configured || counted.Switches != 0) {
					t.Fatalf("strategy %d because of %d, told to be %d", st, why, configured)
				}
				workers := rapid.IntRange(1, 20).Draw(t, "workers")
				first, step := p.Course(random, workers)
				var met []int
				for i := range workers {
					met = append(met, (first+i*step)%workers)
				}
				if slices.Sort(met); len(slices.Compact(met)) != workers {
					t.Fatalf("a round in steps of %d over %d workers leaves some out", step, workers)
				}
			},
		})
	})
}

// The pauses double up to a second, and begin from a millisecond when the worker has had work.
func TestBackoff(t *testing.T) {
	b := stealing.NewBackoff(stealing.BackoffMin, stealing.BackoffMax)
	now, slept := time.Duration(0), uint64(0)
	next := func(jobs uint64) time.Duration {
		slept++
		if b.Due(slept, jobs, now) {
			t.Error("a search is due for a worker that has just fallen asleep")
		}
		began := now
		for !b.Due(slept, jobs, now) {
			now += time.Millisecond
		}
		return now - began
	}
	for i := range 13 {
		if got, want := next(1), min(time.Millisecond<<i, time.Second); got != want || b.After() != want {
			t.Errorf("search %d comes after %v, want %v", i, got, want)
		}
	}
	if got := next(2); got != time.Millisecond {
		t.Errorf("after some work the search comes after %v", got)
	}
	b.Postpone(now)
	if got := b.After(); got != 2*time.Millisecond {
		t.Errorf("after a search in vain the next one comes after %v", got)
	}
	b = stealing.NewBackoff(20*time.Millisecond, 50*time.Millisecond)
	for i, want := range []time.Duration{20 * time.Millisecond, 40 * time.Millisecond, 50 * time.Millisecond, 50 * time.Millisecond} {
		if b.Postpone(now); b.After() != want {
			t.Errorf("between 20 and 50 ms, pause %d is %v, want %v", i, b.After(), want)
		}
	}
}

// Workers are as far from each other as their processors; a worker that was seen nowhere is far from all.
func TestLocation(t *testing.T) {
	var near, far, nowhere, here stealing.Location
	here.Pin(topology.CPU{ID: 0, Cache: 0, Node: 0})
	near.Pin(topology.CPU{ID: 1, Cache: 0, Node: 0})
	far.Pin(topology.CPU{ID: 2, Cache: 2, Node: 1})
	for reach := range topology.NumDistances {
		if got, want := here.Within(&near, reach, topology.NumDistances), reach == int(near.Distance(&here)); got != want {
			t.Errorf("reach %d: the near worker is within: %t", reach, got)
		}
	}
	if here.Distance(&near) >= here.Distance(&far) || here.Distance(&nowhere) != topology.Remote {
		t.Error("the distances are wrong")
	}
	if !here.Within(&nowhere, 0, 1) {
		t.Error("a round that does not go by distance leaves a worker out")
	}
	if nowhere.Update(&topology.Machine{}, true); nowhere.CPU() != nil {
		t.Error("a worker looks where it is on a flat machine")
	}
}
