package memory

import (
	"bytes"
	"cmp"
	"context"
	"fmt"
	"iter"
	"slices"
	"time"

	"github.com/troupe-go/troupe/engine"
	"github.com/troupe-go/troupe/engine/internal/guard"
)

// dedupWindow is how long the ID of a record is remembered.
const dedupWindow = 2 * time.Minute

// overhead is what a record counts besides its data, key and ID.
const overhead = 32

// logData is a log, guarded by the store's mu.
type logData struct {
	config  engine.LogConfig
	records []engine.Record // Replaced or appended to, as readers keep it.
	last    uint64
	bytes   int64
	ids     map[string]dedup
	groups  map[string]*groupData
}

type dedup struct {
	sequence uint64
	until    time.Time
}

// log is a log for one node.
type log struct {
	e     *Engine
	name  string
	where string
	data  *logData
	guard *guard.Guard
}

func size(r engine.Record) int64 { return int64(len(r.Data) + len(r.Key) + len(r.ID) + overhead) }

// Append implements [engine.Log].
func (l *log) Append(ctx context.Context, expected uint64, records ...engine.Record) (uint64, error) {
	if err := engine.CheckAppend(records); err != nil {
		return 0, err
	}
	records = slices.Clone(records)
	for i := range records {
		records[i].Data = bytes.Clone(records[i].Data)
	}
	return l.e.write(ctx, Op{Node: l.e.node, Kind: "append", Name: l.name}, l.guard, func() result { return l.append(expected, records) })
}

// append stores records. The caller holds the store's mu.
func (l *log) append(expected uint64, records []engine.Record) result {
	d, now := l.data, time.Now()
	d.expire(now)
	id := records[0].ID
	if known, ok := d.ids[id]; ok && id != "" {
		return result{revision: known.sequence}
	}
	if expected != engine.Any && expected != d.last {
		return result{err: &engine.ConflictError{Where: l.where, Expected: expected, Actual: d.last}}
	}
	var more int64
	for _, r := range records {
		more += size(r)
	}
	c := d.config
	if c.Refuse && (c.MaxRecords > 0 && int64(len(d.records)+len(records)) > c.MaxRecords || c.MaxBytes > 0 && d.bytes+more > c.MaxBytes) {
		return result{err: fmt.Errorf("engine: %s with %d records of %d bytes is %w; trim it, or raise MaxRecords and MaxBytes", l.where, len(d.records), d.bytes, engine.ErrFull)}
	}
	before := *d
	for _, r := range records {
		d.last++
		r.Sequence, r.Time = d.last, now
		d.records = append(d.records, r)
	}
	d.bytes += more
	if id != "" {
		d.ids[id] = dedup{d.last, now.Add(dedupWindow)}
	}
	l.e.store.undoable(func() { d.revert(before, id) })
	for !c.Refuse && (c.MaxRecords > 0 && int64(len(d.records)) > c.MaxRecords || c.MaxBytes > 0 && d.bytes > c.MaxBytes) && len(d.records) > 0 {
		d.drop(1)
	}
	return result{revision: d.last, fresh: true}
}

// revert takes an append back.
func (d *logData) revert(before logData, id string) {
	d.records, d.last, d.bytes = slices.Clip(before.records), before.last, before.bytes
	delete(d.ids, id)
	for _, g := range d.groups {
		g.next = min(g.next, d.last+1)
		for seq := range g.unsettled {
			if seq > d.last {
				delete(g.unsettled, seq)
			}
		}
	}
}

// drop removes the oldest n records.
func (d *logData) drop(n int) {
	for _, r := range d.records[:n] {
		d.bytes -= size(r)
	}
	d.records = d.records[n:]
}

// expire removes what is too old.
func (d *logData) expire(now time.Time) {
	for id, known := range d.ids {
		if !now.Before(known.until) {
			delete(d.ids, id)
		}
	}
	if d.config.MaxAge == 0 {
		return
	}
	n := 0
	for n < len(d.records) && now.Sub(d.records[n].Time) >= d.config.MaxAge {
		n++
	}
	d.drop(n)
}

// from returns the records from a sequence on.
func (d *logData) from(sequence uint64) []engine.Record {
	i, _ := slices.BinarySearchFunc(d.records, sequence, func(r engine.Record, s uint64) int { return cmp.Compare(r.Sequence, s) })
	return d.records[i:len(d.records):len(d.records)]
}

// Read implements [engine.Log].
func (l *log) Read(ctx context.Context, from uint64) iter.Seq2[engine.Record, error] {
	return func(yield func(engine.Record, error) bool) {
		if err := l.e.read(ctx, Op{Node: l.e.node, Kind: "read", Name: l.name}); err != nil {
			yield(engine.Record{}, err)
			return
		}
		l.e.store.mu.Lock()
		l.data.expire(time.Now())
		records := l.data.from(from)
		l.e.store.mu.Unlock()
		for _, r := range records {
			if err := l.e.usable(ctx, "read of "+l.where); err != nil {
				yield(engine.Record{}, err)
				return
			}
			l.guard.Saw(r.Sequence)
			r.Data = bytes.Clone(r.Data)
			if !yield(r, nil) {
				return
			}
		}
	}
}

// Info implements [engine.Log].
func (l *log) Info(ctx context.Context) (engine.LogInfo, error) {
	if err := l.e.read(ctx, Op{Node: l.e.node, Kind: "read", Name: l.name}); err != nil {
		return engine.LogInfo{}, err
	}
	l.e.store.mu.Lock()
	defer l.e.store.mu.Unlock()
	d := l.data
	d.expire(time.Now())
	info := engine.LogInfo{First: d.last + 1, Last: d.last, Records: uint64(len(d.records)), Bytes: uint64(d.bytes)}
	if len(d.records) > 0 {
		info.First = d.records[0].Sequence
	}
	return info, nil
}

// Trim implements [engine.Log].
func (l *log) Trim(ctx context.Context, before uint64) error {
	_, err := l.e.write(ctx, Op{Node: l.e.node, Kind: "trim", Name: l.name}, l.guard, func() result {
		n := len(l.data.records) - len(l.data.from(before))
		l.data.drop(n)
		return result{}
	})
	return err
}
