//go:build modelcheck

package task_test

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"testing"

	"github.com/troupe-go/troupe/internal/modelcheck"
	"github.com/troupe-go/troupe/internal/workers"
	"github.com/troupe-go/troupe/internal/xatomic"
	"github.com/troupe-go/troupe/sched"
	"github.com/troupe-go/troupe/task"
)

// errGone is why a model's Join is given up.
var errGone = errors.New("gone")

// groupModel is a group in a model. The value of its i-th task is i.
type groupModel struct {
	*modelcheck.Program
	model    *workers.Model
	group    *task.Group[int]
	tasks    []*task.Task[int]
	actsLeft int // Threads that are no workers.
	faults   []error
}

func newGroupModel(ctx context.Context, p *modelcheck.Program, j task.Joiner[int], opts ...task.Option) *groupModel {
	s := &groupModel{Program: p, model: workers.NewModelScheduler()}
	g, err := task.NewGroup(ctx, j, append(opts, task.On((*sched.Scheduler)(s.model.Scheduler())))...)
	if err != nil {
		panic(err)
	}
	s.group = g
	p.Finally(func() error { return errors.Join(s.faults...) })
	return s
}

func (s *groupModel) fault(format string, args ...any) {
	s.faults = append(s.faults, fmt.Errorf(format, args...))
}

// start starts tasks, each of which returns one of the errors.
func (s *groupModel) start(errs ...error) {
	for _, err := range errs {
		s.run(returns(len(s.tasks), err))
	}
}

func (s *groupModel) run(fn func(context.Context) (int, error)) {
	t, err := s.group.Go(fn)
	if err != nil {
		s.fault("Go: %v", err)
		return
	}
	s.tasks = append(s.tasks, t)
}

// workers adds threads that run the tasks until all acts are over.
func (s *groupModel) workers(n int) {
	for i := range n {
		f := s.model.Fiber()
		s.Go(fmt.Sprintf("worker %d", i), func() { s.model.Work(f) })
	}
}

// act adds a thread.
func (s *groupModel) act(name string, do func()) {
	s.actsLeft++
	s.Go(name, func() {
		do()
		if s.actsLeft--; s.actsLeft == 0 {
			s.model.End()
		}
	})
}

// joins is an act that joins the group, and checks the result.
func (s *groupModel) joins(check func(values []int, err error) bool) {
	s.act(fmt.Sprintf("joiner %d", s.actsLeft), func() {
		values, err := s.group.Join(context.Background())
		if !check(values, err) {
			s.fault("Join returned %v, %v", values, err)
		}
		s.allEnded()
	})
}

func (s *groupModel) allEnded() {
	for i, t := range s.tasks {
		if !t.State().Ended() {
			s.fault("Join has returned, and task %d is %v", i, t.State())
		}
	}
}

// values returns a check for these values without an error.
func values(want ...int) func([]int, error) bool {
	return func(got []int, err error) bool { return slices.Equal(got, want) && err == nil }
}

// oneOf is a check for one value of a few without an error.
func oneOf(want ...int) func([]int, error) bool {
	return func(got []int, err error) bool { return len(got) == 1 && slices.Contains(want, got[0]) && err == nil }
}

// errorIs returns a check for an error.
func errorIs(want error) func([]int, error) bool {
	return func(_ []int, err error) bool { return errors.Is(err, want) }
}

// single is a joiner of the user's, which is content with one success. It is asked
// without the group's lock and on a goroutine of its own, where the explorer can't
// follow, so it looks at no task.
type single struct{}

func (single) Decide(_ *task.Task[int], c task.Count) bool { return c.Succeeded > 0 }

func (single) Result(o task.Outcome[int]) ([]int, error) {
	if o.Decided == nil {
		return nil, task.ErrNoSuccess
	}
	return []int{}, nil
}

func ofUser() task.Joiner[int] { return single{} }

// joining has workers that run tasks, and goroutines that join them.
func joining(width, joiners int, j func() task.Joiner[int], check func([]int, error) bool, errs ...error) func(*modelcheck.Program) {
	return func(p *modelcheck.Program) {
		s := newGroupModel(context.Background(), p, j())
		s.start(errs...)
		s.workers(width)
		for range joiners {
			s.joins(check)
		}
	}
}

// deciding has a task that waits until it is cancelled, and one whose end has it
// cancelled.
func deciding(j func() task.Joiner[int], end error, check func([]int, error) bool) func(*modelcheck.Program) {
	return func(p *modelcheck.Program) {
		s := newGroupModel(context.Background(), p, j())
		s.run(func(ctx context.Context) (int, error) {
			xatomic.NewSignal().Await(ctx.Done())
			return 0, ctx.Err()
		})
		s.start(end)
		s.workers(2)
		s.joins(check)
	}
}

// taking has a goroutine that takes the tasks as they end, and perhaps one that
// joins.
func taking(width, tasks int, j func() task.Joiner[int], joined bool) func(*modelcheck.Program) {
	return func(p *modelcheck.Program) {
		s := newGroupModel(context.Background(), p, j())
		s.start(make([]error, tasks)...)
		s.workers(width)
		s.act("taker", func() {
			var taken []*task.Task[int]
			for {
				t, err := s.group.Next(context.Background())
				if errors.Is(err, task.ErrNoMore) {
					break
				}
				if err != nil || slices.Contains(taken, t) || !t.State().Ended() {
					s.fault("Next returned %v, %v after %d others", t, err, len(taken))
					return
				}
				taken = append(taken, t)
			}
			if len(taken) != tasks {
				s.fault("Next has returned %d tasks of %d", len(taken), tasks)
			}
		})
		if joined {
			s.joins(func(_ []int, err error) bool { return err == nil })
		}
	}
}

// handing has a goroutine that joins one of two tasks by its handle, and then takes
// one: no other may come before it that ended later, by what anybody could see.
func handing(p *modelcheck.Program) {
	s := newGroupModel(context.Background(), p, task.AllCompleted[int]())
	s.start(nil)
	s.workers(2)
	s.act("owner", func() {
		if v, err := s.tasks[0].Join(context.Background()); v != 0 || err != nil {
			s.fault("the task's Join returned %v, %v", v, err)
		}
		s.start(nil)
		if _, err := s.tasks[1].Join(context.Background()); err != nil {
			s.fault("the second task's Join returned %v", err)
		}
		for i, want := range s.tasks {
			if t, err := s.group.Next(context.Background()); t != want || err != nil {
				s.fault("Next returned %v, %v, want task %d", t, err, i)
			}
		}
	})
}

// cancelling has somebody cancel the group while it is joined.
func cancelling(width int, j func() task.Joiner[int], opts ...task.Option) func(*modelcheck.Program) {
	return func(p *modelcheck.Program) {
		s := newGroupModel(context.Background(), p, j(), opts...)
		s.start(nil, nil)
		s.workers(width)
		s.act("canceller", func() { s.group.Cancel(errGone) })
		s.joins(func(_ []int, err error) bool {
			return err == nil || errors.Is(err, errGone) || errors.Is(err, task.ErrNoSuccess)
		})
	}
}

// cancellingOne has somebody cancel the second task, in a group that runs one at a
// time.
func cancellingOne(p *modelcheck.Program) {
	s := newGroupModel(context.Background(), p, task.AllCompleted[int](), task.Limit(1))
	s.start(nil, nil, nil)
	s.workers(1)
	s.act("canceller", func() { s.tasks[1].Cancel(errGone) })
	s.joins(func(got []int, err error) bool {
		return slices.Equal(got, []int{0, 1, 2}) && err == nil || slices.Equal(got, []int{0, 0, 2}) && errors.Is(err, errGone)
	})
}

// growing has a task that starts another one while the group is joined.
func growing(opts ...task.Option) func(*modelcheck.Program) {
	return func(p *modelcheck.Program) {
		s := newGroupModel(context.Background(), p, task.FirstFailure[int](), opts...)
		s.run(func(context.Context) (int, error) {
			s.start(nil)
			return 0, nil
		})
		s.workers(1)
		s.joins(values(0, 1))
	}
}

// coming has somebody start a task while the group is joined, who may come late.
func coming(p *modelcheck.Program) {
	s := newGroupModel(context.Background(), p, task.FirstFailure[int]())
	s.start(nil)
	s.workers(1)
	came := false
	s.act("late", func() {
		t, err := s.group.Go(returns(1, nil))
		if came = err == nil; !came && !errors.Is(err, task.ErrClosed) {
			s.fault("Go: %v", err)
		}
		if came {
			s.tasks = append(s.tasks, t)
		}
	})
	s.act("joiner", func() {
		got, err := s.group.Join(context.Background())
		if err != nil || !slices.Equal(got, []int{0}) && !slices.Equal(got, []int{0, 1}) {
			s.fault("Join returned %v, %v", got, err)
		}
		s.Finally(func() error {
			if came != (len(got) == 2) {
				return fmt.Errorf("Join returned %v, and that the second task came is %v", got, came)
			}
			return nil
		})
	})
}

// leaving has a task that is detached while it runs and the group is joined.
func leaving(p *modelcheck.Program) {
	s := newGroupModel(context.Background(), p, task.FirstFailure[int]())
	s.start(nil, nil)
	s.workers(1)
	var left bool
	s.act("detacher", func() { left = s.tasks[0].Detach() })
	s.act("joiner", func() {
		got, err := s.group.Join(context.Background())
		want := []int{0, 1}
		if left {
			want = want[1:]
		}
		// Where Detach has not returned, left is not known yet.
		if err != nil || !slices.Equal(got, want) && (len(got) != 1 || left) {
			s.fault("Join returned %v, %v, and that the task was detached is %v", got, err, left)
		}
	})
	p.Finally(func() error {
		if n := task.Kept((*sched.Scheduler)(s.model.Scheduler())); n != 0 {
			return fmt.Errorf("%d detached tasks are listed, and all have ended", n)
		}
		return nil
	})
}

// givingUp has a Join that ends with its context, and is called again.
func givingUp(j func() task.Joiner[int], check func([]int, error) bool) func(*modelcheck.Program) {
	return func(p *modelcheck.Program) {
		s := newGroupModel(context.Background(), p, j())
		s.start(nil, nil)
		s.workers(1)
		ctx, cancel := context.WithCancelCause(context.Background())
		p.Finally(func() error { cancel(nil); return nil })
		s.act("clock", func() { modelcheck.Outside(); cancel(errGone) })
		s.act("joiner", func() {
			got, err := s.group.Join(ctx)
			var unfinished *task.UnfinishedError
			if errors.As(err, &unfinished) && errors.Is(err, errGone) {
				got, err = s.group.Join(context.Background())
			}
			if !check(got, err) {
				s.fault("Join returned %v, %v", got, err)
			}
			s.allEnded()
		})
	}
}

// keeper is an actor, say, that keeps groups.
type keeper struct{ kept map[workers.Kept]bool }

func (k *keeper) Keep(work workers.Kept) bool               { k.kept[work] = true; return true }
func (k *keeper) LetGo(_ *workers.Fiber, work workers.Kept) { delete(k.kept, work) }

// KeeperID is nobody's: the model has no actors.
func (*keeper) KeeperID() uint64 { return 0 }

var _ workers.Keeper = (*keeper)(nil)

// keeping has a group whose keeper ends while a task of it ends and another comes.
// When nothing is left the keeper has nothing to wait for.
func keeping(ends bool) func(*modelcheck.Program) {
	return func(p *modelcheck.Program) {
		k := &keeper{map[workers.Kept]bool{}}
		s := newGroupModel(context.WithValue(context.Background(), workers.KeeperKey{}, k), p, task.AllCompleted[int]())
		s.start(nil)
		s.workers(1)
		s.act("owner", func() { s.start(nil) })
		if ends {
			s.act("end", func() {
				for work := range k.kept {
					work.KeeperEnds(errGone)
				}
			})
		}
		p.Finally(func() error {
			if len(k.kept) != 0 {
				return errors.New("the group is kept, and its tasks have ended")
			}
			return nil
		})
	}
}

func quorumOf2() task.Joiner[int] { return task.Quorum[int](2) }

var models = []struct {
	name  string
	cfg   modelcheck.Config
	build func(*modelcheck.Program)
}{
	{"join/one task", modelcheck.Config{}, joining(1, 1, task.AllCompleted[int], values(0), nil)},
	{"join/two tasks", modelcheck.Config{Preemptions: 2}, joining(1, 1, task.AllCompleted[int], values(0, 1), nil, nil)},
	{"join/two workers", modelcheck.Config{Preemptions: 2}, joining(2, 1, task.FirstFailure[int], values(0, 1), nil, nil)},
	{"join/two joiners", modelcheck.Config{Preemptions: 2}, joining(1, 2, task.AllCompleted[int], values(0), nil)},
	{"join/a success", modelcheck.Config{Preemptions: 2}, joining(1, 1, task.FirstSuccess[int], values(0), nil, nil)},
	{"join/two successes", modelcheck.Config{Preemptions: 1}, joining(2, 1, task.FirstSuccess[int], oneOf(0, 1), nil, nil)},
	{"join/a failure", modelcheck.Config{Preemptions: 2}, joining(1, 1, task.FirstFailure[int], errorIs(errBroken), errBroken, nil)},
	{"join/two failures", modelcheck.Config{Preemptions: 1}, joining(2, 1, task.FirstFailure[int], errorIs(errBroken), errBroken, errBroken)},
	{"join/no quorum", modelcheck.Config{Preemptions: 1}, joining(2, 1, quorumOf2, errorIs(task.ErrQuorum), errBroken, nil)},
	{"join/a joiner of the user's", modelcheck.Config{Preemptions: 1}, joining(2, 1, ofUser, values(), nil, nil)},
	{"join/a joiner of the user's, at the end", modelcheck.Config{Preemptions: 2}, joining(1, 1, ofUser, values(), nil)},
	{"join/a success ends what waits", modelcheck.Config{Preemptions: 1}, deciding(task.FirstSuccess[int], nil, values(1))},
	{"join/a failure ends what waits", modelcheck.Config{Preemptions: 1}, deciding(task.FirstFailure[int], errBroken, errorIs(errBroken))},
	{"join/grows", modelcheck.Config{Preemptions: 2}, growing()},
	{"join/grows, with a limit", modelcheck.Config{Preemptions: 2}, growing(task.Limit(1))},
	{"join/somebody comes", modelcheck.Config{Preemptions: 2}, coming},
	{"join/given up", modelcheck.Config{Preemptions: 2}, givingUp(task.AllCompleted[int], values(0, 1))},
	{"join/given up and decided", modelcheck.Config{Preemptions: 2}, givingUp(task.FirstSuccess[int], values(0))},
	{"next/one worker", modelcheck.Config{Preemptions: 2}, taking(1, 2, task.AllCompleted[int], false)},
	{"next/two workers", modelcheck.Config{Preemptions: 2}, taking(2, 2, task.AllCompleted[int], false)},
	{"next/and join", modelcheck.Config{Preemptions: 2}, taking(1, 1, task.AllCompleted[int], true)},
	{"next/decided", modelcheck.Config{Preemptions: 1}, taking(1, 2, task.FirstSuccess[int], true)},
	{"next/a joiner of the user's", modelcheck.Config{Preemptions: 1}, taking(1, 2, ofUser, true)},
	{"next/after a handle", modelcheck.Config{Preemptions: 1}, handing},
	{"cancel/one worker", modelcheck.Config{Preemptions: 2}, cancelling(1, task.AllCompleted[int])},
	{"cancel/two workers", modelcheck.Config{Preemptions: 1}, cancelling(2, task.FirstSuccess[int])},
	{"cancel/a joiner of the user's", modelcheck.Config{Preemptions: 1}, cancelling(1, ofUser)},
	{"cancel/with a limit", modelcheck.Config{Preemptions: 2}, cancelling(1, task.AllCompleted[int], task.Limit(1))},
	{"cancel/one of three", modelcheck.Config{Preemptions: 2}, cancellingOne},
	{"detach", modelcheck.Config{Preemptions: 2}, leaving},
	{"keep/a task comes", modelcheck.Config{Preemptions: 2}, keeping(false)},
	{"keep/the end", modelcheck.Config{Preemptions: 2}, keeping(true)},
}

func TestModel(t *testing.T) {
	table := modelcheck.NewTable(t, "task")
	for _, m := range models {
		t.Run(m.name, func(t *testing.T) { table.Explore(t, m.name, m.cfg, m.build) })
	}
}
