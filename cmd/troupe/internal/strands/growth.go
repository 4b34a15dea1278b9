package strands

import (
	"context"
	"errors"
	"fmt"
	"math"
	"strings"
	"time"

	"github.com/troupe-go/troupe/internal/bench"
	"github.com/troupe-go/troupe/internal/bench/runner"
	"github.com/troupe-go/troupe/internal/bench/suite"
)

const (
	// startRounds is how often each number is started, to take the quicker time. It is
	// two because a machine may be slow to give memory that nobody has used since it
	// began: 12 us a page where others take 1.4, on a virtual one. The first million pays
	// for that, and would seem to be what grows.
	startRounds = 2
	startLimit  = time.Minute
)

// runGrowth starts the whole number and half of it, in turns, each in a process of its
// own as in their own workloads: what a start leaves behind would help the next.
// It tells how many times as long the whole takes.
func runGrowth(subject string, start suite.Func) suite.Func {
	s := &suite.Subject{Name: subject, Runs: map[string]suite.Func{spawn.Name: start, spawnMillion.Name: start}}
	return func(r *suite.Run) (int64, error) {
		command, err := bench.Self()
		if err != nil {
			return 0, err
		}
		var failures strings.Builder
		c := runner.Config{Command: command, Rounds: 1, Limit: startLimit, Smoke: r.N < whole, Stderr: &failures}
		best := map[*suite.Workload]float64{&spawn: math.Inf(1), &spawnMillion: math.Inf(1)}
		for range startRounds {
			for _, w := range []*suite.Workload{&spawnMillion, &spawn} {
				cell := c.Workload(context.Background(), w, []*suite.Subject{s})[0]
				if cell.Failed {
					return 0, fmt.Errorf("a process that starts %s has failed: %w", subject, errors.New(failures.String()))
				}
				best[w] = min(best[w], cell.Rounds[0][w.Name].Value)
			}
		}
		r.Took(time.Duration(best[&spawnMillion] / best[&spawn] * float64(time.Second)))
		return int64(r.N), nil
	}
}
