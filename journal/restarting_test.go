package journal_test

import (
	"context"
	"errors"
	"iter"

	"github.com/troupe-go/troupe/journal"
	"github.com/troupe-go/troupe/journal/memory"
)

// restarting is a store that begins again with what is left as soon as a crash is
// noticed.
type restarting struct {
	*memory.Store
	inject func([]*journal.Write) memory.Fault
	save   func() memory.Fault // Decides about a snapshot that is saved; nil has it saved.
}

func (r *restarting) restart(err error) {
	if errors.Is(err, memory.ErrCrashed) {
		r.Store = r.Restart()
		r.Inject(r.inject)
	}
}

func (r *restarting) Append(ctx context.Context, batch []*journal.Write) error {
	err := r.Store.Append(ctx, batch)
	r.restart(err)
	return err
}

func (r *restarting) Read(ctx context.Context, stream string, after uint64) iter.Seq2[journal.Record, error] {
	return func(yield func(journal.Record, error) bool) {
		for record, err := range r.Store.Read(ctx, stream, after) {
			r.restart(err)
			if !yield(record, err) {
				return
			}
		}
	}
}

func (r *restarting) LoadSnapshot(ctx context.Context, stream string) (journal.Snapshot, error) {
	s, err := r.Store.LoadSnapshot(ctx, stream)
	r.restart(err)
	return s, err
}

func (r *restarting) SaveSnapshot(ctx context.Context, snap journal.Snapshot) error {
	fault := memory.None
	if r.save != nil {
		fault = r.save()
	}
	var err error
	switch fault {
	case memory.Refuse, memory.CrashBefore:
		err = errSave
	default:
		err = r.Store.SaveSnapshot(ctx, snap)
	}
	if fault == memory.CrashBefore || fault == memory.CrashAfter {
		r.Store = r.Restart()
		r.Inject(r.inject)
	}
	if fault != memory.None && err == nil {
		err = errSave
	}
	return err
}

var errSave = errors.New("injected: the snapshot is not saved, or its answer is lost")
