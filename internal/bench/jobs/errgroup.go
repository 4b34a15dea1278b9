package jobs

import (
	"errors"
	"time"

	"golang.org/x/sync/errgroup"

	"github.com/troupe-go/troupe/internal/bench/suite"
)

// Errgroup is golang.org/x/sync/errgroup. It is in no family, since it has nothing
// for most workloads of jobs.
var Errgroup = suite.Subject{
	Name:  errgroups,
	About: "golang.org/x/sync/errgroup",
	Runs: map[string]suite.Func{
		SpawnJoin: RunSpawnJoin(func(k int, task func(i int)) error {
			var all errgroup.Group
			for i := range k {
				all.Go(func() error { task(i); return nil })
			}
			return all.Wait()
		}),
		FirstSuccess: RunFirstSuccess(errgroupFirstSuccess),
		Cancel:       RunCancel(errgroupCancel),
	},
	Notes: map[string]string{
		FirstSuccess: "the first success is an error, by which the others are cancelled",
	},
}

var errFound = errors.New("found")

func errgroupFirstSuccess(k int, takes func(i int) time.Duration) (int, error) {
	all, ctx := errgroup.WithContext(background)
	won := make([]bool, k)
	for i := range k {
		all.Go(func() error {
			if goSleep(ctx, takes(i)) != nil {
				return nil
			}
			won[i] = true
			return errFound
		})
	}
	if err := all.Wait(); !errors.Is(err, errFound) {
		return 0, errors.Join(errors.New("nobody has succeeded"), err)
	}
	for i := range won {
		if won[i] {
			return i, nil
		}
	}
	return 0, errors.New("an unknown one has succeeded")
}

func errgroupCancel(k int, begun, ready func()) (int, error) {
	all, ctx := errgroup.WithContext(background)
	ended := make([]bool, k)
	for i := range k {
		all.Go(func() error {
			begun()
			ended[i] = goSleep(ctx, time.Hour) != nil
			return nil
		})
	}
	all.Go(func() error {
		ready()
		return errFound // It cancels the others.
	})
	if err := all.Wait(); !errors.Is(err, errFound) {
		return 0, err
	}
	return count(ended), nil
}
