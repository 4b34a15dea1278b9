package inspect_test

import (
	"context"
	"math"
	"testing"

	"github.com/troupe-go/troupe/actor"
	"github.com/troupe-go/troupe/inspect"
	"github.com/troupe-go/troupe/sched"
	"github.com/troupe-go/troupe/task"
)

func TestConfigNonsense(t *testing.T) {
	sys := newSystem(t, actor.Config{})
	for _, cfg := range []inspect.Config{
		{Letters: -2}, {Failures: -2}, {SampleEvery: -2}, {SampleEvery: math.MaxInt}, {SlowAfter: -2}, {ProbeEvery: -5}, {ScanEvery: -5},
		{StarvingAfter: -1}, {CriticalAfter: soon}, {Watermark: -1}, {Watermark: 1.5}, {Watermark: math.NaN()},
	} {
		if i, err := inspect.New(sys, cfg); err == nil {
			i.Close()
			t.Errorf("%+v was accepted", cfg)
		}
	}
	if _, err := inspect.New(nil, inspect.Config{}); err == nil {
		t.Error("a nil system was accepted")
	}
}

// Snapshots can be taken of a system that has stopped, and by an inspector that
// was closed.
func TestInspectorOfTheStopped(t *testing.T) {
	ctx := guarded(t)
	sys, err := actor.NewSystem(actor.Config{})
	wantNoErr(t, err)
	i := newInspector(t, sys, inspect.Config{})
	ref := spawn(t, sys, actor.Actor[int](sink{}), actor.WithRegistration("the sink"))
	if n := i.Names(); len(n) != 1 || n[0] != (inspect.Name{Name: "the sink", PID: ref.PID()}) {
		t.Errorf("the names are %v", n)
	}
	wantNoErr(t, sys.Stop(ctx))
	for range 2 {
		p, err := i.Actors(inspect.Query{})
		wantNoErr(t, err)
		if len(p.Actors) != 0 || p.Total != 0 || len(i.Names()) != 0 || i.Metrics().Actors != 0 {
			t.Errorf("the page is %+v", p)
		}
		_, err = i.Actor(ref.PID())
		wantErr(t, err, actor.ErrStalePID)
		i.Workers()
		i.Close()
		i.Close()
	}
}

func TestWorkersAndTasks(t *testing.T) {
	ctx := guarded(t)
	sys := newSystem(t, actor.Config{Workers: 2})
	i := newInspector(t, sys, quiet)
	open, begun := make(chan struct{}), make(chan struct{})
	job, err := sys.Scheduler().Go(ctx, func(ctx context.Context) error {
		g, err := task.NewGroup[int](ctx, task.AllCompleted[int](), task.Name("work"))
		if err != nil {
			return err
		}
		if _, err := g.GoNamed("waits", func(context.Context) (int, error) { close(begun); <-open; return 1, nil }); err != nil {
			return err
		}
		_, err = g.Join(ctx)
		return err
	}, sched.WithKind("outer"))
	wantNoErr(t, err)
	<-begun
	if tasks := i.Tasks(); len(tasks) != 1 || tasks[0].Name != "waits" || tasks[0].Group != "work" {
		t.Errorf("the tasks are %+v", tasks)
	}
	until(t, ctx, func() bool { return len(i.HeldStacks()) == 1 })
	w := i.Workers()
	if len(w.Workers) < 2 || w.Queued["normal"] != 0 || len(w.Workers[0].Queued) != 4 {
		t.Errorf("the workers are %+v", w)
	}
	close(open)
	wantNoErr(t, job.Wait(ctx))
}
