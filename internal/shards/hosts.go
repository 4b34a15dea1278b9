package shards

import (
	"cmp"
	"slices"
)

// hosts is what is known of the hosts, and the placement that follows from it. It is guarded by the mu of Owners.
type hosts struct {
	entries map[string]entry[hosting]
	stale   bool // The fields below have to be made again.
	living  []Host
	births  map[string]uint64 // Of the living ones.
	places  []string          // By shard; nil if there is no host.
}

// take takes the entry of a host.
func (h *hosts) take(name string, value hosting, revision uint64) bool {
	e := h.entries[name]
	if !e.take(value, revision) {
		return false
	}
	h.entries[name] = e
	h.stale = true
	return true
}

// refresh finds the hosts that live and stay, and places the shards on them.
func (h *hosts) refresh(o *Owners) {
	if !h.stale {
		return
	}
	h.stale = false
	h.living, h.births = nil, map[string]uint64{}
	for _, m := range o.node.Members() {
		e := h.entries[m.Name]
		stays := !e.value.Leaving && (!o.leaving || m.Name != o.me.Node)
		if e.revision != 0 && e.value.Birth == m.Birth && stays && e.value.Capacity >= 1 && e.value.Capacity <= maxCapacity {
			h.living = append(h.living, Host{m.Name, e.value.Capacity, e.value.Labels})
			h.births[m.Name] = m.Birth
		}
	}
	slices.SortFunc(h.living, func(a, b Host) int { return cmp.Compare(a.Name, b.Name) })
	h.places = Place(len(o.shards), h.living, o.pinned(-1), o.config.Prefer)
}

// list returns the hosts that live and stay.
func (h *hosts) list(o *Owners) []Host {
	h.refresh(o)
	return h.living
}

// has reports whether a host lives and stays.
func (h *hosts) has(o *Owners, b birth) bool {
	h.refresh(o)
	return b.Birth != 0 && h.births[b.Node] == b.Birth
}

// placed returns the host that a shard should be on. The caller holds mu.
func (o *Owners) placed(i int) (b birth, ok bool) {
	o.hosts.refresh(o)
	if o.hosts.places == nil {
		return b, false
	}
	name := o.hosts.places[i]
	return birth{name, o.hosts.births[name]}, true
}

// pinned returns the hosts of the shards that were moved by hand, except for one. The caller holds mu.
func (o *Owners) pinned(except int) map[int]string {
	fixed := map[int]string{}
	for i := range o.shards {
		v := o.shards[i].entry.value
		if v.Pinned && i != except && o.hosts.births[v.Node] == v.Birth {
			fixed[i] = v.Node
		}
	}
	return fixed
}
