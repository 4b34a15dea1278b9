package journal

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"time"

	"github.com/troupe-go/troupe/actor"
	"github.com/troupe-go/troupe/internal/workers"
)

// Group commit. A write waits in the queue. If no commit runs, its writer starts a
// goroutine that commits until the queue is empty, and ends. There is no timer: a lone
// write is committed at once, and the busier the store, the larger the groups.
//
// A write is queued, then taken, then done. A writer whose context ends takes back a
// write that is queued, and knows that it is not stored. One that is taken it can't take
// back.

// Bounds of one commit. Above them the groups get no faster: of 1, 10, 100 and 1,000
// events, SQLite stores 3.5, 42, 151 and 225 thousand a second.
const (
	maxGroupEvents = 1000
	maxGroupBytes  = 1 << 20
)

// stage is how far a write has come.
type stage uint8

const (
	queued stage = iota
	taken
	done
)

// entry is a write on its way. All but the write itself is guarded by Journal.mu.
type entry struct {
	write  *Write
	waiter workers.Waiter
	stage  stage
	since  time.Time // Of its queueing.
	err    error     // Of the commit.
}

// bytes returns how much of a group the write takes.
func (e *entry) bytes() (n int) {
	for i := range e.write.Events {
		n += len(e.write.Events[i].Data)
	}
	return n
}

// commit has the write committed. It reports whether the commit has begun: if not,
// nothing is stored.
func (j *Journal) commit(ctx context.Context, w *Write, s *workers.Scheduler) (begun bool, err error) {
	if ctx.Err() != nil {
		return false, notStored(ctx, w)
	}
	var waiter workers.Waiter
	waiter.Arm(ctx, s)
	defer waiter.Disarm()
	e := &entry{write: w, waiter: waiter, since: time.Now()}
	j.enqueue(ctx, e)
	for wait := ctx; ; {
		ended := !waiter.Wait(wait)
		switch j.look(e, ended) {
		case done:
			if e.err != nil {
				return true, e.err
			}
			return true, w.Err
		case queued:
			if ended {
				return false, notStored(ctx, w)
			}
		case taken:
			if ended && !patient(ctx) {
				return true, fmt.Errorf("%w: %w", ErrUnknownOutcome, context.Cause(ctx))
			}
			if ended {
				wait = context.WithoutCancel(ctx)
			}
		}
	}
}

// patient reports whether the end of ctx only says that an asker has left: the commit is
// then waited for all the same. A handler that was killed, or that a stop would not wait
// for, returns.
func patient(ctx context.Context) bool {
	cause := context.Cause(ctx)
	return !errors.Is(cause, actor.ErrKilled) && !errors.Is(cause, actor.ErrForced) && !errors.Is(cause, actor.ErrHandlerTimeout)
}

func notStored(ctx context.Context, w *Write) error {
	return fmt.Errorf("journal: stream %q: nothing is stored: %w", w.Stream, context.Cause(ctx))
}

// look returns how far the write has come. If it is still queued, and its writer leaves,
// it is taken out.
func (j *Journal) look(e *entry, leaves bool) stage {
	j.mu.Lock()
	defer j.mu.Unlock()
	if leaves && e.stage == queued {
		j.queue = slices.DeleteFunc(j.queue, func(other *entry) bool { return other == e })
	}
	return e.stage
}

// enqueue puts the write into the queue, and has it committed.
func (j *Journal) enqueue(ctx context.Context, e *entry) {
	j.mu.Lock()
	j.queue = append(j.queue, e)
	begin := !j.running
	j.running = true
	j.mu.Unlock()
	if !begin {
		return
	}
	// In a simulation the commits are a job, so that the schedule says when they run.
	if f := workers.Current(ctx); f != nil && f.Scheduler().Simulated() {
		if _, err := f.Scheduler().Go(context.Background(), func(ctx context.Context) error { j.commitAll(ctx); return nil }); err == nil {
			return
		}
	}
	go j.commitAll(context.Background())
}

// commitAll commits until the queue is empty.
func (j *Journal) commitAll(ctx context.Context) {
	for group := j.take(); len(group) > 0; group = j.take() {
		batch := make([]*Write, len(group))
		for i, e := range group {
			batch[i] = e.write
		}
		begin := time.Now()
		err := j.appendBatch(batch)
		j.finish(ctx, group, err, time.Since(begin))
	}
}

// appendBatch calls the store. A panic of the store is an unknown outcome.
func (j *Journal) appendBatch(batch []*Write) (err error) {
	returned := false
	defer func() {
		if !returned {
			err = fmt.Errorf("%w: the store has panicked: %v", ErrUnknownOutcome, recover())
		}
	}()
	err = j.store.Append(context.Background(), batch)
	returned = true
	return err
}

// take takes the next group, and notes it if there is none.
func (j *Journal) take() (group []*entry) {
	j.mu.Lock()
	defer j.mu.Unlock()
	n, events, bytes := 0, 0, 0
	for _, e := range j.queue {
		events, bytes = events+len(e.write.Events), bytes+e.bytes()
		if n > 0 && (events > maxGroupEvents || bytes > maxGroupBytes) {
			break
		}
		e.stage = taken
		j.stats.QueueTimes.addTime(time.Since(e.since))
		n++
	}
	group = slices.Clone(j.queue[:n])
	j.queue = slices.Delete(j.queue, 0, n)
	j.running = n > 0
	return group
}

// finish tells the writers how the commit went.
func (j *Journal) finish(ctx context.Context, group []*entry, err error, took time.Duration) {
	j.mu.Lock()
	j.stats.Commits++
	j.stats.Writes += uint64(len(group))
	j.stats.Largest = max(j.stats.Largest, len(group))
	j.stats.Time += took
	j.stats.CommitTimes.addTime(took)
	j.stats.CommitWrites.add(uint64(len(group)))
	if err != nil {
		j.stats.Failed++
	}
	events := uint64(0)
	for _, e := range group {
		events += uint64(len(e.write.Events))
		e.stage, e.err = done, err
	}
	j.stats.Events += events
	j.stats.CommitEvents.add(events)
	watch := j.watch
	j.watch = nil
	j.mu.Unlock()
	f := workers.Current(ctx)
	for _, e := range group {
		e.waiter.Wake(f, workers.Own)
	}
	for _, w := range watch {
		w.told(ctx)
	}
}
