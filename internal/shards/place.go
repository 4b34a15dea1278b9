package shards

// A Host is a node that shards may be placed on.
type Host struct {
	Name string
	// Capacity is the weight of the host: one with twice the capacity gets twice the shards.
	Capacity int
	Labels   map[string]string // Must not be changed.
}

// Place gives each shard a host by rendezvous hashing, and returns the names of the hosts. It gives no
// host more than its bound: 1.25 of its share by capacity, rounded up. The same arguments
// give the same result on every node, in whatever order the hosts are.
//
// Each unit of capacity of each host draws a number for the shard, and the greatest one wins. So when a
// host comes, shards move to it alone, and when one goes, its own move. Beyond those, shards move that
// a bound has pushed away from their winner, or does no longer: see the figures of decision 111.
//
// Fixed names the hosts of shards that are placed by hand. These count for the bound, which does not hold for them.
// Prefer says which hosts a shard should be on; the others get it when those are full. Both may be nil.
// Place returns nil if there are no hosts. It costs a hash for each shard and unit of capacity.
func Place(shards int, hosts []Host, fixed map[int]string, prefer func(shard int, h Host) bool) []string {
	if len(hosts) == 0 {
		return nil
	}
	places := make([]string, shards)
	room := bounds(shards, hosts)
	index := map[string]int{}
	seeds := make([][]uint64, len(hosts))
	for i, h := range hosts {
		index[h.Name] = i
		seeds[i] = draws(h)
	}
	for shard, name := range fixed {
		if i, ok := index[name]; ok && shard < shards {
			places[shard] = name
			room[i]--
		}
	}
	for shard := range places {
		if places[shard] == "" {
			best := winner(shard, hosts, seeds, room, prefer)
			places[shard] = hosts[best].Name
			room[best]--
		}
	}
	return places
}

// bounds returns how many shards each host may have.
func bounds(shards int, hosts []Host) []int {
	total := 0
	for _, h := range hosts {
		total += h.Capacity
	}
	room := make([]int, len(hosts))
	for i, h := range hosts {
		room[i] = (5*shards*h.Capacity + 4*total - 1) / (4 * total)
	}
	return room
}

// draws returns a number for each unit of a host's capacity.
func draws(h Host) []uint64 {
	sum := uint64(14695981039346656037) // FNV-1a.
	for _, c := range []byte(h.Name) {
		sum = (sum ^ uint64(c)) * 1099511628211
	}
	all := make([]uint64, h.Capacity)
	for i := range all {
		all[i] = mix(sum + uint64(i)*0x9e3779b97f4a7c15)
	}
	return all
}

// mix is the last step of SplitMix64 (Steele, Lea and Flood, 2014). It uses whole numbers
// alone, so that all processors agree.
func mix(x uint64) uint64 {
	x = (x ^ x>>30) * 0xbf58476d1ce4e5b9
	x = (x ^ x>>27) * 0x94d049bb133111eb
	return x ^ x>>31
}

// winner returns the host that gets a shard: the one that draws the most of those that are preferred and have room,
// else of those that have room, else of all.
func winner(shard int, hosts []Host, seeds [][]uint64, room []int, prefer func(int, Host) bool) int {
	best, bestRank, bestDraw := -1, -1, uint64(0)
	of := mix(uint64(shard) + 1)
	for i, h := range hosts {
		rank := 0
		if room[i] > 0 {
			rank = 1
			if prefer == nil || prefer(shard, h) {
				rank = 2
			}
		}
		if rank < bestRank {
			continue
		}
		for _, seed := range seeds[i] {
			draw := mix(seed ^ of)
			if rank > bestRank || draw > bestDraw || draw == bestDraw && h.Name < hosts[best].Name {
				best, bestRank, bestDraw = i, rank, draw
			}
		}
	}
	return best
}
