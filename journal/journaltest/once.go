package journaltest

import (
	"github.com/troupe-go/troupe/journal"
)

// once returns a write of a command with an id.
func once(id, stream string, expected uint64, texts ...string) *journal.Write {
	w := write(stream, expected, texts...)
	w.Once = id
	return w
}

// fenced returns a write with a fence.
func fenced(fence uint64, stream string, expected uint64, texts ...string) *journal.Write {
	w := write(stream, expected, texts...)
	w.Fence = fence
	return w
}

var onceTests = []test{
	{"a command is done once", func(k *kit) {
		k.append(once("c1", "s", 0, "a"))
		k.done(k.try(once("c1", "s", 1, "a")))
		k.has("s", "a")
	}},
	{"a command that was done is no conflict", func(k *kit) {
		k.append(once("c1", "s", 0, "a"), write("s", 1, "b"))
		k.done(k.try(once("c1", "s", 0, "a")))
	}},
	{"a conflict does not use up the id", func(k *kit) {
		k.conflict(k.try(once("c1", "s", 7, "a")), 0)
		k.version(k.try(once("c1", "s", 0, "a")), 1)
	}},
	{"the first event of a command has its id", func(k *kit) {
		k.append(once("c1", "s", 0, "a", "b"), write("s", 2, "c"))
		r := k.records("s", 0)
		if r[0].Once != "c1" || r[1].Once != "" || r[2].Once != "" {
			k.Errorf("the events have the ids %q, %q and %q, want that the first alone has c1", r[0].Once, r[1].Once, r[2].Once)
		}
	}},
	{"ids are those of a stream", func(k *kit) {
		k.append(once("c1", "s", 0, "a"), once("c1", "t", 0, "b"))
		k.has("t", "b")
	}},
	{"a command twice in a batch", func(k *kit) {
		second := once("c1", "s", journal.AnyVersion, "a")
		k.version(k.try(once("c1", "s", journal.AnyVersion, "a"), second), 1)
		k.done(second)
		k.has("s", "a")
	}},
	{"to ask for a command does not do it", func(k *kit) {
		k.version(k.try(once("c1", "s", 0)), 0)
		k.append(once("c1", "s", 0, "a"))
		k.done(k.try(once("c1", "s", 1)))
	}},
	{"to ask for a command beside other writes", func(k *kit) {
		k.append(once("c1", "s", 0, "a"), write("t", 0, "x"))
		ask, other := once("c1", "s", journal.AnyVersion), once("c2", "s", journal.AnyVersion)
		k.try(write("t", 1, "y"), ask, other)
		k.done(ask)
		k.version(other, 1)
		k.has("t", "x", "y")
	}},
	{"ids of every byte", func(k *kit) {
		var first, again []*journal.Write
		for i, b := range everyByte() {
			first = append(first, once(string([]byte{b}), "s", uint64(i), "a"))
			again = append(again, once(string([]byte{b}), "s", journal.AnyVersion, "a"))
		}
		k.append(first...)
		k.try(again...)
		for _, w := range again {
			k.done(w)
		}
	}},
	{"events without an id are not a command", func(k *kit) {
		k.append(write("s", 0, "a"), write("s", 1, "b"))
		k.has("s", "a", "b")
	}},
	{"a command is done after a restart", func(k *kit) {
		k.append(once("c1", "s", 0, "a"))
		k.reopen()
		k.done(k.try(once("c1", "s", 1, "a")))
	}},
}

var fenceTests = []test{
	{"a lower fence is refused", func(k *kit) {
		k.append(fenced(5, "s", 0, "a"))
		k.fenced(k.try(fenced(4, "s", 1, "x")), 5)
		k.fenced(k.try(write("s", 1, "x")), 5)
		k.has("s", "a")
	}},
	{"the same fence and a higher one are accepted", func(k *kit) {
		k.append(fenced(5, "s", 0, "a"), fenced(5, "s", 1, "b"), fenced(9, "s", 2, "c"))
		k.fenced(k.try(fenced(8, "s", 3, "x")), 9)
	}},
	{"a write without events raises the fence", func(k *kit) {
		k.version(k.try(fenced(5, "s", journal.AnyVersion)), 0)
		k.fenced(k.try(fenced(4, "s", 0, "x")), 5)
		k.has("s")
	}},
	{"a conflict raises the fence", func(k *kit) {
		k.append(fenced(1, "s", 0, "a"))
		k.conflict(k.try(fenced(5, "s", 0, "x")), 1)
		k.fenced(k.try(fenced(4, "s", 1, "x")), 5)
	}},
	{"a command that was done raises the fence", func(k *kit) {
		k.append(once("c1", "s", 0, "a"))
		again := once("c1", "s", 1, "a")
		again.Fence = 5
		k.done(k.try(again))
		k.fenced(k.try(fenced(4, "s", 1, "x")), 5)
	}},
	{"a lower fence is told before all else", func(k *kit) {
		k.append(fenced(5, "s", 0, "a"), &journal.Write{Stream: "s", Expected: 1, Fence: 5, Once: "c1", Events: []journal.Encoded{event("b")}})
		late := once("c1", "s", 0, "x")
		late.Fence = 4
		k.fenced(k.try(late), 5)
	}},
	{"fences are those of a stream", func(k *kit) {
		k.append(fenced(5, "s", 0, "a"), fenced(1, "t", 0, "b"))
	}},
	{"fences within a batch", func(k *kit) {
		late := fenced(4, "s", journal.AnyVersion, "x")
		k.append(fenced(3, "s", 0, "a"))
		k.try(fenced(5, "s", 1, "b"), late)
		k.fenced(late, 5)
		k.has("s", "a", "b")
	}},
	{"the highest fence", func(k *kit) {
		k.append(fenced(journal.MaxFence, "s", 0, "a"))
		k.fenced(k.try(fenced(journal.MaxFence-1, "s", 1, "x")), journal.MaxFence)
	}},
	{"a fence is kept over a restart", func(k *kit) {
		k.try(fenced(5, "s", journal.AnyVersion))
		k.reopen()
		k.fenced(k.try(fenced(4, "s", 0, "x")), 5)
	}},
}
