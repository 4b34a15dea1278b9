package inspect

import (
	"fmt"
	"slices"
	"sync"
	"time"

	"github.com/troupe-go/troupe/actor"
)

// Shown is implemented by a message that may be shown to an inspector of the system. Of all
// others only the type is shown, since messages may hold what is nobody's business.
type Shown interface {
	// Inspect returns what may be known of the message. It is called when the
	// message was not handled, where that happens, and must not wait.
	Inspect() string
}

// Letter is a dead letter.
type Letter struct {
	Time    time.Time `json:"time"`
	To      actor.PID `json:"to"`
	Name    string    `json:"name,omitempty"`
	Kind    string    `json:"kind"`
	Lane    string    `json:"lane"`
	Message string    `json:"message"`           // The type.
	Content string    `json:"content,omitempty"` // Of a message that is [Shown]; 500 bytes at most.
	Error   string    `json:"error"`
}

// maxContent bounds what is kept of a message.
const maxContent = 500

// letters keeps the last dead letters, in a ring.
type letters struct {
	limit int
	alarm alarm

	mu   sync.Mutex
	ring []Letter
	next int // The oldest, once the ring is full.
}

func (l *letters) add(d actor.DeadLetter) Letter {
	letter := Letter{
		Time: time.Now(), To: d.To, Name: d.Name, Kind: d.Kind, Lane: d.Lane.String(),
		Message: fmt.Sprintf("%T", d.Message), Content: content(d.Message), Error: cut(d.Reason.Error(), maxError),
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	switch {
	case l.limit < 0:
	case len(l.ring) < l.limit:
		l.ring = append(l.ring, letter)
	default:
		l.ring[l.next] = letter
		l.next = (l.next + 1) % l.limit
	}
	return letter
}

// content returns what a message shows of itself.
func content(m any) (text string) {
	s, ok := m.(Shown)
	if !ok {
		return ""
	}
	defer func() {
		if v := recover(); v != nil {
			text = fmt.Sprintf("Inspect panicked: %v", v)
		}
	}()
	text = s.Inspect()
	return text[:min(len(text), maxContent)]
}

// DeadLetters returns the last dead letters, the oldest first.
func (i *Inspector) DeadLetters() []Letter {
	l := &i.letters
	l.mu.Lock()
	defer l.mu.Unlock()
	return slices.Concat(l.ring[l.next:], l.ring[:l.next])
}
