package journaltest

import (
	"context"
	"errors"
	"io"
	"slices"
	"time"

	"github.com/troupe-go/troupe/journal"
)

// catalog returns the list of the store, or skips the case if it has none.
func (k *kit) catalog() journal.Catalog {
	k.Helper()
	c, ok := beneath(k.s).(journal.Catalog)
	if !ok {
		k.Skip("the store is no journal.Catalog")
	}
	return c
}

// streams returns the list. If the kit cancels calls, it also lists with a context that has ended.
func (k *kit) streams(prefix, after string) (list []journal.StreamInfo) {
	k.Helper()
	c := k.catalog()
	if k.cancels {
		var last error
		for _, err := range c.Streams(ended(k.ctx), prefix, after) {
			last = err
		}
		if !errors.Is(last, errLeft) && !errors.Is(last, context.Canceled) {
			k.Errorf("Streams with a context that has ended ends with %v, want the cause of its end", last)
		}
	}
	for info, err := range c.Streams(k.ctx, prefix, after) {
		if err != nil {
			k.Fatalf("Streams with the prefix %q after %q: %v", prefix, after, err)
		}
		list = append(list, info)
	}
	return list
}

// lists fails unless the streams have the names, in this order.
func (k *kit) lists(prefix, after string, want ...string) {
	k.Helper()
	got := []string{}
	for _, info := range k.streams(prefix, after) {
		got = append(got, info.Name)
	}
	if !slices.Equal(got, append([]string{}, want...)) {
		k.Errorf("the streams with the prefix %q after %q are %q, want %q", prefix, after, got, want)
	}
}

var catalogTests = []test{
	{"an empty store has no streams", func(k *kit) { k.lists("", "") }},
	{"streams are in the order of their names", func(k *kit) {
		for _, name := range []string{"b", "a/2", "a", "\xff", "a/1", "B", "\x00", "ä"} {
			k.append(write(name, 0, "x"))
		}
		k.lists("", "", "\x00", "B", "a", "a/1", "a/2", "b", "ä", "\xff")
		k.lists("a", "", "a", "a/1", "a/2")
		k.lists("a", "a/1", "a/2")
		k.lists("", "a/2", "b", "ä", "\xff")
		k.lists("", "\xff")
		k.lists("A", "")
		k.lists("a/1x", "")
		k.lists("%", "")
	}},
	{"what is listed of a stream", func(k *kit) {
		k.catalog()
		k.append(write("t", 0, "x"), write("s", 0, "a", "b"))
		later := write("s", 2, "c")
		later.Time, later.Fence = begin.Add(time.Hour), 7
		k.append(later)
		k.save(2, "state")
		records := k.records("s", 0)
		want := journal.StreamInfo{Name: "s", Version: 3, Events: 3, Fence: 7, Snapshot: 2,
			First: records[0].Position, Last: records[2].Position, Changed: later.Time}
		list := k.streams("s", "")
		if len(list) != 1 {
			k.Fatalf("there are %d streams, want 1", len(list))
		}
		got := list[0]
		if !got.Changed.Equal(want.Changed) {
			k.Errorf("the stream was changed at %v, want %v", got.Changed, want.Changed)
		}
		if got.Changed = want.Changed; got != want {
			k.Errorf("the stream is listed as %+v, want %+v", got, want)
		}
	}},
	{"a stream with a fence and no events is listed", func(k *kit) {
		k.catalog()
		fence := write("s", journal.AnyVersion)
		fence.Fence = 3
		k.append(fence)
		list := k.streams("", "")
		if len(list) != 1 || list[0] != (journal.StreamInfo{Name: "s", Fence: 3}) {
			k.Errorf("the list is %+v, want the stream s with its fence alone", list)
		}
	}},
	{"a write that is refused makes no stream", func(k *kit) {
		k.conflict(k.try(write("s", 4, "x")), 0)
		k.try(write("t", 0))
		k.lists("", "")
	}},
	{"more streams than a page has", func(k *kit) {
		names := numbered("s", 1100)
		var batch []*journal.Write
		for _, name := range names {
			batch = append(batch, write(name, 0, name))
		}
		k.append(batch...)
		slices.Sort(names)
		k.lists("", "", names...)
		k.lists("", names[600], names[601:]...)
	}},
	{"a reader of the list may leave early, and write", func(k *kit) {
		c := k.catalog()
		k.append(write("a", 0, "x"), write("b", 0, "x"))
		for info, err := range c.Streams(k.ctx, "", "") {
			if err != nil || info.Name != "a" {
				k.Errorf("the first stream is %q (%v), want a", info.Name, err)
			}
			k.append(write("a", 1, "y"))
			break
		}
		k.has("a", "x", "y")
	}},
	{"the list of a closed store", func(k *kit) {
		c := k.catalog()
		closer, ok := c.(io.Closer)
		if !ok {
			k.Skip("the store can't be closed")
		}
		if err := closer.Close(); err != nil {
			k.Errorf("close it: %v", err)
		}
		n := 0
		for _, err := range c.Streams(k.ctx, "", "") {
			if n++; !errors.Is(err, journal.ErrClosed) {
				k.Errorf("got %v, want ErrClosed", err)
			}
		}
		if n != 1 {
			k.Errorf("the list ends after %d steps, want one with the error", n)
		}
	}},
}
