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
