package enginetest

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"strconv"
	"strings"
	"sync"
	"time"

	"github.com/troupe-go/troupe/engine"
)

var tableCases = []testCase{
	{"a value is read as it was put", putAndGet},
	{"a put expects a revision", putExpects},
	{"a delete expects a revision", deleteExpects},
	{"a deleted key is absent, and its next revision is greater", putAgain},
	{"revisions grow over all keys", revisionsGrow},
	{"of several writers that expect one revision, one wins", oneWinner},
	{"increments by compare-and-swap are all there", increments},
	{"an entry ends after its ttl, and a renewal counts anew", entryEnds},
	{"a watch begins with what is there, and says when it is complete", watchBegins},
	{"a watch goes on from a revision", watchGoesOn},
	{"a watch sees the newest state of each key, and revisions in order", watchMissesNothing},
	{"a slow watcher holds nobody up", slowWatcher},
	{"two tables are apart", tablesApart},
	{"keys, values and times over their limits are refused", tableLimits},
	{"names of tables", tableNames},
	{"a call that is cancelled at work leaves a value that was put or was there", cancelledAtWork},
}

func (k *kit) put(t engine.Table, key, value string, expected uint64) uint64 {
	k.Helper()
	revision, err := t.Put(k.ctx, key, []byte(value), expected, 0)
	k.must(err, fmt.Sprintf("Put of %q, expecting %d", key, expected))
	return revision
}

func (k *kit) has(t engine.Table, key, value string, revision uint64) {
	k.Helper()
	e, err := t.Get(k.ctx, key)
	if err != nil || e.Key != key || string(e.Value) != value || e.Revision != revision {
		k.Errorf("Get(%q) returns %v, %v, want %q at revision %d", key, e, err, value, revision)
	}
}

func putAndGet(k *kit) {
	name := k.name()
	t, other := k.table(name, 0), k.table(name, 1)
	_, err := t.Get(k.ctx, "key")
	k.is(err, engine.ErrNotFound, "Get of a key that was never put")
	all := make([]byte, 256)
	for i := range all {
		all[i] = byte(i)
	}
	for _, value := range []string{"", "x", string(all), strings.Repeat("v", engine.MaxValue)} {
		revision := k.put(t, "key", value, engine.Any)
		e, err := other.Get(k.ctx, "key")
		if err != nil || string(e.Value) != value || e.Revision != revision {
			k.Errorf("Get of %d bytes returns %d bytes, revision %d, %v, want revision %d", len(value), len(e.Value), e.Revision, err, revision)
		}
	}
	value := []byte("before")
	_, err = t.Put(k.ctx, "key", value, engine.Any, 0)
	k.must(err, "Put")
	copy(value, "after!")
	if e, err := t.Get(k.ctx, "key"); err != nil || string(e.Value) != "before" {
		k.Errorf("a value that its owner changes after Put is %q, %v", e.Value, err)
	}
}

func putExpects(k *kit) {
	t := k.table(k.name(), 0)
	_, err := t.Put(k.ctx, "key", nil, 7, 0)
	k.conflict(err, 7, 0)
	first := k.put(t, "key", "one", engine.Absent)
	_, err = t.Put(k.ctx, "key", nil, engine.Absent, 0)
	k.conflict(err, engine.Absent, first)
	second := k.put(t, "key", "two", first)
	_, err = t.Put(k.ctx, "key", nil, first, 0)
	k.conflict(err, first, second)
	k.has(t, "key", "two", second)
	third := k.put(t, "key", "three", engine.Any)
	k.has(t, "key", "three", third)
}

func deleteExpects(k *kit) {
	t := k.table(k.name(), 0)
	_, err := t.Delete(k.ctx, "key", engine.Any)
	k.is(err, engine.ErrNotFound, "Delete of a key that was never put")
	first := k.put(t, "key", "one", engine.Absent)
	_, err = t.Delete(k.ctx, "key", first+1)
	k.conflict(err, first+1, first)
	k.has(t, "key", "one", first)
	gone, err := t.Delete(k.ctx, "key", first)
	if err != nil || gone <= first {
		k.Errorf("Delete returns %d, %v, want a revision above %d", gone, err, first)
	}
	_, err = t.Delete(k.ctx, "key", engine.Any)
	k.is(err, engine.ErrNotFound, "Delete of a deleted key")
}

func putAgain(k *kit) {
	t := k.table(k.name(), 0)
	first := k.put(t, "key", "one", engine.Absent)
	gone, err := t.Delete(k.ctx, "key", engine.Any)
	k.must(err, "Delete")
	_, err = t.Get(k.ctx, "key")
	k.is(err, engine.ErrNotFound, "Get of a deleted key")
	_, err = t.Put(k.ctx, "key", nil, first, 0)
	k.conflict(err, first, 0)
	_, err = t.Put(k.ctx, "key", nil, gone, 0)
	k.conflict(err, gone, 0)
	if again := k.put(t, "key", "two", engine.Absent); again <= gone {
		k.Errorf("the key has the revision %d after its deletion had %d", again, gone)
	}
}

func revisionsGrow(k *kit) {
	name := k.name()
	var last uint64
	for i := range 20 {
		revision := k.put(k.table(name, i), "key-"+strconv.Itoa(i%3), "x", engine.Any)
		if revision <= last {
			k.Fatalf("a Put returns the revision %d after %d", revision, last)
		}
		last = revision
	}
}

func oneWinner(k *kit) {
	name := k.name()
	for round := range 5 {
		key := "key-" + strconv.Itoa(round)
		var wins, conflicts sync.Map
		var wait sync.WaitGroup
		for i := range 8 {
			t := k.table(name, i)
			wait.Go(func() {
				revision, err := t.Put(k.ctx, key, []byte(strconv.Itoa(i)), engine.Absent, 0)
				if c := (*engine.ConflictError)(nil); errors.As(err, &c) {
					conflicts.Store(i, c.Actual)
				} else if err == nil {
					wins.Store(i, revision)
				} else {
					k.Errorf("Put: %v", err)
				}
			})
		}
		wait.Wait()
		n := 0
		wins.Range(func(i, revision any) bool {
			n++
			k.has(k.table(name, 0), key, strconv.Itoa(i.(int)), revision.(uint64))
			return true
		})
		if n != 1 {
			k.Errorf("%d writers have created one key", n)
		}
	}
}

func increments(k *kit) {
	const writers, each = 4, 10
	name := k.name()
	k.put(k.table(name, 0), "counter", "0", engine.Absent)
	var wait sync.WaitGroup
	for i := range writers {
		t := k.table(name, i)
		wait.Go(func() {
			for done := 0; done < each && k.ctx.Err() == nil; {
				e, err := t.Get(k.ctx, "counter")
				if err != nil {
					k.Errorf("Get: %v", err)
					return
				}
				n, _ := strconv.Atoi(string(e.Value))
				_, err = t.Put(k.ctx, "counter", []byte(strconv.Itoa(n+1)), e.Revision, 0)
				if c := (*engine.ConflictError)(nil); err == nil {
					done++
				} else if !errors.As(err, &c) {
					k.Errorf("Put: %v", err)
					return
				}
			}
		})
	}
	wait.Wait()
	if e, err := k.table(name, 0).Get(k.ctx, "counter"); err != nil || string(e.Value) != strconv.Itoa(writers*each) {
		k.Errorf("the counter is %q, %v, want %d", e.Value, err, writers*each)
	}
}

func entryEnds(k *kit) {
	name := k.name()
	t := k.table(name, 0)
	w := k.watch(k.table(name, 1), 0)
	put := func(key string, expected uint64, ttl time.Duration) (uint64, error) {
		return t.Put(k.ctx, key, []byte("x"), expected, ttl)
	}
	// A busy machine may take longer than the ttl from a Put to its renewal: then again.
	renew := func(key string, ttl time.Duration) (revision uint64) {
		k.eventually("the renewal of an entry", func() bool {
			first, err := put(key, engine.Any, engine.MinTTL)
			k.must(err, "Put with a ttl")
			revision, err = put(key, first, ttl)
			return err == nil
		})
		return revision
	}
	kept, renewed := renew("kept", 0), renew("renewed", time.Hour)
	start := time.Now()
	short, err := put("short", engine.Absent, engine.MinTTL)
	k.must(err, "Put with a ttl")
	for c := range w.changes {
		if !c.Deleted || c.Revision < renewed && c.Key != "short" {
			continue
		}
		if c.Key != "short" || c.Revision <= short {
			k.Errorf("the watch yields %+v, want the end of the key \"short\" with a revision above %d", c, short)
		}
		break
	}
	if took := time.Since(start); took < engine.MinTTL-50*time.Millisecond {
		k.Errorf("an entry with a ttl of %v has ended after %v", engine.MinTTL, took)
	}
	_, err = t.Get(k.ctx, "short")
	k.is(err, engine.ErrNotFound, "Get of an entry that has ended")
	_, err = t.Put(k.ctx, "short", nil, short, 0)
	k.conflict(err, short, 0)
	_, err = put("short", engine.Absent, time.Hour)
	k.must(err, "Put of a key whose entry has ended")
	k.has(t, "kept", "x", kept)
	k.has(t, "renewed", "x", renewed)
}

// watcher has the changes of a watch that runs beside the case.
type watcher struct{ changes chan engine.Change }

// watch begins a watch, which ends with the case.
func (k *kit) watch(t engine.Table, after uint64) watcher {
	ctx, cancel := context.WithCancel(k.ctx)
	w := watcher{make(chan engine.Change)}
	ended := make(chan struct{})
	k.Cleanup(func() { cancel(); <-ended })
	go func() {
		defer close(ended)
		defer close(w.changes)
		for c, err := range t.Watch(ctx, after) {
			if err != nil {
				if ctx.Err() == nil {
					k.Errorf("Watch: %v", err)
				}
				return
			}
			select {
			case w.changes <- c:
			case <-ctx.Done():
				return
			}
		}
	}()
	return w
}

// wants fails unless these changes come next, as "key=value", "-key", or "current".
func (k *kit) wants(w watcher, want ...string) {
	k.Helper()
	for _, text := range want {
		c, ok := <-w.changes
		if !ok {
			k.Fatalf("the watch has ended, want %q", text)
		}
		got := c.Key + "=" + string(c.Value)
		switch {
		case c.Current:
			got = "current"
		case c.Deleted:
			got = "-" + c.Key
		}
		if got != text {
			k.Fatalf("the watch yields %q, want %q", got, text)
		}
	}
}

func watchBegins(k *kit) {
	name := k.name()
	t := k.table(name, 0)
	k.wants(k.watch(k.table(name, 1), 0), "current")
	k.put(t, "b", "1", engine.Any)
	k.put(t, "a", "2", engine.Any)
	k.put(t, "gone", "3", engine.Any)
	_, err := t.Delete(k.ctx, "gone", engine.Any)
	k.must(err, "Delete")
	k.put(t, "b", "4", engine.Any)
	w := k.watch(k.table(name, 1), 0)
	k.wants(w, "a=2", "b=4", "current")
	k.put(t, "a", "", engine.Any)
	k.wants(w, "a=")
	_, err = t.Delete(k.ctx, "b", engine.Any)
	k.must(err, "Delete")
	k.wants(w, "-b")
	k.put(t, "b", "5", engine.Absent)
	k.wants(w, "b=5")
}

func watchGoesOn(k *kit) {
	name := k.name()
	t := k.table(name, 0)
	k.put(t, "a", "1", engine.Any)
	from := k.put(t, "b", "2", engine.Any)
	k.put(t, "c", "3", engine.Any)
	_, err := t.Delete(k.ctx, "a", engine.Any)
	k.must(err, "Delete")
	w := k.watch(k.table(name, 1), from)
	k.wants(w, "c=3", "-a", "current")
	last := k.put(t, "d", "4", engine.Any)
	k.wants(w, "d=4")
	w = k.watch(k.table(name, 1), last)
	k.wants(w, "current")
	k.put(t, "e", "5", engine.Any)
	k.wants(w, "e=5")
}

func watchMissesNothing(k *kit) {
	const keys, writes = 5, 60
	name := k.name()
	w := k.watch(k.table(name, 1), 0)
	k.wants(w, "current")
	newest := map[string]uint64{}
	done := make(chan struct{})
	k.Cleanup(func() { <-done })
	result := make(chan map[string]uint64, 1)
	t := k.table(name, 0)
	go func() {
		defer close(done)
		all := map[string]uint64{}
		for i := range writes {
			key := "key-" + strconv.Itoa(i%keys)
			revision, err := t.Put(k.ctx, key, []byte("x"), engine.Any, 0)
			if err != nil {
				k.Errorf("Put: %v", err)
				break
			}
			all[key] = revision
		}
		revision, err := t.Put(k.ctx, "last", nil, engine.Any, 0)
		if err != nil {
			k.Errorf("Put: %v", err)
		}
		all["last"] = revision
		result <- all
	}()
	var before uint64
	for newest["last"] == 0 {
		c, ok := <-w.changes
		if !ok {
			k.Fatal("the watch has ended")
		}
		if c.Revision <= before {
			k.Errorf("the watch yields the revision %d after %d", c.Revision, before)
		}
		before, newest[c.Key] = c.Revision, c.Revision
	}
	for key, revision := range <-result {
		if newest[key] != revision {
			k.Errorf("the watch has seen key %q at revision %d, and it was put at %d", key, newest[key], revision)
		}
	}
}

func slowWatcher(k *kit) {
	name := k.name()
	t := k.table(name, 0)
	w := k.watch(k.table(name, 1), 0) // Nothing is taken from it for now.
	value := bytes.Repeat([]byte("v"), 1000)
	var last uint64
	for range 100 {
		var err error
		last, err = t.Put(k.ctx, "key", value, engine.Any, 0)
		k.must(err, "Put beside a watcher that takes nothing")
	}
	for c := range w.changes {
		if c.Revision == last {
			return
		}
	}
	k.Errorf("the watch has ended without the revision %d", last)
}

func tablesApart(k *kit) {
	one, two := k.table(k.name(), 0), k.table(k.name(), 0)
	revision := k.put(one, "key", "one", engine.Absent)
	k.put(two, "key", "two", engine.Absent)
	k.has(one, "key", "one", revision)
}

func tableLimits(k *kit) {
	t := k.table(k.name(), 0)
	_, err := t.Put(k.ctx, "key", make([]byte, engine.MaxValue+1), engine.Any, 0)
	k.is(err, engine.ErrTooLong, "Put of a value over the limit")
	for _, ttl := range []time.Duration{-1, 1, engine.MinTTL - 1, engine.MaxTTL + 1} {
		_, err = t.Put(k.ctx, "key", nil, engine.Any, ttl)
		k.is(err, engine.ErrInvalid, fmt.Sprintf("Put with the ttl %v", ttl))
	}
	for _, key := range badSubjects {
		_, err := t.Put(k.ctx, key, nil, engine.Any, 0)
		k.is(err, engine.ErrInvalid, fmt.Sprintf("Put of key %q", key))
		_, err = t.Get(k.ctx, key)
		k.is(err, engine.ErrInvalid, fmt.Sprintf("Get of key %q", key))
		_, err = t.Delete(k.ctx, key, engine.Any)
		k.is(err, engine.ErrInvalid, fmt.Sprintf("Delete of key %q", key))
	}
	for _, key := range goodSubjects {
		k.has(t, key, key, k.put(t, key, key, engine.Absent))
	}
}

// Subjects and keys of all forms.
var (
	goodSubjects = []string{"a", "A", "0", "-", "_", "a.b", "a.b.c.d.e.f", "node-1.birth_2", strings.Repeat("k", engine.MaxKey), strings.Repeat("k.", engine.MaxKey/2-1) + "kk"}
	badSubjects  = []string{"", ".", ".a", "a.", "a..b", "a b", "a\n", "a\r\nPUB x 0\r\n", "*", ">", "a.*", "a.>", "$SYS.REQ", "é", "\xff", "a/b", strings.Repeat("k", engine.MaxKey+1)}
)

func tableNames(k *kit) {
	for _, name := range []string{"", "a.b", "a b", "*", "é", strings.Repeat("n", 33)} {
		_, err := k.node(0).Table(k.ctx, name)
		k.is(err, engine.ErrInvalid, fmt.Sprintf("Table(%q)", name))
	}
	_, err := k.node(0).Table(ended(), k.name())
	k.cancelled(err, "Table")
}

func cancelledAtWork(k *kit) {
	t := k.table(k.name(), 0)
	current := k.put(t, "key", "0", engine.Absent)
	for i := range 20 {
		ctx, cancel := context.WithCancel(k.ctx)
		text := strconv.Itoa(i + 1)
		ready := make(chan struct{})
		go func() { close(ready); cancel() }()
		<-ready
		revision, err := t.Put(ctx, "key", []byte(text), current, 0)
		if err == nil {
			current = revision
			continue
		}
		// It may be made later. A write that is known to be made settles it.
		e, errGet := t.Get(k.ctx, "key")
		k.must(errGet, "Get")
		settled, errPut := t.Put(k.ctx, "key", e.Value, engine.Any, 0)
		k.must(errPut, "Put")
		if errors.Is(err, engine.ErrUnknownOutcome) || errors.Is(err, context.Canceled) && e.Revision == current {
			current = settled
			continue
		}
		k.Fatalf("Put %d: %v, and the key has %q at %d, which was at %d", i, err, e.Value, e.Revision, current)
	}
}
