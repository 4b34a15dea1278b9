package session

import (
	"errors"
	"fmt"
	"time"

	"github.com/troupe-go/troupe/engine"
)

// Node is one life of a node.
type Node struct {
	// Name is a word as subjects of a bus have: letters, digits, '-' and '_', 64 at most.
	Name string
	// Birth tells the lives of one node apart. It is not 0.
	Birth uint64
}

// String returns name and birth, as "a/7".
func (n Node) String() string { return fmt.Sprintf("%s/%d", n.Name, n.Birth) }

func (n Node) check() error {
	if !isName(n.Name) {
		return fmt.Errorf("session: the node's name is %q; it must have 1 to %d letters, digits, '-' and '_'", n.Name, maxName)
	}
	if n.Birth == 0 {
		return fmt.Errorf("session: the birth of node %q is 0; it must be positive", n.Name)
	}
	return nil
}

// Verdict is what becomes of a message that has arrived.
type Verdict uint8

const (
	// Taken says that the target has the message.
	Taken Verdict = iota
	// Full says that the target has no room now. The session keeps a Tell or an Ask, and later ones for the same target and
	// lane, until Ready is called. Other kinds count as refused.
	Full
	// Refused says that nobody knows the target, such as the ask of a late reply. The message is counted and dropped.
	Refused
)

// Config is what an [End] is made of. Bus, Self and Deliver are required. In durations and sizes 0 means the default, and
// negative values are errors. The functions are called by the session's goroutines or by callers of its methods, and
// must not wait.
type Config struct {
	Bus  engine.Bus
	Self Node
	// Offer is sent to the other side at the handshake; up to 4 MiB.
	Offer []byte
	// Agree is called with the other side's offer, before any message crosses. It may keep it. An error ends the session.
	Agree func(s *Session, theirs []byte) error
	// Deliver is called for each message, in order for each target and lane. Calls of one session may run at the same time: for
	// different lanes, for messages that Ready frees, and for an Exited, one at a time of these, whatever its lane. Deliver must
	// not keep Message.Payload, Values or Chain. It may call the session's methods that do not wait.
	Deliver func(s *Session, m *Message) Verdict
	// Unconfirmed is called for each message that was not acknowledged when its session ended, in order for each lane, before Ended.
	// The error wraps ErrUnconfirmed and the reason. It must not keep parts of the message.
	Unconfirmed func(s *Session, m *Message, err error)
	// Ended is called once for each session, with the reason. A Deliver that had begun may still run.
	Ended func(s *Session, err error)

	// Window is how many bytes a lane may have that are not acknowledged; one message more may begin below it.
	// Defaults to 256 KiB.
	Window int
	// Credits is how many messages a target and lane may have that are not taken, from 1 to 256; their bytes are bounded by Window.
	// Defaults to 256.
	Credits int
	// MaxMessage is the most that a message may take, in bytes, with its fields: at least 1 KiB. Defaults to 512 KiB, the most that is allowed.
	MaxMessage int
	// Unreachable is how long nothing may be heard or acknowledged. Defaults to 15 s.
	Unreachable time.Duration
	// Heartbeat is after what time a session that sends nothing else says that it lives. Defaults to 2 s.
	Heartbeat time.Duration
	// Resend is after what silence frames are sent again; it doubles up to eight times as much. Defaults to 250 ms.
	Resend time.Duration
	// AckDelay is how long an acknowledgement may wait for a frame that takes it along. Many bytes do not wait for it. Defaults to 5 ms.
	AckDelay time.Duration
}

// The limits of the protocol. A frame of 16 KiB lets an urgent one wait for little; the other numbers were
// chosen with it, and the tests with schedules use other ones.
const (
	maxFrame   = 16 << 10
	maxMessage = 512 << 10
	maxOffer   = 4 << 20
	maxCredits = 256
	maxChain   = 32
	// maxFlight is how many frames of a lane are under way. Small messages fill frames when it is reached, and a
	// subscription of the bus has room for as many. Picked out of thin air.
	maxFlight = 256
	maxName   = 64
)

func (c Config) withDefaults() (Config, error) {
	if c.Bus == nil {
		return c, errors.New("session: Config.Bus is nil; give it the bus of an engine")
	}
	if c.Deliver == nil {
		return c, errors.New("session: Config.Deliver is nil; give it the function that takes messages")
	}
	if err := c.Self.check(); err != nil {
		return c, err
	}
	if len(c.Offer) > maxOffer {
		return c, fmt.Errorf("session: Config.Offer has %d bytes; the limit is %d", len(c.Offer), maxOffer)
	}
	for _, f := range []struct {
		name                  string
		value                 *int
		initial, least, limit int
	}{
		{"Window", &c.Window, 256 << 10, 1, 16 << 20},
		{"Credits", &c.Credits, maxCredits, 1, maxCredits},
		{"MaxMessage", &c.MaxMessage, maxMessage, 1 << 10, maxMessage},
	} {
		if *f.value == 0 {
			*f.value = f.initial
		}
		if *f.value < f.least || *f.value > f.limit {
			return c, fmt.Errorf("session: Config.%s is %d; it must be from %d to %d, or 0 for %d", f.name, *f.value, f.least, f.limit, f.initial)
		}
	}
	for _, f := range []struct {
		name    string
		value   *time.Duration
		initial time.Duration
	}{
		{"Unreachable", &c.Unreachable, 15 * time.Second},
		{"Heartbeat", &c.Heartbeat, 2 * time.Second},
		{"Resend", &c.Resend, 250 * time.Millisecond},
		{"AckDelay", &c.AckDelay, 5 * time.Millisecond},
	} {
		if *f.value == 0 {
			*f.value = f.initial
		}
		if *f.value < 0 {
			return c, fmt.Errorf("session: Config.%s is %v; it must be positive, or 0 for %v", f.name, *f.value, f.initial)
		}
	}
	if c.Heartbeat >= c.Unreachable {
		return c, fmt.Errorf("session: Config.Heartbeat is %v, and Unreachable %v; a heartbeat must come first", c.Heartbeat, c.Unreachable)
	}
	return c, nil
}
