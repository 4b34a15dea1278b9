package journaltest

import (
	"slices"

	"github.com/troupe-go/troupe/journal"
)

var readTests = []test{
	{"a stream that is not there is empty", func(k *kit) {
		k.has("s")
		k.append(write("t", 0, "a"))
		k.has("s")
	}},
	{"after a version", func(k *kit) {
		k.append(write("s", 0, "a", "b", "c"))
		for after, want := range [][]string{{"a", "b", "c"}, {"b", "c"}, {"c"}, {}, {}} {
			if got := texts(k.records("s", uint64(after))); !slices.Equal(got, want) {
				k.Errorf("after %d there is %q, want %q", after, got, want)
			}
		}
		if got := k.records("s", journal.AnyVersion); len(got) > 0 {
			k.Errorf("after the highest version there are %d events", len(got))
		}
	}},
	{"a record has all that was stored", func(k *kit) {
		k.append(once("c1", "s", 0, "a"))
		r := k.records("s", 0)[0]
		if r.Stream != "s" || r.Version != 1 || r.Position == 0 || !r.Time.Equal(begin) || r.Once != "c1" || !sameEncoded(r.Encoded, event("a")) {
			k.Errorf("the record is %+v", r)
		}
	}},
	{"a reader may leave early", func(k *kit) {
		k.append(write("s", 0, "a", "b", "c"))
		for range 20 { // More than a pool of connections has.
			for _, err := range k.s.Read(k.ctx, "s", 0) {
				if err != nil {
					k.Error(err)
				}
				break
			}
		}
		k.append(write("s", 3, "d"))
	}},
	{"a reader may write", func(k *kit) {
		k.append(write("s", 0, "a", "b"))
		n := uint64(2)
		for r, err := range k.s.Read(k.ctx, "s", 0) {
			if err != nil {
				k.Fatal(err)
			}
			if r.Version <= 2 {
				k.append(write("s", n, "more"))
				n++
			}
		}
		k.has("s", "a", "b", "more", "more")
	}},
	{"a reader's data is its own", func(k *kit) {
		k.append(write("s", 0, "a", "b"))
		for _, r := range k.records("s", 0) {
			r.Data[0] = 'x'
		}
		k.has("s", "a", "b")
	}},
	{"an iterator can be used again", func(k *kit) {
		read := k.s.Read(k.ctx, "s", 0)
		k.append(write("s", 0, "a"))
		for range 2 {
			n := 0
			for _, err := range read {
				if err != nil {
					k.Fatal(err)
				}
				n++
			}
			if n != 1 {
				k.Errorf("got %d events, want 1", n)
			}
		}
	}},
}

var snapshotTests = []test{
	{"none", func(k *kit) {
		k.append(write("s", 0, "a"))
		k.snapshot(journal.Snapshot{})
	}},
	{"save and load", func(k *kit) {
		k.append(write("s", 0, "a", "b"))
		k.snapshot(k.save(2, string(everyByte())))
	}},
	{"a newer one takes the place", func(k *kit) {
		k.append(write("s", 0, "a", "b"))
		k.save(1, "old")
		k.snapshot(k.save(2, "new"))
	}},
	{"an older one is dropped", func(k *kit) {
		k.append(write("s", 0, "a", "b"))
		newer := k.save(2, "new")
		k.save(1, "old")
		k.snapshot(newer)
	}},
	{"one of the same version takes the place", func(k *kit) {
		k.append(write("s", 0, "a"))
		k.save(1, "old")
		k.snapshot(k.save(1, "other layout"))
	}},
	{"one that is ahead of the events is refused", func(k *kit) {
		k.append(write("s", 0, "a"))
		k.ahead(2)
		k.snapshot(journal.Snapshot{})
	}},
	{"one of a stream that is not there is refused", func(k *kit) {
		k.ahead(1)
		k.snapshot(journal.Snapshot{})
	}},
	{"the caller's data is not kept", func(k *kit) {
		k.append(write("s", 0, "a"))
		s := k.save(1, "abc")
		s.Data[0] = 'x'
		k.snapshot(journal.Snapshot{Stream: "s", Version: 1, Encoded: state("abc")})
	}},
	{"a snapshot is kept over a restart", func(k *kit) {
		k.append(write("s", 0, "a"))
		s := k.save(1, "state")
		k.reopen()
		k.snapshot(s)
	}},
}
