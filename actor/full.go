package actor

import (
	"context"
	"errors"
	"fmt"
	"strings"
)

// The errors for refused messages name the actor that refused and the reason. They are
// made on paths that are taken very often, so they allocate nothing:
// each is the actor itself under another type, and its text is made when somebody
// wants it. Such an error keeps the actor's memory alive.

type (
	fullControl    proc
	fullManagement proc
	fullData       proc
	// overLimit is for a message that stays with its sender, and would be dropped
	// otherwise.
	overLimit proc
)

// full is [ErrFull] of one of the actor's lanes.
func (p *proc) full(which Lane) error {
	switch which {
	case Control:
		return (*fullControl)(p)
	case Management:
		return (*fullManagement)(p)
	}
	return (*fullData)(p)
}

func (p *proc) fullText(which Lane) string {
	return fmt.Sprintf("send to %s: %v: the %v lane takes %d messages; Send and Offer wait for room", p, ErrFull, which, p.opts.capacity[which])
}

func (e *fullControl) Error() string    { return (*proc)(e).fullText(Control) }
func (e *fullManagement) Error() string { return (*proc)(e).fullText(Management) }
func (e *fullData) Error() string       { return (*proc)(e).fullText(Data) }

func (e *overLimit) Error() string {
	return fmt.Sprintf("offer to %s: %v: it drops what is more than WithBuffer or WithMailboxLimit allows", (*proc)(e), ErrFull)
}

func (*fullControl) Unwrap() error    { return ErrFull }
func (*fullManagement) Unwrap() error { return ErrFull }
func (*fullData) Unwrap() error       { return ErrFull }
func (*overLimit) Unwrap() error      { return ErrFull }

// ended is [ErrStopped] of an actor, with the reason if it has one. That is what the actor
// keeps for Ref.Err anyway.
type ended proc

func (e *ended) Error() string {
	return fmt.Sprintf("send to %s: %v%s", (*proc)(e), ErrStopped, cutShort(e.why()))
}

func (*ended) Unwrap() error { return ErrStopped }

// Is finds the reason of an actor elsewhere, such as the loss of its node.
func (e *ended) Is(target error) bool {
	p := (*proc)(e)
	return p.isStandIn() && p.stopped.Load() && p.reason != nil && errors.Is(p.reason, target)
}

// why returns the reason of the actor, and of the nearest actor above it that has ended with
// one, as a supervisor does that gives up. It is empty while the actor has not ended.
func (e *ended) why() (why string) {
	p := (*proc)(e)
	if !p.stopped.Load() {
		return ""
	}
	if p.reason != nil {
		why = fmt.Sprintf(": %v", p.reason) // Which copes with an Error that panics.
	}
	for above := p.parent; above != nil && above.impl != nil; above = above.parent {
		if above.stopped.Load() && above.reason != nil {
			return why + fmt.Sprintf("; %s, above it, ended: %v", above, above.reason)
		}
	}
	if why == "" && p.sys.stopping.Load() {
		return ": its system stops, or has stopped"
	}
	return why
}

// maxReason is how long a reason may be in the error of a send. A panic's may have a whole
// message in it.
const maxReason = 300

// cutShort returns text, or its beginning if it is too long.
func cutShort(text string) string {
	if len(text) <= maxReason {
		return text
	}
	return strings.ToValidUTF8(text[:maxReason], "") + "..."
}

// noRoom is the end of a sender's wait for room. Hundreds of thousands may end at once, so its text is made when somebody
// wants it.
type noRoom struct {
	p     *proc
	lane  Lane
	cause error
}

func (e *noRoom) Error() string {
	return fmt.Sprintf("send to %s, whose %v lane is full: %v", e.p, e.lane, e.cause)
}

func (e *noRoom) Unwrap() error { return e.cause }

type (
	secondReply proc
	lateReply   proc
)

func (e *secondReply) Error() string {
	return fmt.Sprintf("%s replies: %v; an ask takes one answer", (*proc)(e), ErrReplied)
}

func (e *lateReply) Error() string { return fmt.Sprintf("%s replies: %v", (*proc)(e), ErrLateReply) }

func (*secondReply) Unwrap() error { return ErrReplied }
func (*lateReply) Unwrap() error   { return ErrLateReply }

func repliesFenced(ctx context.Context, fenced error) error {
	return fmt.Errorf("%s replies: %w", scopeOf(ctx).p, fenced)
}

// tellLate counts an answer that is late. It returns an error with err, the reason of the
// refusal, and the actor that has answered.
func (s *System) tellLate(ctx context.Context, err error) error {
	c := scopeOf(ctx)
	switch {
	case err == ErrLateReply: //nolint:errorlint // Begin wraps nothing.
		s.lateReplies.Add(1)
		if c != nil {
			return (*lateReply)(c.p)
		}
	case err == ErrReplied && c != nil: //nolint:errorlint // As above.
		return (*secondReply)(c.p)
	}
	return err
}
