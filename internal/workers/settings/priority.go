package settings

import "fmt"

// Priority orders queued work. Package sched says what each is.
type Priority uint8

// The priorities, from the most to the least urgent.
const (
	Critical Priority = iota
	High
	Normal
	Low

	// Priorities is how many there are.
	Priorities = 4
)

var priorityNames = [Priorities]string{"critical", "high", "normal", "low"}

// String returns the priority's name in lower case.
func (p Priority) String() string {
	if p < Priorities {
		return priorityNames[p]
	}
	return fmt.Sprintf("Priority(%d)", uint8(p))
}
