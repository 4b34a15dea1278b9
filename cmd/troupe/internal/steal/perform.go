package steal

import (
	"context"
	"fmt"
	"time"

	"github.com/troupe-go/troupe/sched"
)

const (
	// heldFor is how long the acts block and spin hold a worker: long enough to
	// see a spare come and go.
	heldFor = 3 * time.Second
	// criticals is how many jobs the act critical submits.
	criticals = 10
	// floodOf and floodTime are the jobs of the act unbalance.
	floodOf   = 10_000
	floodTime = 10 * time.Microsecond
)

// Perform does an act. It returns an error if the scheduler refuses.
func (st *Stage) Perform(a Act) error {
	note, err := st.act(a)
	if err != nil {
		return err
	}
	st.mu.Lock()
	defer st.mu.Unlock()
	st.performed[a]++
	st.note = note
	return nil
}

// act does an act and says in a few words what it did.
func (st *Stage) act(a Act) (note string, err error) {
	background := context.Background()
	switch a {
	case Critical:
		for range criticals {
			if err := st.probe(); err != nil {
				return "", err
			}
		}
		return fmt.Sprintf("submitted %d critical jobs", criticals), nil
	case Block:
		return fmt.Sprintf("a job blocks for %v", heldFor), st.submit(background, "block", sched.Normal, st.block)
	case Spin:
		return fmt.Sprintf("a job loops for %v", heldFor), st.submit(background, "spin", sched.Normal, st.spin)
	case Unbalance:
		return "a job floods its worker", st.submit(background, "flood", sched.Normal, st.flood)
	case Switch:
		return st.switchStrategy()
	case Pause:
		return st.pause(), nil
	case More:
		return st.changeLoad(loadStep), nil
	case Less:
		return st.changeLoad(-loadStep), nil
	}
	return "", fmt.Errorf("%w: unknown act %d", ErrInput, a)
}

// block waits in a way that the scheduler does not know of.
func (st *Stage) block(context.Context, *hands) {
	select {
	case <-time.After(st.held):
	case <-st.over:
	}
}

// spin passes no checkpoint.
func (st *Stage) spin(context.Context, *hands) {
	for began := time.Now(); time.Since(began) < st.held && !st.isOver(); {
		continue
	}
}

func (st *Stage) flood(ctx context.Context, h *hands) {
	for range floodOf {
		if err := st.submit(ctx, "drop", sched.Normal, func(_ context.Context, h *hands) { h.work(floodTime) }); err != nil {
			st.fail(err)
			return
		}
	}
	st.say(fmt.Sprintf("worker %d was flooded with %d jobs", h.worker(), floodOf))
}

func (st *Stage) say(note string) {
	st.mu.Lock()
	defer st.mu.Unlock()
	st.note = note
}

func (st *Stage) switchStrategy() (note string, err error) {
	st.mu.Lock()
	defer st.mu.Unlock()
	next := st.strategy.next()
	if err := st.s.SetStealStrategy(sched.StealStrategy(next)); err != nil {
		return "", err
	}
	st.strategy = next
	return fmt.Sprintf("workers steal by the strategy %v", next), nil
}

func (st *Stage) pause() (note string) {
	st.mu.Lock()
	defer st.mu.Unlock()
	if st.paused = !st.paused; st.paused {
		return "no more jobs are fed"
	}
	return "jobs are fed again"
}

func (st *Stage) changeLoad(by float64) (note string) {
	st.mu.Lock()
	defer st.mu.Unlock()
	const steps = 1 / loadStep
	rounded := float64(int((st.load+by)*steps+0.5)) / steps
	st.load = min(max(rounded, 0), MaxLoad)
	return fmt.Sprintf("the load is %.0f %%", 100*st.load)
}
