package task_test

import (
	"context"
	"errors"
	"fmt"

	"github.com/troupe-go/troupe/actor"
	"github.com/troupe-go/troupe/task"
)

// watcher watches a place for each message. Its tasks are its own.
type watcher struct {
	tasks    *task.Group[string]
	watching chan string
}

func (w *watcher) Receive(ctx *actor.Context[string], place string) (err error) {
	if w.tasks == nil {
		if w.tasks, err = task.NewGroup(ctx, task.AllCompleted[string]()); err != nil {
			return err
		}
	}
	_, err = w.tasks.Go(func(ctx context.Context) (string, error) {
		w.watching <- place
		err := task.Sleep(ctx, 1<<62) // Nothing ever happens there.
		fmt.Println("leaving", place, errors.Is(err, actor.ErrStopped))
		return place, err
	})
	return err
}

// The tasks of an actor end with it: its stop asks them to end, and waits for
// them. So it is at its restart.
func ExampleNewGroup_actor() {
	ctx := context.Background()
	sys, err := actor.NewSystem(actor.Config{})
	if err != nil {
		fmt.Println(err)
		return
	}
	w := &watcher{watching: make(chan string)}
	ref, err := actor.Spawn(sys, w)
	if err == nil {
		err = ref.Send(ctx, "the harbour")
	}
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Println("watching", <-w.watching)
	fmt.Println("stopped:", ref.Stop(ctx))
	if err := sys.Stop(ctx); err != nil {
		fmt.Println(err)
	}
	// Output:
	// watching the harbour
	// leaving the harbour true
	// stopped: <nil>
}
