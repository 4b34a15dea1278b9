package wire

import (
	"context"
	"encoding/binary"
	"errors"
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/troupe-go/troupe/actor"
	"github.com/troupe-go/troupe/internal/codec"
)

// RemoteError is an error that came from another node. errors.Is finds the registered errors that the original had.
type RemoteError struct {
	// Text is the message of the original, up to 4 KB of it.
	Text string
	// Names has the names of the registered errors in it, also if they are not registered here, and 32 at most.
	Names []string
	known []error
}

// Error returns the text.
func (e *RemoteError) Error() string { return e.Text }

// Unwrap returns the errors that are registered here, too.
func (e *RemoteError) Unwrap() []error { return e.known }

const (
	maxText  = 4 << 10
	maxNames = 32
)

// AppendError appends an error that is not nil: its text, and the names of the registered errors in it.
func (a *Agreement) AppendError(dst []byte, err error) []byte {
	var names []string
	text := "an error whose methods panic"
	if err == nil {
		text = "a nil error"
	} else if failed := codec.Contained("the error", func() error {
		text, names = err.Error(), a.offer.namesIn(err)
		return nil
	}); failed != nil {
		text += ": " + failed.Error()
	}
	dst = binary.AppendUvarint(dst, uint64(len(names)))
	for _, name := range names {
		dst = appendText(dst, name)
	}
	return appendText(dst, shorten(text))
}

func (o *Offer) namesIn(err error) []string {
	var names []string
	for _, reg := range o.errors {
		if errors.Is(err, reg.err) {
			names = append(names, reg.name)
		}
	}
	var remote *RemoteError
	if errors.As(err, &remote) { // It goes on to a third node, which may know more of its names.
		for _, name := range remote.Names {
			if !slices.Contains(names, name) {
				names = append(names, name)
			}
		}
	}
	return names[:min(len(names), maxNames)]
}

func shorten(text string) string {
	const cut = "…"
	text = strings.ToValidUTF8(text, "\uFFFD")
	if len(text) <= maxText {
		return text
	}
	end := maxText - len(cut)
	for !utf8.RuneStart(text[end]) {
		end--
	}
	return text[:end] + cut
}

// DecodeError returns the error that the other side has appended, a [*RemoteError]. The second result is an [ErrData] if
// the data is none.
func (a *Agreement) DecodeError(data []byte) (*RemoteError, error) {
	r := reader{data: data}
	e := &RemoteError{}
	for range r.count(maxNames, 1) {
		name := r.text(maxName)
		e.Names = append(e.Names, name)
		for _, reg := range a.offer.errors {
			if reg.name == name {
				e.known = append(e.known, reg.err)
			}
		}
	}
	e.Text = r.text(maxText)
	if r.err == nil && !utf8.ValidString(e.Text) {
		r.fail("the text of an error is not UTF-8")
	}
	if err := r.end(); err != nil {
		return nil, err
	}
	return e, nil
}

// builtIn are the errors that every registry has.
var builtIn = []registration{
	{name: "context.Canceled", err: context.Canceled},
	{name: "context.DeadlineExceeded", err: context.DeadlineExceeded},
	{name: "actor.ErrStopped", err: actor.ErrStopped},
	{name: "actor.ErrSystemStopped", err: actor.ErrSystemStopped},
	{name: "actor.ErrFull", err: actor.ErrFull},
	{name: "actor.ErrOverflow", err: actor.ErrOverflow},
	{name: "actor.ErrMailboxLimit", err: actor.ErrMailboxLimit},
	{name: "actor.ErrNoRef", err: actor.ErrNoRef},
	{name: "actor.ErrNoSystem", err: actor.ErrNoSystem},
	{name: "actor.ErrNoReply", err: actor.ErrNoReply},
	{name: "actor.ErrAskTimeout", err: actor.ErrAskTimeout},
	{name: "actor.ErrGhostLimit", err: actor.ErrGhostLimit},
	{name: "actor.ErrReplied", err: actor.ErrReplied},
	{name: "actor.ErrLateReply", err: actor.ErrLateReply},
	{name: "actor.ErrNotNeeded", err: actor.ErrNotNeeded},
	{name: "actor.ErrCycle", err: actor.ErrCycle},
	{name: "actor.ErrWouldDeadlock", err: actor.ErrWouldDeadlock},
	{name: "actor.ErrStalePID", err: actor.ErrStalePID},
	{name: "actor.ErrNotChild", err: actor.ErrNotChild},
	{name: "actor.ErrNameTaken", err: actor.ErrNameTaken},
	{name: "actor.ErrNoName", err: actor.ErrNoName},
	{name: "actor.ErrUnhandled", err: actor.ErrUnhandled},
	{name: "actor.ErrNotInHandler", err: actor.ErrNotInHandler},
	{name: "actor.ErrReadOnly", err: actor.ErrReadOnly},
	{name: "actor.ErrNoBehaviour", err: actor.ErrNoBehaviour},
	{name: "actor.ErrStashFull", err: actor.ErrStashFull},
	{name: "actor.ErrNoMessage", err: actor.ErrNoMessage},
	{name: "actor.ErrGoexit", err: actor.ErrGoexit},
	{name: "actor.ErrKilled", err: actor.ErrKilled},
	{name: "actor.ErrFenced", err: actor.ErrFenced},
	{name: "actor.ErrDropped", err: actor.ErrDropped},
	{name: "actor.ErrForced", err: actor.ErrForced},
	{name: "actor.ErrUnbound", err: actor.ErrUnbound},
	{name: "actor.ErrElsewhere", err: actor.ErrElsewhere},
	{name: "wire.ErrNotRegistered", err: ErrNotRegistered},
	{name: "wire.ErrLayout", err: ErrLayout},
	{name: "wire.ErrLimit", err: ErrLimit},
	{name: "wire.ErrEncode", err: ErrEncode},
	{name: "wire.ErrUnreachable", err: ErrUnreachable},
	{name: "wire.ErrUnconfirmed", err: ErrUnconfirmed},
	{name: "wire.ErrData", err: ErrData},
}
