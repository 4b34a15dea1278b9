package workload

import (
	"fmt"

	"github.com/troupe-go/troupe/internal/bench/suite"
)

// The names of the workloads about growth, without the numbers of actors.
const (
	GrowMessage = "grow-message"
	GrowActor   = "grow-actor"
	GrowMemory  = "grow-memory"
)

// Crowds are the numbers of actors.
var Crowds = []int{10, 100, 1000, 10_000, 100_000, 1_000_000}

// QuickCrowds are the crowds of a quick run.
var QuickCrowds = Crowds[:3]

// GrowthProcs are the numbers of processors, which are the numbers of workers. A
// machine with fewer has the threads share them.
var GrowthProcs = []int{1, 2, 4, 8}

// Growth returns the workloads about growth: the cost of a message, the cost of
// an actor, and the memory of one, each for so many actors.
func Growth(crowds []int) []*suite.Workload {
	var all []*suite.Workload
	for _, kind := range []func(size int) *suite.Workload{growMessage, growActor, growMemory} {
		for _, size := range crowds {
			all = append(all, kind(size))
		}
	}
	return all
}

// GrowthName returns the name of such a workload.
func GrowthName(kind string, size int) string { return fmt.Sprintf("%s-%d", kind, size) }

// Tokens is how many messages are under way among so many actors.
func Tokens(size int) int { return min(size, 1000) }

// tinyCrowd is the number of actors of a smoke run.
const tinyCrowd = 10

func growMessage(size int) *suite.Workload {
	return &suite.Workload{
		Name: GrowthName(GrowMessage, size), Family: suite.Actors, Baseline: channels, Unit: "ns/message",
		Size: size, TinySize: tinyCrowd, Step: size,
		About: fmt.Sprintf("%d messages hop among %d actors, each to one far from the last; the result is what all have handled", Tokens(size), size),
	}
}

func growActor(size int) *suite.Workload {
	return &suite.Workload{
		Name: GrowthName(GrowActor, size), Family: suite.Actors, Baseline: channels, Unit: "ns/actor",
		Size: size, TinySize: tinyCrowd, Step: size,
		About: fmt.Sprintf("start %d actors and let each handle a first message", size),
	}
}

func growMemory(size int) *suite.Workload {
	return &suite.Workload{
		Name: GrowthName(GrowMemory, size), Family: suite.Actors, Baseline: channels, Unit: "bytes/actor", Kind: suite.Memory,
		N: size, TinyN: 1000, // Fewer may be lost beside a stack that the runtime gives back meanwhile.
		About: fmt.Sprintf("heap and stacks of %d actors that have handled a message", size),
	}
}

// Hop returns where a message goes from actor i: to another far off, and to all
// of them in time.
func Hop(i, size int) int { return (i + size*618/1000 + 1) % size }

// Shares calls start for each token, with how often its message is handled.
func Shares(n, size int, start func(token, hops int) error) error {
	tokens := Tokens(size)
	for t := range tokens {
		if err := start(t, n/tokens); err != nil {
			return err
		}
	}
	return nil
}
