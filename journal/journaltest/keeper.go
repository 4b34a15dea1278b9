package journaltest

import (
	"context"
	"errors"
	"fmt"
	"io"
	"maps"
	"slices"
	"sync"
	"time"

	"github.com/troupe-go/troupe/journal"
)

// keeper returns the store, or skips the case if it can't delete.
func (k *kit) keeper() journal.Keeper {
	k.Helper()
	s, ok := beneath(k.s).(journal.Keeper)
	if !ok {
		k.Skip("the store is no journal.Keeper")
	}
	return s
}

// before makes a call with a context that has ended, if the kit cancels calls. It must have
// no effect.
func (k *kit) before(call string, f func(ctx context.Context) error) {
	k.Helper()
	if !k.cancels {
		return
	}
	if err := f(ended(k.ctx)); !errors.Is(err, errLeft) && !errors.Is(err, context.Canceled) {
		k.Errorf("%s with a context that has ended returns %v, want the cause of its end", call, err)
	}
}

// erase erases the stream s, and fails unless it has the version then.
func (k *kit) erase(version uint64) {
	k.Helper()
	s := k.keeper()
	k.before("Erase", func(ctx context.Context) error { _, err := s.Erase(ctx, "s", begin); return err })
	if got, err := s.Erase(k.ctx, "s", begin); err != nil || got != version {
		k.Fatalf("Erase: version %d, want %d (%v)", got, version, err)
	}
}

// trim trims the stream s, and fails unless so many events are removed.
func (k *kit) trim(r journal.Retention, want uint64) {
	k.Helper()
	s := k.keeper()
	k.before("Trim", func(ctx context.Context) error { _, err := s.Trim(ctx, "s", r); return err })
	if got, err := s.Trim(k.ctx, "s", r); err != nil || got != want {
		k.Fatalf("Trim by %+v removes %d events, want %d (%v)", r, got, want, err)
	}
}

// move moves the position of a projection.
func (k *kit) move(name string, from, to journal.Position) {
	k.Helper()
	s := k.keeper()
	k.before("MovePosition", func(ctx context.Context) error { return s.MovePosition(ctx, name, from, to) })
	if err := s.MovePosition(k.ctx, name, from, to); err != nil {
		k.Fatalf("MovePosition of %q from %d to %d: %v", name, from, to, err)
	}
}

// stands fails unless the stream s is listed with the figures.
func (k *kit) stands(version, events, trimmed, fence, snapshot uint64) {
	k.Helper()
	if _, ok := beneath(k.s).(journal.Catalog); !ok {
		return
	}
	list := k.streams("s", "")
	if len(list) != 1 {
		k.Fatalf("the list has %d streams, want 1", len(list))
	}
	got := list[0]
	got.First, got.Last, got.Changed = 0, 0, time.Time{}
	want := journal.StreamInfo{Name: "s", Version: version, Events: events, Trimmed: trimmed, Fence: fence, Snapshot: snapshot}
	if got != want {
		k.Errorf("the stream is listed as %+v, want %+v", got, want)
	}
}

// begins fails unless the stream s begins with the version, and each event follows the one
// before, in the stream and in the feed.
func (k *kit) begins(version uint64, want ...string) {
	k.Helper()
	records, inFeed := k.records("s", 0), k.feed(0, journal.Filter{Prefix: "s"})
	if !slices.Equal(texts(records), want) || !slices.Equal(texts(inFeed), want) {
		k.Errorf("the stream has %q and the feed %q, want %q", texts(records), texts(inFeed), want)
	}
	for i, r := range records {
		if r.Version != version+uint64(i) || inFeed[i].Version != r.Version {
			k.Errorf("event %d has version %d, and %d in the feed, want %d", i, r.Version, inFeed[i].Version, version+uint64(i))
		}
	}
}

var keeperTests = []test{
	{"an erased stream has one event", func(k *kit) {
		k.keeper()
		k.append(write("s", 0, "a", "b"), write("t", 0, "x"))
		k.erase(3)
		k.begins(3, "{}")
		r := k.records("s", 2)[0]
		if r.Type != journal.ErasedType || r.Schema != 1 || r.Codec != "json" || !r.Time.Equal(begin) {
			k.Errorf("the event is %+v", r)
		}
		k.has("t", "x")
		k.stands(3, 1, 2, 0, 0)
	}},
	{"an erasure takes the snapshot with it", func(k *kit) {
		k.keeper()
		k.append(write("s", 0, "a", "b"))
		k.save(2, "state")
		k.erase(3)
		k.snapshot(journal.Snapshot{})
	}},
	{"a late snapshot of an erased stream is dropped", func(k *kit) {
		k.keeper()
		k.append(write("s", 0, "a", "b"))
		k.erase(3)
		k.save(2, "what was erased")
		k.snapshot(journal.Snapshot{})
		k.append(write("s", 3, "c"))
		k.snapshot(k.save(4, "new"))
	}},
	{"an erased stream keeps its version and its fence", func(k *kit) {
		k.keeper()
		k.append(fenced(5, "s", 0, "a", "b"))
		k.erase(3)
		k.conflict(k.try(fenced(5, "s", 2, "x")), 3)
		k.fenced(k.try(fenced(4, "s", 3, "x")), 5)
		k.conflict(k.try(fenced(5, "s", 0, "x")), 3)
		k.version(k.try(fenced(5, "s", 3, "c")), 4)
		k.begins(3, "{}", "c")
		k.stands(4, 2, 2, 5, 0)
	}},
	{"an erasure takes the command ids with it", func(k *kit) {
		k.keeper()
		k.append(once("c1", "s", 0, "a"))
		k.erase(2)
		k.version(k.try(once("c1", "s", 2, "a")), 3)
	}},
	{"to erase twice is to erase once", func(k *kit) {
		k.keeper()
		k.append(write("s", 0, "a"))
		k.erase(2)
		k.erase(2)
		k.append(write("s", 2, "b"))
		k.erase(4)
		k.begins(4, "{}")
	}},
	{"an erasure has a new position", func(k *kit) {
		k.keeper()
		k.append(write("s", 0, "a"), write("t", 0, "x"))
		last := k.feed(0, journal.Filter{})[1].Position
		k.erase(2)
		if got := k.feed(last, journal.Filter{}); len(got) != 1 || got[0].Type != journal.ErasedType {
			k.Errorf("after the last event there is %+v, want the erasure", got)
		}
	}},
	{"a stream that is not there is not erased or trimmed", func(k *kit) {
		s := k.keeper()
		k.append(fenced(3, "fenced", journal.AnyVersion))
		for _, name := range []string{"s", "fenced"} {
			if _, err := s.Erase(k.ctx, name, begin); !errors.Is(err, journal.ErrNoStream) {
				k.Errorf("Erase of %q returns %v, want ErrNoStream", name, err)
			}
			if _, err := s.Trim(k.ctx, name, journal.Retention{}); !errors.Is(err, journal.ErrNoStream) {
				k.Errorf("Trim of %q returns %v, want ErrNoStream", name, err)
			}
		}
	}},
	{"a stream without a snapshot is not trimmed", func(k *kit) {
		s := k.keeper()
		k.append(write("s", 0, "a", "b"))
		if _, err := s.Trim(k.ctx, "s", journal.Retention{}); !errors.Is(err, journal.ErrNoSnapshot) {
			k.Errorf("Trim returns %v, want ErrNoSnapshot", err)
		}
		k.has("s", "a", "b")
	}},
	{"a trim leaves the event of the snapshot", func(k *kit) {
		k.keeper()
		k.append(write("s", 0, "a", "b", "c", "d"), write("t", 0, "x", "y"))
		snap := k.save(3, "state")
		k.trim(journal.Retention{}, 2)
		k.begins(3, "c", "d")
		k.snapshot(snap)
		k.stands(4, 2, 2, 0, 3)
		k.trim(journal.Retention{}, 0)
		k.has("t", "x", "y")
		k.conflict(k.try(write("s", 2, "z")), 4)
		k.append(write("s", 4, "e"))
		k.save(5, "later")
		k.trim(journal.Retention{}, 2)
		k.begins(5, "e")
	}},
	{"a trim keeps as many events as it is told", func(k *kit) {
		k.keeper()
		k.append(write("s", 0, numbered("", 6)...))
		k.save(5, "state")
		k.trim(journal.Retention{Keep: 100}, 0)
		k.trim(journal.Retention{Keep: 2}, 2)
		k.begins(3, "2", "3", "4", "5")
	}},
	{"a trim keeps late events", func(k *kit) {
		k.keeper()
		for i := range 4 {
			w := write("s", uint64(i), fmt.Sprint(i))
			w.Time = begin.Add(time.Duration(i))
			k.append(w)
		}
		k.save(4, "state")
		k.trim(journal.Retention{Before: begin}, 0)
		k.trim(journal.Retention{Before: begin.Add(2)}, 2)
		k.begins(3, "2", "3")
	}},
	{"a trim keeps what a projection has not handled", func(k *kit) {
		k.keeper()
		k.append(write("s", 0, "a", "b", "c", "d"))
		k.save(4, "state")
		at := k.feed(0, journal.Filter{})
		k.move("fast", 0, at[3].Position)
		k.move("slow", 0, at[0].Position)
		k.trim(journal.Retention{}, 1)
		k.begins(2, "b", "c", "d")
		k.move("slow", at[0].Position, at[2].Position)
		k.trim(journal.Retention{Position: at[1].Position}, 1)
		k.begins(3, "c", "d")
		k.move("slow", at[2].Position, 0)
		k.trim(journal.Retention{}, 1)
		k.begins(4, "d")
	}},
	{"a trim takes the command ids with it", func(k *kit) {
		k.keeper()
		k.append(once("c1", "s", 0, "a"), once("c2", "s", 1, "b"))
		k.save(2, "state")
		k.trim(journal.Retention{}, 1)
		k.done(k.try(once("c2", "s", journal.AnyVersion, "b")))
		k.version(k.try(once("c1", "s", 2, "a")), 3)
	}},
	{"positions are not used again", func(k *kit) {
		k.keeper()
		k.append(write("s", 0, "a", "b"))
		last := k.feed(0, journal.Filter{})[1].Position
		k.erase(3)
		k.reopen()
		k.append(write("s", 3, "c"))
		if got := texts(k.feed(last, journal.Filter{})); !slices.Equal(got, []string{"{}", "c"}) {
			k.Errorf("after position %d there is %q, want the erasure and c", last, got)
		}
	}},
	{"what was removed stays so over a restart", func(k *kit) {
		k.keeper()
		k.append(write("s", 0, "a", "b", "c"))
		k.save(2, "state")
		k.trim(journal.Retention{}, 1)
		k.reopen()
		k.begins(2, "b", "c")
		k.stands(3, 2, 1, 0, 2)
		k.erase(4)
		k.reopen()
		k.begins(4, "{}")
		k.stands(4, 1, 3, 0, 0)
	}},
	{"a stream that begins later", func(k *kit) {
		s := k.keeper()
		k.append(fenced(2, "s", journal.AnyVersion))
		k.before("Begin", func(ctx context.Context) error { return s.Begin(ctx, "s", 4) })
		if err := s.Begin(k.ctx, "s", 4); err != nil {
			k.Fatalf("Begin: %v", err)
		}
		k.append(fenced(2, "s", 4, "e"))
		k.begins(5, "e")
		k.stands(5, 1, 4, 2, 0)
		var conflict *journal.ConflictError
		if err := s.Begin(k.ctx, "s", 1); !errors.As(err, &conflict) || conflict.Actual != 5 {
			k.Errorf("to begin it again returns %v, want a conflict with version 5", err)
		}
		if err := s.Begin(k.ctx, "", 1); err == nil {
			k.Errorf("a stream without a name begins")
		}
	}},
	{"positions of projections", func(k *kit) {
		s := k.keeper()
		k.move("a", 0, 7)
		k.move("b 'ä'; --", 0, 1)
		k.move("a", 7, 9)
		for _, from := range []journal.Position{0, 7, 10} {
			if err := s.MovePosition(k.ctx, "a", from, 11); !errors.Is(err, journal.ErrMoved) {
				k.Errorf("a move from %d, where it is not, returns %v, want ErrMoved", from, err)
			}
		}
		k.move("c", 0, 3)
		k.move("c", 3, 0)
		k.reopen()
		want := map[string]journal.Position{"a": 9, "b 'ä'; --": 1}
		if got, err := k.keeper().Positions(k.ctx); err != nil || !maps.Equal(got, want) {
			k.Errorf("the positions are %v, want %v (%v)", got, want, err)
		}
	}},
	{"of projections that move at the same time one does", func(k *kit) {
		s := k.keeper()
		var mu sync.Mutex
		moved := 0
		together(func(i int) {
			switch err := s.MovePosition(k.ctx, "p", 0, journal.Position(i+1)); {
			case err == nil:
				mu.Lock()
				moved++
				mu.Unlock()
			case !errors.Is(err, journal.ErrMoved):
				k.Errorf("mover %d: %v", i, err)
			}
		})
		if moved != 1 {
			k.Errorf("%d have moved the position, want 1", moved)
		}
	}},
	{"erasures and trims beside writers, snapshots and a reader of the feed", func(k *kit) { k.deleteBeside() }},
	{"a closed store does not delete", func(k *kit) {
		s := k.keeper()
		c, ok := s.(io.Closer)
		if !ok {
			k.Skip("the store can't be closed")
		}
		if err := c.Close(); err != nil {
			k.Errorf("close it: %v", err)
		}
		_, erase := s.Erase(k.ctx, "s", begin)
		_, trim := s.Trim(k.ctx, "s", journal.Retention{})
		_, positions := s.Positions(k.ctx)
		for call, err := range map[string]error{"Erase": erase, "Trim": trim, "Positions": positions,
			"Begin": s.Begin(k.ctx, "s", 1), "MovePosition": s.MovePosition(k.ctx, "p", 0, 1)} {
			if !errors.Is(err, journal.ErrClosed) {
				k.Errorf("%s returns %v, want ErrClosed", call, err)
			}
		}
	}},
}

// deleteBeside has writers append to streams of their own, with snapshots, while the
// streams are trimmed, and every second one is erased in the end. A projection follows, and
// sees all but what was erased before it came there.
func (k *kit) deleteBeside() {
	k.Helper()
	s := k.keeper()
	k.append(write("t", 0, "x"))
	at := k.feed(0, journal.Filter{})[0].Position
	k.move("p", 0, at)
	writing, wrote := make(chan struct{}), make(chan struct{}, 1)
	go func() {
		defer close(writing)
		together(func(i int) { k.writeAndDelete(s, i, wrote) })
	}()
	next := [writers]int{}
	for last := false; ; {
		page := k.feed(at, journal.Filter{})
		for _, r := range page {
			k.follows(r, &next)
		}
		if len(page) > 0 {
			to := page[len(page)-1].Position
			k.move("p", at, to)
			at = to
		} else if last {
			break
		}
		select {
		case <-writing:
			last = true
		case <-wrote:
		}
	}
	for i, n := range next {
		if n != each {
			k.Errorf("of writer %d, %d events were seen, want %d", i, n, each)
		}
	}
}

// writeAndDelete is what one writer does.
func (k *kit) writeAndDelete(s journal.Keeper, i int, wrote chan<- struct{}) {
	name := fmt.Sprint("s", i)
	for n := range each {
		w := write(name, journal.AnyVersion, fmt.Sprintf("%d/%d", i, n))
		if err := k.s.Append(k.ctx, []*journal.Write{w}); err != nil || w.Err != nil {
			k.Errorf("writer %d: %v, %v", i, err, w.Err)
			return
		}
		select {
		case wrote <- struct{}{}:
		default:
		}
		if n%4 != 3 {
			continue
		}
		snap := journal.Snapshot{Stream: name, Version: w.Version, Encoded: state("")}
		if err := k.s.SaveSnapshot(k.ctx, snap); err != nil {
			k.Errorf("snapshot of writer %d: %v", i, err)
		}
		if _, err := s.Trim(k.ctx, name, journal.Retention{}); err != nil {
			k.Errorf("trim the stream of writer %d: %v", i, err)
		}
	}
	if i%2 == 0 {
		if _, err := s.Erase(k.ctx, name, begin); err != nil {
			k.Errorf("erase the stream of writer %d: %v", i, err)
		}
	}
}

// follows fails unless the event is the next one of its writer.
func (k *kit) follows(r journal.Record, next *[writers]int) {
	k.Helper()
	var i, n int
	if _, err := fmt.Sscanf(r.Stream, "s%d", &i); err != nil {
		k.Fatalf("an event of the stream %q: %v", r.Stream, err)
	}
	if r.Type == journal.ErasedType {
		if i%2 != 0 || r.Version != each+1 {
			k.Errorf("stream %q is erased at version %d", r.Stream, r.Version)
		}
		next[i] = each
		return
	}
	if _, err := fmt.Sscanf(string(r.Data), fmt.Sprint(i, "/%d"), &n); err != nil || n != next[i] {
		k.Fatalf("writer %d: got event %q, want %d (%v)", i, r.Data, next[i], err)
	}
	next[i]++
}
