// Package troupe does the workloads with this project's own packages, as their
// documentation shows it.
package troupe

import (
	"context"
	"errors"
	"fmt"
	"log/slog"

	"github.com/troupe-go/troupe/actor"
	"github.com/troupe-go/troupe/inspect"
)

var background = context.Background()

// run calls do with a system of its own and stops that afterwards.
func run(do func(sys *actor.System) (int64, error)) (int64, error) { return runWith(false, do) }

// runWith is run, with an inspector and its page if that is wanted.
func runWith(inspected bool, do func(sys *actor.System) (int64, error)) (result int64, err error) {
	sys, err := actor.NewSystem(actor.Config{Logger: slog.New(slog.DiscardHandler)}) // Some workloads fail on purpose.
	if err != nil {
		return 0, err
	}
	defer func() {
		if s := sys.Stats(); err == nil && s.DeadLetters > 0 {
			err = fmt.Errorf("%d messages became dead letters", s.DeadLetters)
		}
		err = errors.Join(err, sys.Stop(background))
	}()
	if inspected {
		i, err := inspect.New(sys, inspect.Config{})
		if err != nil {
			return 0, err
		}
		defer i.Close()
		if _, err := i.Handler(inspect.WebConfig{}); err != nil { // From here on it takes samples in the background.
			return 0, err
		}
	}
	return do(sys)
}

// spawnN spawns n actors with what receive returns for each.
func spawnN[M any](
	at actor.Spawner, n int, receive func(i int) func(*actor.Context[M], M) error,
) ([]actor.Ref[M], error) {
	refs := make([]actor.Ref[M], n)
	for i := range refs {
		ref, err := actor.Spawn(at, actor.Func(receive(i)))
		if err != nil {
			return nil, err
		}
		refs[i] = ref
	}
	return refs, nil
}
