package enginetest

import (
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"sync"
	"time"

	"github.com/troupe-go/troupe/engine"
)

var logCases = []testCase{
	{"records are read as they were appended", appendAndRead},
	{"an append expects a sequence", appendExpects},
	{"of several appends that expect one sequence, one wins", oneAppend},
	{"a batch is stored whole or not at all", batches},
	{"a record with a known ID is stored once", knownID},
	{"a log drops its oldest records at its limit", logDrops},
	{"a log that refuses is full at its limit, until it is trimmed", logRefuses},
	{"records end after their age", logAge},
	{"trimmed records are gone, and numbers go on", logTrims},
	{"another configuration of one name is refused", logConfigs},
	{"records over their limits are refused", logLimits},
}

func record(text string) engine.Record { return engine.Record{Data: []byte(text)} }

func (k *kit) append(l engine.Log, texts ...string) (last uint64) {
	k.Helper()
	for _, text := range texts {
		var err error
		last, err = l.Append(k.ctx, engine.Any, record(text))
		k.must(err, "Append")
	}
	return last
}

func (k *kit) read(l engine.Log, from uint64) (texts []string) {
	k.Helper()
	var last uint64
	for r, err := range l.Read(k.ctx, from) {
		k.must(err, "Read")
		if r.Sequence <= last || r.Sequence < from {
			k.Errorf("Read from %d yields the sequence %d after %d", from, r.Sequence, last)
		}
		last = r.Sequence
		texts = append(texts, string(r.Data))
	}
	return texts
}

func (k *kit) contains(l engine.Log, from uint64, want ...string) {
	k.Helper()
	if got := k.read(l, from); !slices.Equal(got, want) {
		k.Errorf("the log has %q from %d, want %q", got, from, want)
	}
}

func appendAndRead(k *kit) {
	name := k.name()
	l, other := k.log(name, 0, engine.LogConfig{}), k.log(name, 1, engine.LogConfig{})
	k.contains(l, 0)
	if info, err := l.Info(k.ctx); err != nil || info != (engine.LogInfo{First: 1}) {
		k.Errorf("Info of an empty log is %+v, %v", info, err)
	}
	data := []byte("one")
	before := time.Now()
	first, err := l.Append(k.ctx, engine.Any, engine.Record{Key: "a.b", ID: "id-1", Data: data, Sequence: 99})
	copy(data, "ONE")
	if err != nil || first != 1 {
		k.Fatalf("the first Append returns %d, %v, want 1", first, err)
	}
	k.append(l, "", strings.Repeat("x", engine.MaxValue))
	k.contains(other, 0, "one", "", strings.Repeat("x", engine.MaxValue))
	k.contains(other, 3, strings.Repeat("x", engine.MaxValue))
	k.contains(other, 4)
	for r, err := range other.Read(k.ctx, 1) {
		k.must(err, "Read")
		if r.Sequence != 1 || r.Key != "a.b" || r.ID != "id-1" || r.Time.Before(before.Add(-time.Minute)) {
			k.Errorf("the record is %+v", r)
		}
		break
	}
	info, err := other.Info(k.ctx)
	if err != nil || info.First != 1 || info.Last != 3 || info.Records != 3 || info.Bytes < engine.MaxValue {
		k.Errorf("Info is %+v, %v", info, err)
	}
}

func appendExpects(k *kit) {
	l := k.log(k.name(), 0, engine.LogConfig{})
	_, err := l.Append(k.ctx, 5, record("x"))
	k.conflict(err, 5, 0)
	for i := range uint64(3) {
		if seq, err := l.Append(k.ctx, i, record("r")); err != nil || seq != i+1 {
			k.Fatalf("Append expecting %d returns %d, %v", i, seq, err)
		}
	}
	_, err = l.Append(k.ctx, 2, record("x"))
	k.conflict(err, 2, 3)
	_, err = l.Append(k.ctx, 0, record("x"))
	k.conflict(err, 0, 3)
	k.contains(l, 0, "r", "r", "r")
}

func oneAppend(k *kit) {
	name := k.name()
	var mu sync.Mutex
	var wait sync.WaitGroup
	winners := []string{}
	for i := range 8 {
		l := k.log(name, i, engine.LogConfig{})
		wait.Go(func() {
			text := strconv.Itoa(i)
			_, err := l.Append(k.ctx, 0, record(text))
			if c := (*engine.ConflictError)(nil); err == nil {
				mu.Lock()
				winners = append(winners, text)
				mu.Unlock()
			} else if !errors.As(err, &c) {
				k.Errorf("Append: %v", err)
			}
		})
	}
	wait.Wait()
	if len(winners) != 1 {
		k.Fatalf("%d appends that expect an empty log have succeeded", len(winners))
	}
	k.contains(k.log(name, 0, engine.LogConfig{}), 0, winners...)
}

func batches(k *kit) {
	l := k.log(k.name(), 0, engine.LogConfig{})
	if last, err := l.Append(k.ctx, 0, record("a"), engine.Record{Key: "k", Data: []byte("b")}, record("c")); err != nil || last != 3 {
		k.Fatalf("Append of three returns %d, %v", last, err)
	}
	_, err := l.Append(k.ctx, 1, record("x"), record("y"))
	k.conflict(err, 1, 3)
	_, err = l.Append(k.ctx, 3, record("x"), record(strings.Repeat("y", engine.MaxValue+1)))
	k.is(err, engine.ErrTooLong, "a batch with a record over the limit")
	k.contains(l, 0, "a", "b", "c")
	many, want := make([]engine.Record, engine.MaxBatch), make([]string, engine.MaxBatch)
	for i := range many {
		want[i] = strconv.Itoa(i)
		many[i] = record(want[i])
	}
	if last, err := l.Append(k.ctx, engine.Any, many...); err != nil || last != 3+engine.MaxBatch {
		k.Fatalf("Append of %d returns %d, %v", len(many), last, err)
	}
	k.contains(l, 4, want...)
}

func knownID(k *kit) {
	name := k.name()
	l, other := k.log(name, 0, engine.LogConfig{}), k.log(name, 1, engine.LogConfig{})
	first, err := l.Append(k.ctx, engine.Any, engine.Record{ID: "a", Data: []byte("one")})
	k.must(err, "Append")
	k.append(l, "two")
	again, err := other.Append(k.ctx, engine.Any, engine.Record{ID: "a", Data: []byte("three")})
	if err != nil || again != first {
		k.Errorf("Append of a known ID returns %d, %v, want %d", again, err, first)
	}
	if seq, err := l.Append(k.ctx, engine.Any, engine.Record{ID: "b", Data: []byte("four")}); err != nil || seq != 3 {
		k.Errorf("Append of another ID returns %d, %v", seq, err)
	}
	k.contains(l, 0, "one", "two", "four")
}

func logDrops(k *kit) {
	l := k.log(k.name(), 0, engine.LogConfig{MaxRecords: 3})
	k.append(l, "1", "2", "3", "4", "5")
	k.contains(l, 0, "3", "4", "5")
	if info, err := l.Info(k.ctx); err != nil || info.First != 3 || info.Last != 5 || info.Records != 3 {
		k.Errorf("Info is %+v, %v", info, err)
	}
	small := k.log(k.name(), 0, engine.LogConfig{MaxBytes: 3000})
	for range 10 {
		k.append(small, strings.Repeat("x", 1000))
	}
	if n := len(k.read(small, 0)); n == 0 || n > 3 {
		k.Errorf("a log of at most 3,000 bytes has %d records of 1,000", n)
	}
}

func logRefuses(k *kit) {
	l := k.log(k.name(), 0, engine.LogConfig{MaxRecords: 2, Refuse: true})
	k.append(l, "1", "2")
	_, err := l.Append(k.ctx, engine.Any, record("3"))
	k.is(err, engine.ErrFull, "Append to a full log")
	k.contains(l, 0, "1", "2")
	k.must(l.Trim(k.ctx, 2), "Trim")
	k.append(l, "3")
	k.contains(l, 0, "2", "3")
	small := k.log(k.name(), 0, engine.LogConfig{MaxBytes: 2000, Refuse: true})
	k.append(small, strings.Repeat("x", 1500))
	_, err = small.Append(k.ctx, engine.Any, record(strings.Repeat("y", 1500)))
	k.is(err, engine.ErrFull, "Append of more bytes than the log has room for")
}

func logAge(k *kit) {
	l := k.log(k.name(), 0, engine.LogConfig{MaxAge: time.Second})
	k.append(l, "old")
	k.eventually("the end of a record", func() bool { return len(k.read(l, 0)) == 0 })
	if seq := k.append(l, "new"); seq != 2 {
		k.Errorf("the record after one that has ended has the sequence %d", seq)
	}
}

func logTrims(k *kit) {
	l := k.log(k.name(), 0, engine.LogConfig{})
	k.append(l, "1", "2", "3")
	k.must(l.Trim(k.ctx, 0), "Trim of nothing")
	k.must(l.Trim(k.ctx, 3), "Trim")
	k.must(l.Trim(k.ctx, 2), "Trim of what is gone")
	k.contains(l, 0, "3")
	k.must(l.Trim(k.ctx, 4), "Trim of all")
	k.contains(l, 0)
	if info, err := l.Info(k.ctx); err != nil || info.First != 4 || info.Last != 3 || info.Records != 0 {
		k.Errorf("Info of a trimmed log is %+v, %v", info, err)
	}
	if seq, err := l.Append(k.ctx, 3, record("4")); err != nil || seq != 4 {
		k.Errorf("Append after a Trim returns %d, %v", seq, err)
	}
}

func logConfigs(k *kit) {
	name := k.name()
	k.log(name, 0, engine.LogConfig{MaxRecords: 5})
	k.log(name, 1, engine.LogConfig{MaxRecords: 5})
	for _, c := range []engine.LogConfig{{}, {MaxRecords: 6}, {MaxRecords: 5, Refuse: true}, {MaxRecords: 5, MaxAge: time.Hour}} {
		_, err := k.node(1).Log(k.ctx, name, c)
		k.is(err, engine.ErrExists, fmt.Sprintf("Log with %+v", c))
	}
	for _, c := range []engine.LogConfig{{MaxAge: -1}, {MaxAge: time.Millisecond}, {MaxRecords: -1}, {MaxBytes: -1}} {
		_, err := k.node(0).Log(k.ctx, k.name(), c)
		k.is(err, engine.ErrInvalid, fmt.Sprintf("Log with %+v", c))
	}
	_, err := k.node(0).Log(k.ctx, "a.b", engine.LogConfig{})
	k.is(err, engine.ErrInvalid, "Log with a dot in its name")
}

func logLimits(k *kit) {
	l := k.log(k.name(), 0, engine.LogConfig{})
	for what, c := range map[string]struct {
		want    error
		records []engine.Record
	}{
		"no records":         {engine.ErrInvalid, nil},
		"too long":           {engine.ErrTooLong, []engine.Record{record(strings.Repeat("x", engine.MaxValue+1))}},
		"too many":           {engine.ErrTooLong, make([]engine.Record, engine.MaxBatch+1)},
		"an ID in a batch":   {engine.ErrInvalid, []engine.Record{{ID: "a"}, {}}},
		"an ID over 2 lines": {engine.ErrInvalid, []engine.Record{{ID: "a\r\nNats-TTL: 1s"}}},
		"a long ID":          {engine.ErrTooLong, []engine.Record{{ID: strings.Repeat("i", engine.MaxKey+1)}}},
	} {
		_, err := l.Append(k.ctx, engine.Any, c.records...)
		k.is(err, c.want, "Append with "+what)
	}
	for _, key := range badSubjects[1:] {
		_, err := l.Append(k.ctx, engine.Any, engine.Record{Key: key})
		k.is(err, engine.ErrInvalid, fmt.Sprintf("Append with key %q", key))
	}
	for _, key := range goodSubjects {
		_, err := l.Append(k.ctx, engine.Any, engine.Record{Key: key, Data: []byte(key)})
		k.must(err, fmt.Sprintf("Append with key %q", key))
	}
	i := 0
	for r, err := range l.Read(k.ctx, 0) {
		k.must(err, "Read")
		if r.Key != goodSubjects[i] {
			k.Errorf("record %d has the key %q, want %q", i, r.Key, goodSubjects[i])
		}
		i++
	}
}
