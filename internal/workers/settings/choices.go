package settings

import "fmt"

// FullPolicy says what [Scheduler.Go] does when Config.MaxQueued jobs are queued. Package
// sched says what each is.
type FullPolicy uint8

// The policies.
const (
	WaitWhenFull FullPolicy = iota
	RejectWhenFull

	numFullPolicies = 2
)

// Placement says where work from outside the workers goes that is not critical and has no
// [Place]. Package sched says what each is.
type Placement uint8

// The placements.
const (
	Shared Placement = iota
	LeastLoaded
)

// String returns the placement's name in lower case.
func (p Placement) String() string {
	switch p {
	case Shared:
		return "shared"
	case LeastLoaded:
		return "least loaded"
	default:
		return fmt.Sprintf("Placement(%d)", uint8(p))
	}
}

// StealStrategy says how a worker without work takes some from others. Package sched says
// what each is.
type StealStrategy uint8

// The strategies.
const (
	StealAdaptive StealStrategy = iota
	StealSingle
	StealBatched
	StealLocal

	numStrategies = 4
)

var strategyNames = [numStrategies]string{"adaptive", "single", "batched", "local"}

// String returns the strategy's name in lower case.
func (st StealStrategy) String() string {
	if st < numStrategies {
		return strategyNames[st]
	}
	return fmt.Sprintf("StealStrategy(%d)", uint8(st))
}

// Check reports a strategy that does not exist.
func (st StealStrategy) Check() error {
	if st >= numStrategies {
		return fmt.Errorf("unknown strategy %d; use StealAdaptive, StealSingle, StealBatched or StealLocal", st)
	}
	return nil
}
