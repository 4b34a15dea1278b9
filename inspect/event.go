package inspect

import (
	"context"
	"fmt"
	"log/slog"
	"strings"
	"time"

	"github.com/troupe-go/troupe/actor"
)

// EventKind says what an [Event] is about.
type EventKind string

// The kinds of events.
const (
	Failed         EventKind = "failed"          // An actor, or an incarnation of it, ended with a failure.
	Restarted      EventKind = "restarted"       // A new incarnation begins.
	SlowHandler    EventKind = "slow_handler"    // A handler has taken long, and has returned.
	BlockedHandler EventKind = "blocked_handler" // A handler has been at it for long.
	TimedOut       EventKind = "timed_out"       // Something was done about a handler that took too long.
	DeadLetters    EventKind = "dead_letters"    // Messages were not handled; at most one event a second.
	MailboxHigh    EventKind = "mailbox_high"    // A lane is above the watermark, and was not, or has grown to twice that.
	MailboxNormal  EventKind = "mailbox_normal"  // It is below half of the watermark again.
	Starvation     EventKind = "starvation"      // Work waits long for a worker.
	SpareLimit     EventKind = "spare_limit"     // A blocked worker could not be replaced.
	AskCycle       EventKind = "ask_cycle"       // An actor has failed since it would have waited for itself, by way of others.
	Acted          EventKind = "acted"           // Somebody has stopped, killed, suspended or resumed an actor from the live page, or has tried to.
	Recorded       EventKind = "recorded"        // A recording was written, or could not be, since something has panicked.
)

// Event tells of something that somebody may want to look at.
type Event struct {
	// Number counts the inspector's events, from 1.
	Number uint64     `json:"number"`
	Time   time.Time  `json:"time"`
	Kind   EventKind  `json:"kind"`
	Level  slog.Level `json:"level"`
	// Text says it in one line.
	Text string `json:"text"`

	// PID, Name and ActorKind describe the actor, if the event is about one.
	PID       actor.PID `json:"pid,omitzero"`
	Name      string    `json:"name,omitempty"`
	ActorKind string    `json:"actor_kind,omitempty"`
	// Handler is what the actor is or was at, as in [actor.HandlerReport].
	Handler string `json:"handler,omitempty"`
	// Message is the type of the message that it is about.
	Message string `json:"message,omitempty"`
	// Lane and Mailbox are about a mailbox.
	Lane    string `json:"lane,omitempty"`
	Mailbox int    `json:"mailbox,omitempty"`
	// Error is why, and Stack where, if that is known.
	Error string `json:"error,omitempty"`
	Stack string `json:"stack,omitempty"`
	// Seconds is how long it took, or has taken so far.
	Seconds float64 `json:"seconds,omitempty"`
	// Priority is the priority of work that starves.
	Priority string `json:"priority,omitempty"`
	// By says who did it; see WebConfig.Who.
	By string `json:"by,omitempty"`
	// Count is how many there were of the same kind, if not one.
	Count uint64 `json:"count,omitempty"`
	// Holders are what holds the workers, with their stacks if Config.Stacks.
	Holders []Holder `json:"holders,omitempty"`
}

// String returns the level, the kind and the text.
func (e Event) String() string { return fmt.Sprintf("%v %s: %s", e.Level, e.Kind, e.Text) }

func (e *Event) log(to *slog.Logger) {
	attrs := []slog.Attr{slog.String("event", string(e.Kind))}
	add := func(key, value string) {
		if value != "" {
			attrs = append(attrs, slog.String(key, value))
		}
	}
	if e.PID != (actor.PID{}) {
		add("pid", e.PID.String())
	}
	add("name", e.Name)
	add("kind", e.ActorKind)
	add("handler", e.Handler)
	add("message", e.Message)
	add("by", e.By)
	add("reason", e.Error)
	add("stack", e.Stack)
	to.LogAttrs(context.Background(), e.Level, e.Text, attrs...)
}

// cause is what events have in common that are one group of api/groups.
type cause struct {
	kind EventKind
	pid  actor.PID
	text string
}

// maxCause is how much of an error tells causes apart: texts often end with what is different each time.
const maxCause = 80

func causeOf(e *Event) cause {
	text := e.Error
	if text == "" {
		text = e.Handler + " " + e.Message + " " + e.Lane + " " + e.Priority
	}
	return cause{e.Kind, e.PID, text[:min(len(text), maxCause)]}
}

// maxShort is how many bytes of a text are kept with a group.
const maxShort = 1000

// short returns an event that takes little memory.
func (e *Event) short() Event {
	s := *e
	s.Text, s.Error, s.Stack, s.Holders = cut(s.Text, maxShort), cut(s.Error, maxShort), cut(s.Stack, 4*maxShort), nil
	return s
}

// maxError is how many bytes of an error are kept.
const maxError = 10_000

// cut returns a text that has about that many bytes at most, and says how long it was.
func cut(text string, limit int) string {
	if len(text) <= limit {
		return text
	}
	return fmt.Sprintf("%s... (%d bytes in all)", strings.ToValidUTF8(text[:limit], ""), len(text))
}
