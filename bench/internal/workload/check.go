package workload

import (
	"time"

	"github.com/troupe-go/troupe/internal/bench/suite"
)

// The names of the workloads about the check by which a loop lets others run.
const (
	Check     = "check"
	CheckCall = "check-call"
)

// The difference of two loops may be next to nothing, so a number of repetitions can't be planned from it.
const checks = 100_000_000

var check = suite.Workload{
	Name: Check, Family: suite.Jobs, Baseline: troupe, Unit: "ns/check", N: checks, NFor: 100 * time.Millisecond, TinyN: 1000,
	About: "a loop lets others run after each 4,000 rounds; what counting them takes beyond the loop without, 0.01 ns if less",
	Targets: []suite.Target{
		{Subject: libtroupe, Row: Check, Of: suite.MedianFigure, AtMost: 5},
	},
}

var checkCall = suite.Workload{
	Name: CheckCall, Family: suite.Jobs, Baseline: troupe, Unit: "ns/check", N: checks, NFor: 100 * time.Millisecond, TinyN: 1000,
	About: "the same by one function, which finds out who calls",
	Targets: []suite.Target{
		{Subject: libtroupe, Row: CheckCall, Of: suite.MedianFigure, AtMost: 5},
	},
}
