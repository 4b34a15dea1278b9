package task_test

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/troupe-go/troupe/sched"
	"github.com/troupe-go/troupe/task"
)

// within runs fn as a job of a new scheduler, as the examples are.
func within(fn func(ctx context.Context) error) {
	ctx := context.Background()
	s, err := sched.New(sched.Config{})
	if err != nil {
		fmt.Println(err)
		return
	}
	job, err := s.Go(ctx, fn)
	if err == nil {
		err = job.Wait(ctx)
	}
	if err != nil {
		fmt.Println(err)
	}
	if err := s.Stop(ctx); err != nil {
		fmt.Println(err)
	}
}

// length is a task that takes its time.
func length(word string) func(ctx context.Context) (int, error) {
	return func(ctx context.Context) (int, error) {
		if word == "" {
			return 0, errors.New("no word")
		}
		return len(word), task.Sleep(ctx, time.Duration(len(word))*time.Millisecond)
	}
}

func Example() {
	s, err := sched.New(sched.Config{})
	if err != nil {
		fmt.Println(err)
		return
	}
	ctx := context.Background()
	lengths, err := task.Run(ctx, task.FirstFailure[int](), func(_ context.Context, g *task.Group[int]) error {
		for _, word := range []string{"structured", "tasks"} {
			if _, err := g.Go(length(word)); err != nil {
				return err
			}
		}
		return nil
	}, task.On(s))
	fmt.Println(lengths, err, s.Stop(ctx))
	// Output: [10 5] <nil> <nil>
}

func ExampleAllCompleted() {
	within(func(ctx context.Context) error {
		lengths, err := task.Run(ctx, task.AllCompleted[int](), func(_ context.Context, g *task.Group[int]) error {
			for _, word := range []string{"structured", "", "tasks"} {
				if _, err := g.Go(length(word)); err != nil {
					return err
				}
			}
			return nil
		})
		fmt.Println(lengths, err)
		return nil
	})
	// Output: [10 0 5] no word
}

func ExampleFirstFailure() {
	within(func(ctx context.Context) error {
		g, err := task.NewGroup(ctx, task.FirstFailure[int]())
		if err != nil {
			return err
		}
		begun := make(chan struct{})
		slow, err := g.Go(func(ctx context.Context) (int, error) {
			close(begun)
			return 0, task.Sleep(ctx, time.Hour)
		})
		if err != nil {
			return err
		}
		if _, err := g.Go(func(ctx context.Context) (int, error) {
			<-begun
			return length("")(ctx)
		}); err != nil {
			return err
		}
		fmt.Println(g.Join(ctx))
		_, err = slow.Result()
		fmt.Println(err)
		return nil
	})
	// Output:
	// [] no word
	// task: cancelled: task: the group's result is decided
}

func ExampleFirstSuccess() {
	within(func(ctx context.Context) error {
		fastest, err := task.Run(ctx, task.FirstSuccess[string](), func(_ context.Context, g *task.Group[string]) error {
			for mirror, delay := range map[string]time.Duration{"near": time.Millisecond, "far": time.Hour} {
				if _, err := g.Go(func(ctx context.Context) (string, error) {
					return mirror, task.Sleep(ctx, delay)
				}); err != nil {
					return err
				}
			}
			return nil
		})
		fmt.Println(fastest, err)
		return nil
	})
	// Output: [near] <nil>
}

// Addresses are tried one after the other, 250 ms apart, or at once when the one before has
// failed. The third is not tried any more.
func ExampleStaggered() {
	dial := func(ctx context.Context, address string) (string, error) {
		if address == "2001:db8::1" {
			return "", errors.New("no route")
		}
		return "connected to " + address, task.Sleep(ctx, 10*time.Millisecond)
	}
	within(func(ctx context.Context) error {
		conn, err := task.Run(ctx, task.FirstSuccess[string](), func(_ context.Context, g *task.Group[string]) error {
			for _, address := range []string{"2001:db8::1", "2001:db8::2", "192.0.2.1"} {
				if _, err := g.Go(func(ctx context.Context) (string, error) { return dial(ctx, address) }); err != nil {
					return err
				}
			}
			return nil
		}, task.Staggered(250*time.Millisecond))
		fmt.Println(conn, err)
		return nil
	})
	// Output: [connected to 2001:db8::2] <nil>
}

func ExampleQuorum() {
	within(func(ctx context.Context) error {
		for _, broken := range []int{1, 2} {
			g, err := task.NewGroup(ctx, task.Quorum[string](2))
			if err != nil {
				return err
			}
			for replica := range 3 {
				if _, err := g.Go(func(context.Context) (string, error) {
					if replica < broken {
						return "", errors.New("replica is down")
					}
					return "ok", nil
				}); err != nil {
					return err
				}
			}
			votes, err := g.Join(ctx)
			fmt.Println(votes, errors.Is(err, task.ErrQuorum))
		}
		return nil
	})
	// Output:
	// [ok ok] false
	// [] true
}

// enough is a joiner that stops when the values add up to a sum.
type enough struct{ sum, want int }

func (e *enough) Decide(t *task.Task[int], _ task.Count) bool {
	if t != nil {
		n, _ := t.Result()
		e.sum += n
	}
	return e.sum >= e.want
}

func (e *enough) Result(o task.Outcome[int]) ([]int, error) {
	if e.sum < e.want {
		return nil, fmt.Errorf("only %d of %d: %w", e.sum, e.want, o.Err())
	}
	return []int{e.sum}, nil
}

func ExampleJoiner() {
	within(func(ctx context.Context) error {
		sum, err := task.Run[int](ctx, &enough{want: 15}, func(_ context.Context, g *task.Group[int]) error {
			for _, word := range []string{"structured", "tasks", "a word that takes long to be counted"} {
				if _, err := g.Go(length(word)); err != nil {
					return err
				}
			}
			return nil
		})
		fmt.Println(sum, err)
		return nil
	})
	// Output: [15] <nil>
}

func ExampleGroup_All() {
	within(func(ctx context.Context) error {
		_, err := task.Run(ctx, nil, func(ctx context.Context, g *task.Group[int]) error {
			first, err := g.Go(func(ctx context.Context) (int, error) { return 10, task.Sleep(ctx, time.Millisecond) })
			if err != nil {
				return err
			}
			if _, err := g.Go(func(ctx context.Context) (int, error) {
				_, err := first.Join(ctx)
				return 20, err
			}); err != nil {
				return err
			}
			for value, err := range g.All(ctx) { // As they end.
				fmt.Println(value, err)
			}
			return nil
		})
		return err
	})
	// Output:
	// 10 <nil>
	// 20 <nil>
}

// Do and Wait are for functions that return nothing but an error.
func ExampleGroup_Do() {
	within(func(ctx context.Context) error {
		g, err := task.NewGroup[struct{}](ctx, nil, task.Limit(2))
		if err != nil {
			return err
		}
		for _, step := range []string{"compile", "link"} {
			if _, err := g.Do(func(context.Context) error { return nil }); err != nil {
				return fmt.Errorf("%s: %w", step, err)
			}
		}
		fmt.Println(g.Wait())
		return nil
	})
	// Output: <nil>
}

func ExampleWithin() {
	within(func(ctx context.Context) error {
		return task.Within(ctx, func(ctx context.Context, sc *task.Scope) error {
			sc.SetDeadline(time.Now().Add(time.Millisecond))
			err := task.Sleep(ctx, time.Hour)
			if sc.Caught(err) {
				fmt.Println("did without:", err)
				return nil
			}
			return err
		})
	})
	// Output: did without: task: the scope's deadline has passed
}

func ExampleShield() {
	within(func(ctx context.Context) error {
		g, err := task.NewGroup[string](ctx, task.AllCompleted[string]())
		if err != nil {
			return err
		}
		began := make(chan struct{})
		if _, err := g.Go(func(ctx context.Context) (string, error) {
			close(began)
			err := task.Sleep(ctx, time.Hour)
			cleared := task.Shield(ctx, time.Second, func(ctx context.Context) error {
				return task.Sleep(ctx, time.Millisecond) // Say goodbye to the other side.
			})
			fmt.Println("cleared:", cleared)
			return "", err
		}); err != nil {
			return err
		}
		<-began
		g.Cancel(errors.New("no longer wanted"))
		_, err = g.Join(ctx)
		fmt.Println(err)
		return nil
	})
	// Output:
	// cleared: <nil>
	// task: cancelled: no longer wanted
}

func ExampleDetach() {
	ctx := context.Background()
	s, err := sched.New(sched.Config{})
	if err != nil {
		fmt.Println(err)
		return
	}
	gate := make(chan struct{})
	report, err := task.Detach(ctx, func(context.Context) (string, error) {
		<-gate
		return "sent", nil
	}, task.On(s))
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Println(len(task.Detached(s)))
	close(gate)
	fmt.Println(report.Join(ctx))
	fmt.Println(len(task.Detached(s)), s.Stop(ctx))
	// Output:
	// 1
	// sent <nil>
	// 0 <nil>
}

func ExampleTask_Detach() {
	within(func(ctx context.Context) error {
		g, err := task.NewGroup[string](ctx, nil)
		if err != nil {
			return err
		}
		gate := make(chan struct{})
		report, err := g.Go(func(context.Context) (string, error) {
			<-gate
			return "sent", nil
		})
		if err != nil {
			return err
		}
		fmt.Println(report.Detach())
		g.Cancel(nil)
		fmt.Println(g.Join(ctx)) // Does not wait for the report.
		close(gate)
		fmt.Println(report.Join(ctx))
		return nil
	})
	// Output:
	// true
	// [] <nil>
	// sent <nil>
}
