package sched

import "fmt"

// Priority orders queued work. Whatever is Critical, anywhere, is taken before
// anything else everywhere; among the others a worker takes the higher before
// the lower of what it finds in its own queues and in the shared ones.
type Priority uint8

// The priorities, from the most to the least urgent.
const (
	Critical Priority = iota
	High
	Normal
	Low

	numPriorities = 4
)

var priorityNames = [numPriorities]string{"critical", "high", "normal", "low"}

// String returns the priority's name in lower case.
func (p Priority) String() string {
	if p < numPriorities {
		return priorityNames[p]
	}
	return fmt.Sprintf("Priority(%d)", uint8(p))
}
