package workers_test

import (
	"slices"
	"testing"

	"github.com/troupe-go/troupe/internal/topology"
	"github.com/troupe-go/troupe/internal/workers"
	"github.com/troupe-go/troupe/internal/workers/settings"
)

// twoSockets is a machine of two nodes with two caches each, of two processors
// each.
func twoSockets() topology.Machine {
	var m topology.Machine
	for id := range 8 {
		m.CPUs = append(m.CPUs, topology.CPU{ID: id, Cache: id &^ 1, Node: id / 4})
	}
	return m
}

func oneCache() topology.Machine {
	return topology.Machine{CPUs: []topology.CPU{{ID: 0}, {ID: 1}}}
}

// TestLocalStealsFromNearby has work everywhere, and a thief that goes for it
// again and again.
func TestLocalStealsFromNearby(t *testing.T) {
	for _, strategy := range []settings.StealStrategy{settings.StealLocal, settings.StealBatched} {
		near := 0
		for range 50 {
			s := workers.NewStill(workers.Config{Workers: 8, Steal: strategy})
			s.SetMachine(twoSockets())
			n := names{}
			for id := range 8 {
				s.Worker(id).SetAt(id)
				for range 2 {
					s.Worker(id).Push(n.node(string(rune('0'+id))), workers.Normal)
				}
			}
			thief := s.Worker(2)
			thief.Poll()
			thief.Poll()
			var from []string
			for range 7 {
				x, _ := thief.Search()
				thief.Found()
				from = append(from, n[x])
			}
			node := slices.Sorted(slices.Values(from[1:3]))
			if from[0] == "3" && slices.Equal(node, []string{"0", "1"}) {
				near++
			}
			if slices.Sort(from); !slices.Equal(from, []string{"0", "1", "3", "4", "5", "6", "7"}) {
				t.Fatalf("the thief went to %q", from)
			}
		}
		if strategy == settings.StealLocal && near != 50 || strategy == settings.StealBatched && near == 50 {
			t.Errorf("%v went to its cache, then its node, then the rest in %d of 50 cases", strategy, near)
		}
	}
}

// TestLocalFindsWhatIsNowhere steals from a worker whose place is not known.
func TestLocalFindsWhatIsNowhere(t *testing.T) {
	s := workers.NewStill(workers.Config{Workers: 2, Steal: settings.StealLocal})
	s.SetMachine(twoSockets())
	if got := stealOnce(s, 4, 0); got == 0 {
		t.Error("work of a worker that was seen nowhere was not found")
	}
}

// TestWorkersAreLocated runs jobs on a machine that claims to be of two caches.
func TestWorkersAreLocated(t *testing.T) {
	if !topology.CanPin {
		t.Skip("processors are not known here")
	}
	local := topology.Local()
	for i := range local.CPUs {
		local.CPUs[i].Cache = i
	}
	if len(local.CPUs) < 2 {
		t.Skip("one processor is no distance")
	}
	s := workers.NewStill(workers.Config{Workers: 1})
	s.SetMachine(local)
	s.Worker(0).Search()
	if _, ok := local.Find(s.Stats().Workers[0].CPU); !ok {
		t.Errorf("the worker is on processor %d of %v", s.Stats().Workers[0].CPU, local.CPUs)
	}
}
