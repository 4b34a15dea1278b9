package journaltest

import (
	"slices"

	"github.com/troupe-go/troupe/journal"
)

// selects fails unless the filter selects the texts.
func (k *kit) selects(f journal.Filter, want ...string) {
	k.Helper()
	if got := texts(k.feed(0, f)); !slices.Equal(got, append([]string{}, want...)) {
		k.Errorf("%+v selects %q, want %q", f, got, want)
	}
}

// typed returns a write of one event of a type.
func typed(kind, stream, text string) *journal.Write {
	w := write(stream, journal.AnyVersion, text)
	w.Events[0].Type = kind
	return w
}

var feedTests = []test{
	{"an empty store has an empty feed", func(k *kit) { k.selects(journal.Filter{}) }},
	{"all streams in the order of their commits", func(k *kit) {
		k.append(write("s", 0, "a"))
		k.append(write("t", 0, "b", "c"), write("s", 1, "d"))
		k.append(write("r", 0, "e"))
		k.selects(journal.Filter{}, "a", "b", "c", "d", "e")
		last := journal.Position(0)
		for _, r := range k.feed(0, journal.Filter{}) {
			if r.Position <= last {
				k.Errorf("position %d comes after %d", r.Position, last)
			}
			last = r.Position
		}
	}},
	{"after a position", func(k *kit) {
		k.append(write("s", 0, numbered("e", 5)...))
		all := k.feed(0, journal.Filter{})
		for i, r := range all {
			if got, want := texts(k.feed(r.Position, journal.Filter{})), texts(all[i+1:]); !slices.Equal(got, want) {
				k.Errorf("after event %d there is %q, want %q", i, got, want)
			}
		}
		if got := k.feed(1<<62, journal.Filter{}); len(got) > 0 {
			k.Errorf("after a position that is not there yet there are %d events", len(got))
		}
	}},
	{"a feed agrees with its streams", func(k *kit) {
		k.append(once("c1", "s", 0, "a", "b"), once("c2", "t", 0, "c"))
		for _, f := range k.feed(0, journal.Filter{}) {
			r := k.records(f.Stream, f.Version-1)[0]
			if r.Position != f.Position || r.Once != f.Once || !r.Time.Equal(f.Time) || !sameEncoded(r.Encoded, f.Encoded) {
				k.Errorf("the feed has %+v and the stream %+v", f, r)
			}
		}
	}},
	{"by the beginning of the stream's name", func(k *kit) {
		for _, name := range []string{"a/1", "a/2", "ab", "A/1", "a\xff", "a\xff\xff", "%", "a"} {
			k.append(write(name, 0, name))
		}
		k.selects(journal.Filter{Prefix: "a/"}, "a/1", "a/2")
		k.selects(journal.Filter{Prefix: "a\xff"}, "a\xff", "a\xff\xff")
		k.selects(journal.Filter{Prefix: "a"}, "a/1", "a/2", "ab", "a\xff", "a\xff\xff", "a")
		k.selects(journal.Filter{Prefix: "%"}, "%")
		k.selects(journal.Filter{Prefix: "b"})
	}},
	{"by type", func(k *kit) {
		k.append(typed("x", "s", "a"), typed("y", "s", "b"), typed("X", "s", "c"), typed("x", "t", "d"))
		k.selects(journal.Filter{Types: []string{"x"}}, "a", "d")
		k.selects(journal.Filter{Types: []string{"x", "y"}}, "a", "b", "d")
		k.selects(journal.Filter{Types: []string{"z"}})
		k.selects(journal.Filter{Types: []string{}})
	}},
	{"by both", func(k *kit) {
		k.append(typed("x", "s", "a"), typed("y", "s", "b"), typed("x", "t", "c"))
		k.selects(journal.Filter{Prefix: "s", Types: []string{"x"}}, "a")
	}},
	{"a reader of the feed may leave early, and write", func(k *kit) {
		k.append(write("s", 0, "a", "b"))
		for range 20 {
			for _, err := range k.s.Feed(k.ctx, 0, journal.Filter{}) {
				if err != nil {
					k.Error(err)
				}
				break
			}
		}
		n := uint64(2)
		for r, err := range k.s.Feed(k.ctx, 0, journal.Filter{}) {
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
}
