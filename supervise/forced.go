package supervise

import (
	"errors"
	"fmt"
	"strings"

	"github.com/troupe-go/troupe/actor"
)

// forcedError is the reason of a supervisor that has stopped in order, but had to kill
// children for that. It wraps [actor.ErrForced].
type forcedError struct {
	path   string
	n      int
	killed []string // Their paths, or the first of them.
}

// maxForced is how many paths an error has.
const maxForced = 10

func (e *forcedError) add(paths ...string) {
	e.n += len(paths)
	e.killed = append(e.killed, paths[:min(len(paths), maxForced-len(e.killed))]...)
}

// Error names the children.
func (e *forcedError) Error() string {
	names := strings.Join(e.killed, ", ")
	if e.n > len(e.killed) {
		names += ", ..."
	}
	return fmt.Sprintf("supervise: %s: killed what did not stop in time (%d: %s): %v", e.path, e.n, names, actor.ErrForced)
}

// Unwrap returns [actor.ErrForced].
func (e *forcedError) Unwrap() error { return actor.ErrForced }

// failure returns why an actor has failed: that it had to kill children when it
// stopped is no failure.
func failure(reason error) error {
	if _, ok := reason.(*forcedError); ok { //nolint:errorlint // A failure may wrap it too.
		return nil
	}
	return reason
}

// noteForced takes note that a child which was to stop had to be killed, or some
// below it. Reason is why its incarnation has ended: nil if the kill came too late, and
// another than the kill if the child had failed, and was killed while it cleared up.
func (sup *supervisorActor) noteForced(s *slot, reason error) {
	below := (*forcedError)(nil)
	e := &forcedError{path: sup.path}
	switch {
	case s.supervisor && errors.As(reason, &below):
		e.add(below.killed...)
		e.n = below.n
	case s.killed && reason != nil:
		e.add(sup.pathOf(s))
	default:
		return
	}
	s.forced, s.reason = e, e
	if sup.ending {
		sup.forced.add(e.killed...)
		sup.forced.n += e.n - len(e.killed)
	}
}

// withForced returns the reason of the supervisor's end, with the children that had
// to be killed for that.
func (sup *supervisorActor) withForced(reason error) error {
	if sup.forced.n == 0 {
		return reason
	}
	sup.forced.path = sup.path
	if reason == nil {
		return &sup.forced
	}
	return fmt.Errorf("%w; %w", reason, &sup.forced)
}
