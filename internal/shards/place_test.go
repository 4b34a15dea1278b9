package shards_test

import (
	"fmt"
	"math/rand/v2"
	"testing"

	"pgregory.net/rapid"

	"github.com/troupe-go/troupe/internal/shards"
)

// some returns hosts of the capacities.
func some(capacities ...int) (hosts []shards.Host) {
	for i, c := range capacities {
		hosts = append(hosts, shards.Host{Name: fmt.Sprintf("node-%d", i), Capacity: c})
	}
	return hosts
}

// loads returns how many shards each host has.
func loads(places []string) map[string]int {
	n := map[string]int{}
	for _, name := range places {
		n[name]++
	}
	return n
}

// moved returns how many shards change their host, and how many of those neither leave nor reach the named one.
func moved(before, after []string, name string) (all, needless int) {
	for i := range before {
		if before[i] == after[i] {
			continue
		}
		all++
		if before[i] != name && after[i] != name {
			needless++
		}
	}
	return all, needless
}

func TestNoHostGetsMoreThanItsBoundAndEachShardAHost(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		n := rapid.IntRange(1, 2000).Draw(t, "shards")
		hosts := some(rapid.SliceOfN(rapid.IntRange(1, 9), 1, 20).Draw(t, "capacities")...)
		total := 0
		for _, h := range hosts {
			total += h.Capacity
		}
		places := shards.Place(n, hosts, nil, nil)
		got := loads(places)
		sum := 0
		for _, h := range hosts {
			bound := (n*5*h.Capacity + 4*total - 1) / (4 * total)
			if got[h.Name] > bound {
				t.Errorf("host %q of capacity %d has %d shards of %d; its bound is %d", h.Name, h.Capacity, got[h.Name], n, bound)
			}
			sum += got[h.Name]
		}
		if sum != n {
			t.Errorf("%d shards of %d have a host", sum, n)
		}
	})
}

func TestThePlacementDependsOnNoOrder(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		hosts := some(rapid.SliceOfN(rapid.IntRange(1, 4), 1, 12).Draw(t, "capacities")...)
		want := shards.Place(256, hosts, nil, nil)
		random := rand.New(rand.NewPCG(rapid.Uint64().Draw(t, "seed"), 0))
		random.Shuffle(len(hosts), func(i, j int) { hosts[i], hosts[j] = hosts[j], hosts[i] })
		if all, _ := moved(want, shards.Place(256, hosts, nil, nil), ""); all != 0 {
			t.Errorf("%d shards have another host when the hosts are in another order", all)
		}
	})
}

// TestFewShardsMoveWhenAHostComesOrGoes also logs the figures of decision 111.
func TestFewShardsMoveWhenAHostComesOrGoes(t *testing.T) {
	const n = 1024
	for _, of := range []int{2, 3, 4, 8, 16, 32} {
		capacities := make([]int, of+1)
		for i := range capacities {
			capacities[i] = 1
		}
		more := some(capacities...)
		var all, needless, most int
		for gone := range more {
			fewer := append(append([]shards.Host{}, more[:gone]...), more[gone+1:]...)
			few, many := shards.Place(n, fewer, nil, nil), shards.Place(n, more, nil, nil)
			for _, load := range loads(few) {
				most = max(most, load)
			}
			a, b := moved(few, many, more[gone].Name)
			all, needless = all+a, needless+b
		}
		share := float64(all) / float64(n*len(more))
		ideal := 1 / float64(len(more))
		t.Logf("from %d to %d hosts or back: %.3f of the shards move, of which the host itself has %.3f; the most loaded host has %.2f of the mean",
			of, of+1, share, share-float64(needless)/float64(n*len(more)), float64(most)*float64(of)/n)
		if share > ideal+0.01 {
			t.Errorf("from %d to %d hosts or back %.3f of the shards move; %.3f have to", of, of+1, share, ideal)
		}
	}
}

func TestAHostOfTwiceTheCapacityGetsTwiceTheShards(t *testing.T) {
	got := loads(shards.Place(4096, some(1, 2, 4), nil, nil))
	for i, want := range []int{4096 / 7, 2 * 4096 / 7, 4 * 4096 / 7} {
		name := fmt.Sprintf("node-%d", i)
		if n := got[name]; n < want*9/10 || n > want*11/10 {
			t.Errorf("host %q has %d shards, want about %d", name, n, want)
		}
	}
}

func TestPreferencesAreKeptAsLongAsThereIsRoom(t *testing.T) {
	hosts := some(1, 1, 1, 1)
	hosts[1].Labels = map[string]string{"disk": "fast"}
	prefer := func(shard int, h shards.Host) bool { return shard >= 100 || h.Labels["disk"] == "fast" }
	places := shards.Place(1024, hosts, nil, prefer)
	for shard := range 100 {
		if places[shard] != "node-1" {
			t.Errorf("shard %d is on %q, and prefers node-1", shard, places[shard])
		}
	}
	if n := loads(places)["node-1"]; n > 320 {
		t.Errorf("node-1 has %d shards; its bound is 320", n)
	}
	all := loads(shards.Place(1024, hosts, nil, func(_ int, h shards.Host) bool { return h.Name == "node-1" }))
	if all["node-1"] != 320 || len(all) != 4 {
		t.Errorf("if all shards prefer node-1, the hosts have %v", all)
	}
}

func TestShardsThatWereMovedByHandStayAndCount(t *testing.T) {
	hosts := some(1, 1)
	fixed := map[int]string{}
	for shard := range 60 {
		fixed[shard] = "node-0"
	}
	fixed[99] = "gone"
	places := shards.Place(100, hosts, fixed, nil)
	for shard := range 60 {
		if places[shard] != "node-0" {
			t.Errorf("shard %d is on %q", shard, places[shard])
		}
	}
	if n := loads(places); n["node-0"] > 63 || n["node-0"]+n["node-1"] != 100 {
		t.Errorf("the hosts have %v; the bound is 63", n)
	}
	for shard := range 100 {
		fixed[shard] = "node-0"
	}
	if n := loads(shards.Place(100, hosts, fixed, nil)); n["node-0"] != 100 {
		t.Errorf("the hosts have %v, and all was moved to node-0 by hand", n)
	}
}

func TestWithoutHostsThereIsNoPlacement(t *testing.T) {
	if places := shards.Place(8, nil, nil, nil); places != nil {
		t.Errorf("the shards are on %q", places)
	}
}

// TestThePlacementIsTheSameInEachRelease pins some places: nodes of two releases have to agree on them.
func TestThePlacementIsTheSameInEachRelease(t *testing.T) {
	places := shards.Place(1024, []shards.Host{{Name: "a", Capacity: 1}, {Name: "b", Capacity: 2}, {Name: "c", Capacity: 1}}, nil, nil)
	var got string
	for shard := 0; shard < 1024; shard += 64 {
		got += places[shard]
	}
	if want := "cacbabcbbbcbbcaa"; got != want {
		t.Errorf("the places are %q, want %q", got, want)
	}
}
