package workers_test

import (
	"context"
	"errors"
	"fmt"
	"runtime"
	"sync/atomic"
	"testing"

	"pgregory.net/rapid"

	"github.com/troupe-go/troupe/internal/lane"
	"github.com/troupe-go/troupe/internal/topology"
	"github.com/troupe-go/troupe/internal/workers"
	"github.com/troupe-go/troupe/internal/workers/settings"
)

// A program is a tree of jobs with random steps. Whatever the interleaving, it
// must come to an end, with each job having run once, in the way it was told.
type program struct {
	steps    []step
	end      ending
	priority workers.Priority
	children []*program
	runs     atomic.Int32
}

type step uint8

const (
	stepSpawn      step = iota // Start the next child.
	stepWait                   // Wait for the oldest child that was not waited for.
	stepYield                  // Yield.
	stepCheckpoint             // Let critical work pass.
	stepSuspend                // Suspend until a goroutine resumes.
	stepBlock                  // Block until a goroutine says so.
	stepGosched                // Give way to goroutines.
)

// allSteps has the steps as often as they are to be likely.
var allSteps = []step{
	stepSpawn, stepSpawn, stepSpawn, stepWait, stepYield, stepCheckpoint, stepSuspend, stepBlock, stepGosched,
}

type ending uint8

const (
	endNil ending = iota
	endError
	endPanic
	endGoexit
	numEndings
)

var errProgram = errors.New("told to fail")

func drawProgram(t *rapid.T, depth int) *program {
	p := &program{
		end:      ending(rapid.IntRange(0, int(numEndings)-1).Draw(t, "end")),
		priority: workers.Priority(rapid.IntRange(0, 3).Draw(t, "priority")),
	}
	for range rapid.IntRange(3, 10).Draw(t, "steps") {
		st := rapid.SampledFrom(allSteps).Draw(t, "step")
		if st == stepSpawn {
			if depth == 0 {
				continue
			}
			p.children = append(p.children, drawProgram(t, depth-1))
		}
		p.steps = append(p.steps, st)
	}
	return p
}

// run does the steps of p. It is the function of a job.
func (p *program) run(ctx context.Context, s *workers.Scheduler) error {
	p.runs.Add(1)
	var waiting []*workers.Job
	var children []*program
	spawned := 0
	wait := func() error {
		err := waiting[0].Wait(ctx)
		if wrong := children[0].check(err); wrong != nil {
			return wrong
		}
		waiting, children = waiting[1:], children[1:]
		return nil
	}
	for _, st := range p.steps {
		f := workers.Current(ctx)
		if f == nil {
			return errors.New("the job has lost its fiber")
		}
		switch st {
		case stepSpawn:
			child := p.children[spawned]
			spawned++
			j, err := s.Go(ctx, func(ctx context.Context) error { return child.run(ctx, s) },
				workers.WithPriority(child.priority))
			if err != nil {
				return fmt.Errorf("spawn: %w", err)
			}
			waiting, children = append(waiting, j), append(children, child)
		case stepWait:
			if len(waiting) > 0 {
				if err := wait(); err != nil {
					return err
				}
			}
		case stepYield:
			f.Yield(p.priority)
		case stepCheckpoint:
			f.Checkpoint()
		case stepSuspend:
			var over atomic.Bool
			go func() { over.Store(true); f.Resume(nil, p.priority) }()
			for !over.Load() {
				f.Suspend()
			}
		case stepBlock:
			gate := make(chan struct{})
			go close(gate)
			<-gate
		case stepGosched:
			runtime.Gosched()
		}
	}
	for len(waiting) > 0 {
		if err := wait(); err != nil {
			return err
		}
	}
	switch p.end {
	case endError:
		return errProgram
	case endPanic:
		panic(errProgram)
	case endGoexit:
		runtime.Goexit()
	}
	return nil
}

// check returns an error unless err is how p had to end.
func (p *program) check(err error) error {
	var panicked *workers.PanicError
	ok := false
	switch isPanic := errors.As(err, &panicked); p.end {
	case endNil:
		ok = err == nil
	case endError:
		ok = errors.Is(err, errProgram) && !isPanic
	case endPanic:
		ok = errors.Is(err, errProgram) && isPanic
	case endGoexit:
		ok = errors.Is(err, workers.ErrGoexit)
	}
	if !ok {
		// Not wrapped, so that a parent's check does not take it for its own end.
		return fmt.Errorf("a job that was to end in way %d ended with: %v", p.end, err) //nolint:errorlint // See above.
	}
	return nil
}

// checkRuns checks that all of p was run once.
func (p *program) checkRuns() error {
	if n := p.runs.Load(); n != 1 {
		return fmt.Errorf("a job ran %d times", n)
	}
	for _, child := range p.children {
		if err := child.checkRuns(); err != nil {
			return err
		}
	}
	return nil
}

func TestRandomPrograms(t *testing.T) {
	lane.Short(t)
	ctx := guarded(t)
	rapid.Check(t, func(t *rapid.T) {
		var roots []*program
		for range rapid.IntRange(1, 4).Draw(t, "roots") {
			roots = append(roots, drawProgram(t, 3))
		}
		s, err := workers.New(workers.Config{
			Workers:       rapid.IntRange(1, 4).Draw(t, "workers"),
			QueueCapacity: rapid.SampledFrom([]int{1, 4, 0}).Draw(t, "capacity"),
			Steal:         settings.StealStrategy(rapid.IntRange(0, 3).Draw(t, "steal")),
			PinWorkers:    topology.CanPin && rapid.Bool().Draw(t, "pin"),
		})
		if err != nil {
			t.Fatal(err)
		}
		jobs := make([]*workers.Job, len(roots))
		for i, p := range roots {
			jobs[i], err = s.Go(ctx, func(ctx context.Context) error { return p.run(ctx, s) }, workers.WithPriority(p.priority))
			if err != nil {
				t.Fatal(err)
			}
		}
		for i, j := range jobs {
			if err := roots[i].check(j.Wait(ctx)); err != nil {
				t.Fatal(err)
			}
			if err := roots[i].checkRuns(); err != nil {
				t.Fatal(err)
			}
		}
		if err := s.Stop(ctx); err != nil {
			t.Fatal(err)
		}
	})
}
