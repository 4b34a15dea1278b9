package steal

import (
	"context"
	"fmt"
	"time"

	"github.com/troupe-go/troupe/sched"
)

const (
	// feedEvery is how often the feeder submits what is due.
	feedEvery = 5 * time.Millisecond
	// feedAtMost is for how long a feeder that did not get a processor makes up.
	feedAtMost = 20 * feedEvery
	// leaves is how many jobs each job from outside submits on its worker, where
	// others can steal them.
	leaves = 8
	// leafTime is how long each of them works: long enough to be worth stealing.
	leafTime = 200 * time.Microsecond
	// backlog is how many jobs may wait before no more are fed.
	backlog = 20_000
	// probeEvery is the time between the critical jobs that are always there.
	probeEvery = 100 * time.Millisecond
	// probeTime is how long a critical job works.
	probeTime = 50 * time.Microsecond
	// loadStep is by how much a key changes the load.
	loadStep = 0.1
)

// feed submits jobs until the stage is over, and performs the script.
func (st *Stage) feed(cfg Config) {
	tick := time.NewTicker(feedEvery)
	defer tick.Stop()
	f := feeding{last: time.Now(), script: cfg.Script, scriptEvery: cfg.ScriptEvery}
	f.probed, f.acted = f.last, f.last
	for {
		select {
		case <-st.over:
			return
		case <-tick.C:
		}
		if err := f.step(st, time.Now()); err != nil {
			st.fail(fmt.Errorf("feeding the scheduler: %w", err))
			return
		}
	}
}

// feeding is how far the feeder has come.
type feeding struct {
	last, probed, acted time.Time
	owed                time.Duration // Work that is due and has not been submitted.
	trees               uint64
	script              []Act
	scriptEvery         time.Duration
}

func (f *feeding) step(st *Stage, now time.Time) error {
	f.owed += time.Duration(st.due() * float64(min(now.Sub(f.last), feedAtMost)))
	f.last = now
	if st.queued.Load() > backlog {
		f.owed = 0
	}
	for ; f.owed > leaves*leafTime; f.owed -= leaves * leafTime {
		f.trees++
		if err := st.plant(priorityOf(f.trees)); err != nil {
			return err
		}
	}
	if now.Sub(f.probed) >= probeEvery {
		f.probed = now
		if err := st.probe(); err != nil {
			return err
		}
	}
	if len(f.script) > 0 && now.Sub(f.acted) >= f.scriptEvery {
		f.acted = now
		act := f.script[0]
		f.script = f.script[1:]
		return st.Perform(act)
	}
	return nil
}

// due returns how much work is to be fed, in parts of one worker's time.
func (st *Stage) due() float64 {
	st.mu.Lock()
	defer st.mu.Unlock()
	if st.paused {
		return 0
	}
	return st.load * float64(st.s.Workers())
}

// priorityOf mixes the priorities: mostly normal, some high, some low.
func priorityOf(i uint64) sched.Priority {
	switch i % 8 {
	case 0, 4:
		return sched.High
	case 2, 6:
		return sched.Low
	default:
		return sched.Normal
	}
}

// plant submits a job that submits others on its worker, each of which works.
func (st *Stage) plant(p sched.Priority) error {
	return st.submit(context.Background(), "tree", p, func(ctx context.Context, _ *hands) {
		for range leaves {
			if err := st.submit(ctx, "leaf", p, func(_ context.Context, h *hands) { h.work(leafTime) }); err != nil {
				st.fail(err)
				return
			}
		}
	})
}

// probe submits a critical job and notes how long it takes to begin.
func (st *Stage) probe() error {
	submitted := time.Now()
	return st.submit(context.Background(), "critical", sched.Critical, func(_ context.Context, h *hands) {
		st.noteLatency(time.Since(submitted))
		h.work(probeTime)
	})
}

func (st *Stage) noteLatency(d time.Duration) {
	st.mu.Lock()
	defer st.mu.Unlock()
	// Whatever is beyond the histogram's end counts as its end.
	_ = st.taken.RecordValue(min(int64(d), st.taken.HighestTrackableValue()))
}
