package pids_test

import (
	"maps"
	"slices"
	"sync"
	"testing"

	"pgregory.net/rapid"

	"github.com/troupe-go/troupe/internal/kernel/pids"
)

type process struct{ id pids.ID }

// A table holds what was entered and not removed, whatever worker did it, and no ID comes twice.
func TestTable(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		const workers = 3
		table := pids.New[process](workers, rapid.Uint32Range(0, 1<<31).Draw(t, "origin"))
		ever, live := map[pids.ID]bool{}, map[pids.ID]*process{}
		worker := rapid.IntRange(pids.Outside, workers) // One is a spare worker.
		t.Repeat(map[string]func(*rapid.T){
			"take": func(t *rapid.T) {
				w := worker.Draw(t, "worker")
				for range rapid.SampledFrom([]int{1, 1, 40, 600}).Draw(t, "n") {
					id := table.Take(w)
					if ever[id] || id == (pids.ID{}) {
						t.Fatalf("%v was there before", id)
					}
					ever[id], live[id] = true, &process{id}
					table.Enter(id, live[id])
				}
			},
			"remove": func(t *rapid.T) {
				w, n := worker.Draw(t, "worker"), rapid.SampledFrom([]int{1, 1, 100}).Draw(t, "n")
				all := slices.SortedFunc(maps.Keys(live), func(a, b pids.ID) int { return int(a.Slot) - int(b.Slot) })
				for _, id := range all[:min(n, len(all))] {
					table.Remove(w, id)
					delete(live, id)
					if p := table.At(id.Slot); p != nil {
						t.Fatalf("%v is still there, as %v", id, p.id)
					}
				}
			},
			"": func(t *rapid.T) {
				if n := table.Live(); n != len(live) {
					t.Fatalf("%d are live, want %d", n, len(live))
				}
				n := 0
				table.From(0, func(p *process) bool {
					if n++; live[p.id] != p || table.At(p.id.Slot) != p {
						t.Fatalf("%v is listed", p.id)
					}
					return true
				})
				if n != len(live) {
					t.Fatalf("%d are listed, want %d", n, len(live))
				}
			},
		})
		// The magazines keep some free slots.
		if most := len(ever) + (workers+1)*64; table.Used() > most {
			t.Fatalf("%d slots were used for %d processes", table.Used(), len(ever))
		}
	})
}

// The last generation of a slot is not followed by the first.
func TestGenerationsEnd(t *testing.T) {
	table := pids.New[process](0, 1<<32-3)
	a, b := table.Take(pids.Outside), pids.ID{}
	for range 5 {
		table.Remove(pids.Outside, a)
		if b = table.Take(pids.Outside); a.Slot == b.Slot && b.Gen <= a.Gen {
			t.Fatalf("%v comes after %v", b, a)
		}
		a = b
	}
	if table.Used() < 2 {
		t.Errorf("%d slots were used: none has used up its generations, so this tests nothing", table.Used())
	}
}

// Origins differ while they are in use, and are used again.
func TestOrigins(t *testing.T) {
	var origins pids.Origins
	const n = 100
	type taken struct {
		origin uint32
		free   func()
	}
	all := make(chan taken, n)
	var done sync.WaitGroup
	for range n {
		done.Go(func() {
			origin, free := origins.Take()
			all <- taken{origin, free}
		})
	}
	done.Wait()
	close(all)
	seen := map[uint32]bool{}
	for o := range all {
		if seen[o.origin] {
			t.Errorf("origin %#x was taken twice", o.origin)
		}
		seen[o.origin] = true
		t.Cleanup(o.free)
	}
	if !seen[0] || !seen[1<<31] || !seen[1<<30] {
		t.Errorf("the first origins are not 0, 1/2 and 1/4 of all numbers: %#x", slices.Sorted(maps.Keys(seen)))
	}
	var alone pids.Origins
	for range 3 {
		origin, free := alone.Take()
		if origin != 0 {
			t.Errorf("the only system has origin %#x", origin)
		}
		free()
	}
}
