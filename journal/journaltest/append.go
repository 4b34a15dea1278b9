package journaltest

import (
	"bytes"
	"slices"
	"time"

	"github.com/troupe-go/troupe/journal"
)

var appendTests = []test{
	{"the first event has version 1", func(k *kit) {
		k.version(k.try(write("s", 0, "a")), 1)
		k.has("s", "a")
	}},
	{"the events of a write have consecutive versions", func(k *kit) {
		k.version(k.try(write("s", 0, "a", "b", "c")), 3)
		k.version(k.try(write("s", 3, "d")), 4)
		k.has("s", "a", "b", "c", "d")
	}},
	{"a version that is too low is a conflict", func(k *kit) {
		k.append(write("s", 0, "a", "b"))
		k.conflict(k.try(write("s", 1, "x")), 2)
		k.has("s", "a", "b")
	}},
	{"a version that is too high is a conflict", func(k *kit) {
		k.append(write("s", 0, "a"))
		k.conflict(k.try(write("s", 2, "x")), 1)
		k.has("s", "a")
	}},
	{"a new stream that is there is a conflict", func(k *kit) {
		k.append(write("s", 0, "a"))
		k.conflict(k.try(write("s", 0, "x")), 1)
	}},
	{"a stream that is not there has version 0", func(k *kit) {
		k.conflict(k.try(write("s", 1, "x")), 0)
		k.has("s")
	}},
	{"any version of a new stream", func(k *kit) {
		k.version(k.try(write("s", journal.AnyVersion, "a")), 1)
	}},
	{"any version of an old stream", func(k *kit) {
		k.append(write("s", 0, "a"))
		k.version(k.try(write("s", journal.AnyVersion, "b", "c")), 3)
		k.has("s", "a", "b", "c")
	}},
	{"a batch for several streams", func(k *kit) {
		k.append(write("r", 0, "a"), write("s", 0, "b"), write("t", 0, "c", "d"))
		k.has("r", "a")
		k.has("s", "b")
		k.has("t", "c", "d")
	}},
	{"a batch with two writes for one stream", func(k *kit) {
		second := write("s", 1, "b")
		k.append(write("s", 0, "a"), second)
		k.version(second, 2)
		k.has("s", "a", "b")
	}},
	{"a batch in which the second write of a stream conflicts with the first", func(k *kit) {
		second := write("s", 0, "x")
		k.version(k.try(write("s", 0, "a"), second), 1)
		k.conflict(second, 1)
		k.has("s", "a")
	}},
	{"a conflict in a batch keeps nobody else from being stored", func(k *kit) {
		k.append(write("s", 0, "a"))
		conflict, last := write("s", 5, "x", "y"), write("t", 0, "c")
		k.try(write("r", 0, "b"), conflict, last)
		k.conflict(conflict, 1)
		k.version(last, 1)
		k.has("r", "b")
		k.has("s", "a")
		k.has("t", "c")
	}},
	{"a batch of conflicts stores nothing", func(k *kit) {
		second := write("t", 4, "y")
		k.conflict(k.try(write("s", 3, "x"), second), 0)
		k.conflict(second, 0)
		if got := k.feed(0, journal.Filter{}); len(got) > 0 {
			k.Errorf("the store has %d events, want none", len(got))
		}
	}},
	{"an empty batch does nothing", func(k *kit) {
		if err := k.s.Append(k.ctx, nil); err != nil {
			k.Errorf("Append of nothing: %v", err)
		}
	}},
	{"a write without events says how the stream stands", func(k *kit) {
		k.version(k.try(write("s", 0)), 0)
		k.append(write("s", 0, "a", "b"))
		k.version(k.try(write("s", journal.AnyVersion)), 2)
		k.conflict(k.try(write("s", 1)), 2)
		k.has("s", "a", "b")
	}},
	{"the results of a write are set anew", func(k *kit) {
		w := write("s", 1, "a")
		k.conflict(k.try(w), 0)
		w.Expected = 0
		k.version(k.try(w), 1)
	}},
	{"times are kept to the nanosecond", func(k *kit) {
		k.append(write("s", 0, "a"))
		if got := k.records("s", 0)[0].Time; !got.Equal(begin) {
			k.Errorf("the event has the time %v, want %v", got, begin)
		}
	}},
	{"clocks may go back", func(k *kit) {
		k.append(write("s", 0, "a"))
		earlier := write("s", 1, "b")
		earlier.Time = time.Date(1969, 7, 20, 20, 17, 40, 1, time.UTC)
		k.append(earlier)
		k.has("s", "a", "b")
		if got := k.records("s", 1)[0].Time; !got.Equal(earlier.Time) {
			k.Errorf("the event has the time %v, want %v", got, earlier.Time)
		}
		if got := texts(k.feed(0, journal.Filter{})); !slices.Equal(got, []string{"a", "b"}) {
			k.Errorf("the feed has %q, want the order in which they were stored", got)
		}
	}},
	{"events without data", func(k *kit) {
		w := write("s", 0, "")
		w.Events = append(w.Events, journal.Encoded{Type: "none", Schema: 1, Codec: "text"})
		k.append(w)
		k.has("s", "", "")
	}},
	{"data of every byte", func(k *kit) {
		k.append(write("s", 0, string(everyByte())))
		k.has("s", string(everyByte()))
	}},
	{"type, schema and codec are kept", func(k *kit) {
		e := journal.Encoded{Type: "geändert/1 'x'; --", Schema: 1 << 20, Codec: "\x00\xff", Data: []byte("d")}
		k.append(&journal.Write{Stream: "s", Time: begin, Events: []journal.Encoded{e}})
		if got := k.records("s", 0)[0].Encoded; !sameEncoded(got, e) {
			k.Errorf("got %+v, want %+v", got, e)
		}
	}},
	{"the caller's data is not kept", func(k *kit) {
		w := write("s", 0, "abc")
		k.append(w)
		w.Events[0].Data[0] = 'x'
		k.has("s", "abc")
	}},
	{"a write of a thousand events", func(k *kit) {
		k.version(k.try(write("s", 0, numbered("e", 1000)...)), 1000)
		k.has("s", numbered("e", 1000)...)
	}},
	{"an event of 16 MB", func(k *kit) {
		data := bytes.Repeat([]byte("0123456789abcdef"), journal.MaxEvent/16)
		w := write("s", 0, "")
		w.Events[0].Data = data
		k.append(w)
		if got := k.records("s", 0); len(got) != 1 || !bytes.Equal(got[0].Data, data) {
			k.Errorf("the event is not what was stored")
		}
	}},
}
