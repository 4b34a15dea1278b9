// Command tasks is pond's example task_group_context, rewritten: 1,000 tasks of a second each, 10 at a time, and 5
// seconds for all of them.
//
//	go run ./examples/ports/tasks
//	40 tasks done, 10 were told to stop, 950 have not begun
//
// With pond the group's Wait returns when the time is over, and the tasks that sleep go on behind its back until they
// have slept; what has become of each of the thousand, the program does not learn. Here a task that waits is told that
// the time is over, Run returns when the last of them has ended, and each has a result. A task that panics would be
// such a result, too, with its stack.
package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"io"
	"os"
	"time"

	"github.com/troupe-go/troupe/sched"
	"github.com/troupe-go/troupe/task"
)

// work is what there is to do.
type work struct {
	tasks int
	each  time.Duration
	limit time.Duration
}

func main() {
	var w work
	flag.IntVar(&w.tasks, "tasks", 1000, "how many tasks there are")
	flag.DurationVar(&w.each, "each", time.Second, "how long each takes")
	flag.DurationVar(&w.limit, "limit", 5*time.Second, "how long all may take")
	flag.Parse()
	if err := w.do(context.Background(), os.Stdout); err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}

// do does the work, and writes what has become of it.
func (w work) do(ctx context.Context, out io.Writer) error {
	s, err := sched.New(sched.Config{})
	if err != nil {
		return err
	}
	limit, cancel := context.WithTimeout(ctx, w.limit)
	defer cancel()
	all := make([]*task.Task[int], w.tasks)
	_, failed := task.Run(limit, task.AllCompleted[int](), func(_ context.Context, g *task.Group[int]) (err error) {
		for i := range all {
			all[i], err = g.Go(func(ctx context.Context) (int, error) { return i, task.Sleep(ctx, w.each) })
			if err != nil {
				return err
			}
		}
		return nil
	}, task.On(s), task.Limit(atATime))
	return errors.Join(report(out, all, failed), s.Stop(ctx))
}

// atATime is how many tasks run at the same time.
const atATime = 10

// report writes how many tasks are done, and what has become of the others.
func report(out io.Writer, all []*task.Task[int], failed error) error {
	var done, stopped, waiting int
	for _, t := range all {
		switch _, err := t.Result(); {
		case err == nil:
			done++
		case !errors.Is(err, context.DeadlineExceeded):
			return fmt.Errorf("%v: %w", t, err)
		case t.Info().Started.IsZero():
			waiting++
		default:
			stopped++
		}
	}
	_, err := fmt.Fprintf(out, "%d tasks done, %d were told to stop, %d have not begun\n", done, stopped, waiting)
	if failed == nil && done != len(all) {
		err = errors.Join(err, errors.New("tasks have failed, and the group has not"))
	}
	return err
}
