package workers

import "github.com/troupe-go/troupe/internal/workers/settings"

// Config is what sched.Config documents, field by field.
type Config = settings.Config

// Priority orders queued work. Package sched says what each is.
type Priority = settings.Priority

// The priorities, from the most to the least urgent.
const (
	Critical = settings.Critical
	High     = settings.High
	Normal   = settings.Normal
	Low      = settings.Low

	numPriorities = settings.Priorities

	// Own, given to [Fiber.Resume] or [Waiter.Wake], leaves it to the work that waits how
	// urgent it is.
	Own = Low
)

// FullPolicy says what [Scheduler.Go] does when Config.MaxQueued jobs are queued. Package
// sched says what each is.
type FullPolicy = settings.FullPolicy

// The policies.
const (
	WaitWhenFull   = settings.WaitWhenFull
	RejectWhenFull = settings.RejectWhenFull
)

// Placement says where work from outside the workers goes that is not critical and has no
// [Place]. Package sched says what each is.
type Placement = settings.Placement

// The placements.
const (
	Shared      = settings.Shared
	LeastLoaded = settings.LeastLoaded
)

// StealStrategy says how a worker without work takes some from others. Package sched says
// what each is.
type StealStrategy = settings.StealStrategy

// The strategies.
const (
	StealAdaptive = settings.StealAdaptive
	StealSingle   = settings.StealSingle
	StealBatched  = settings.StealBatched
	StealLocal    = settings.StealLocal
)
