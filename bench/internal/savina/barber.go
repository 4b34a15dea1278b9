package savina

import "github.com/troupe-go/troupe/internal/bench/suite"

var sleepingBarber = suite.Workload{
	Name: SleepingBarber, Family: suite.Actors, Baseline: channels, Unit: "ns/haircut", Size: 1000, TinySize: 50, Step: 1000, TinyN: 100,
	About: "1,000 customers, each an actor, come to a barber's with 900 chairs, and again at once if all are taken (Savina); " +
		"the result is the haircuts that were had",
}

// Chairs is how many of n customers can wait.
func Chairs(n int) int { return n * 9 / 10 }

// Cut is the work of a haircut.
func Cut() bool { return Craft(1) }
