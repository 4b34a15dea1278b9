package recording

import (
	"fmt"
	"slices"
	"strings"
)

// Kind says what an [Event] of a recording is about. Package sched says what each is.
type Kind uint8

// The kinds of events.
const (
	Run Kind = iota
	Suspend
	Yield
	Preempt
	Resume
	Search
	Steal
	Park
	Unpark
	Blocked
	Mark
	Message
	Failure

	numKinds
)

var kindNames = [numKinds]string{
	"run", "suspend", "yield", "preempt", "resume", "search", "steal", "park", "unpark", "blocked", "mark", "message", "failure",
}

// String returns the kind's name in lower case.
func (k Kind) String() string {
	if k < numKinds {
		return kindNames[k]
	}
	return fmt.Sprintf("EventKind(%d)", uint8(k))
}

// ParseKind is the reverse of String.
func ParseKind(name string) (Kind, error) {
	if n := slices.Index(kindNames[:], name); n >= 0 {
		return Kind(n), nil
	}
	return 0, fmt.Errorf("sched: there is no kind of events %.40q; use one of %s", name, strings.Join(kindNames[:], ", "))
}
