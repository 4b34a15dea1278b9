package workers

import "fmt"

// Priority orders queued work. Package sched says what each is.
type Priority uint8

// The priorities, from the most to the least urgent.
const (
	Critical Priority = iota
	High
	Normal
	Low

	numPriorities = 4

	// Own, given to [Fiber.Resume] or [Waiter.Wake], leaves it to the work that waits how
	// urgent it is.
	Own = Low
)

var priorityNames = [numPriorities]string{"critical", "high", "normal", "low"}

// String returns the priority's name in lower case.
func (p Priority) String() string {
	if p < numPriorities {
		return priorityNames[p]
	}
	return fmt.Sprintf("Priority(%d)", uint8(p))
}
