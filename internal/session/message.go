package session

import (
	"encoding/binary"
	"fmt"
	"time"
)

// Lane is one of the three streams of a session. They do not wait for each other.
type Lane uint8

// The lanes, the most urgent first.
const (
	Control Lane = iota
	Management
	Data
	lanes = 3
)

// String returns the lane's name.
func (l Lane) String() string {
	if l >= lanes {
		return fmt.Sprintf("lane %d", uint8(l))
	}
	return [...]string{"control", "management", "data"}[l]
}

// Kind says what a message is for.
type Kind uint8

// The kinds of messages. A Tell and an Ask take credits of their target; the others are few for each of these.
const (
	Tell    Kind = 1 + iota // A message to an actor, the Target.
	Ask                     // One that is answered under the number Ask.
	Reply                   // The answer to Target, an ask's number.
	Cancel                  // The ask Ask of the Target is not needed any more.
	Order                   // Stop, drain or kill the Target.
	Watch                   // Tell when the Target ends.
	Unwatch                 // Do not.
	Exited                  // The actor Sender has ended; all that its node sent before is here.
	Ping                    // Answer by a Pong.
	Pong
	// Kinds of the session's own.
	credit
	offer
)

// String returns the kind's name.
func (k Kind) String() string {
	names := [...]string{"none", "tell", "ask", "reply", "cancel", "order", "watch", "unwatch", "exited", "ping", "pong", "credit", "offer"}
	if int(k) >= len(names) {
		return fmt.Sprintf("kind %d", uint8(k))
	}
	return names[k]
}

// credited reports whether messages of the kind take credits of their target.
func (k Kind) credited() bool { return k == Tell || k == Ask }

// Command is what an Order wants.
type Command uint8

// The commands.
const (
	Stop Command = 1 + iota
	Drain
	Kill
)

// Message is what crosses. Which fields a kind has is said at each; others must be zero.
type Message struct {
	Kind Kind
	Lane Lane
	// Target is the number of an actor, or of an ask for a Reply.
	Target uint64
	// Sender is the number of an actor of the sending side, or 0. All kinds have it.
	Sender uint64
	// Ask is the number of an ask: of an Ask, a Cancel, an Order, a Ping and a Pong.
	Ask uint64
	// Left is how long the asker waits yet, or the order; 0 means without limit. Clocks are not compared.
	Left time.Duration
	// Chain has the numbers of the asks above an Ask, the outermost first, 32 at most.
	Chain []uint64
	// Values has the context values of an Ask, encoded.
	Values []byte
	// Command is what an Order wants.
	Command Command
	// Failed says that a Reply's payload is an error.
	Failed bool
	// Payload is the rest. It is set when a message arrives; a sender gives a function that appends it.
	Payload []byte

	// marks has the last number of each lane that was sent before an Exited.
	marks [lanes]uint64
}

// check returns an ErrMessage if the fields do not fit the kind.
func (m *Message) check() error {
	switch {
	case m.Kind < Tell || m.Kind > Pong:
		return fmt.Errorf("%w: %v can't be sent", ErrMessage, m.Kind)
	case m.Lane >= lanes:
		return fmt.Errorf("%w: %v is none of the lanes", ErrMessage, m.Lane)
	case len(m.Chain) > maxChain:
		return fmt.Errorf("%w: the chain of an ask has %d numbers; the limit is %d", ErrMessage, len(m.Chain), maxChain)
	case m.Left < 0:
		return fmt.Errorf("%w: the time left is %v; it must not be negative", ErrMessage, m.Left)
	case m.Kind == Order && (m.Command < Stop || m.Command > Kill):
		return fmt.Errorf("%w: an order has command %d", ErrMessage, m.Command)
	case m.Payload != nil:
		return fmt.Errorf("%w: Payload is set; give Send a function that appends it", ErrMessage)
	}
	return nil
}

// appendHeader appends all but the payload.
func (m *Message) appendHeader(dst []byte) []byte {
	dst = append(dst, byte(m.Kind))
	dst = binary.AppendUvarint(dst, m.Target)
	dst = binary.AppendUvarint(dst, m.Sender)
	switch m.Kind {
	case Ask:
		dst = binary.AppendUvarint(dst, m.Ask)
		dst = binary.AppendUvarint(dst, uint64(m.Left))
		dst = append(dst, byte(len(m.Chain)))
		for _, n := range m.Chain {
			dst = binary.AppendUvarint(dst, n)
		}
		dst = binary.AppendUvarint(dst, uint64(len(m.Values)))
		dst = append(dst, m.Values...)
	case Reply:
		failed := byte(0)
		if m.Failed {
			failed = 1
		}
		dst = append(dst, failed)
	case Cancel, Ping, Pong:
		dst = binary.AppendUvarint(dst, m.Ask)
	case Order:
		dst = binary.AppendUvarint(dst, m.Ask)
		dst = binary.AppendUvarint(dst, uint64(m.Left))
		dst = append(dst, byte(m.Command))
	case Exited:
		for _, n := range m.marks {
			dst = binary.AppendUvarint(dst, n)
		}
	}
	return dst
}

// decode fills in m from what another side has sent. Parts of m then lie in data. The chain's memory is used again.
func (m *Message) decode(lane Lane, data []byte) error {
	r := reader{data: data}
	*m = Message{Kind: Kind(r.byte()), Lane: lane, Target: r.uvarint(), Sender: r.uvarint(), Chain: m.Chain[:0]}
	switch m.Kind {
	case Tell, Watch, Unwatch, offer, credit:
	case Ask:
		m.Ask, m.Left = r.uvarint(), r.duration()
		n := int(r.byte())
		if n > maxChain {
			r.fail("the chain of an ask has %d numbers, of %d", n, maxChain)
		}
		for i := 0; i < n && r.err == nil; i++ {
			m.Chain = append(m.Chain, r.uvarint())
		}
		m.Values = r.bytes(r.uvarint())
	case Reply:
		switch failed := r.byte(); failed {
		case 0, 1:
			m.Failed = failed == 1
		default:
			r.fail("a reply is marked by %d", failed)
		}
	case Cancel, Ping, Pong:
		m.Ask = r.uvarint()
	case Order:
		m.Ask, m.Left, m.Command = r.uvarint(), r.duration(), Command(r.byte())
		if r.err == nil && (m.Command < Stop || m.Command > Kill) {
			r.fail("an order has command %d", m.Command)
		}
	case Exited:
		for i := range m.marks {
			m.marks[i] = r.uvarint()
		}
	default:
		r.fail("a message is of %v", m.Kind)
	}
	m.Payload = r.data
	return r.err
}

// wipe makes m forget the memory of a frame.
func (m *Message) wipe() { *m = Message{Chain: m.Chain[:0]} }

// returned is one line of a credit message: what a target and lane have taken.
type returned struct {
	key      accountKey
	messages uint64
	bytes    uint64
}

func (c returned) append(dst []byte) []byte {
	dst = append(dst, byte(c.key.lane))
	dst = binary.AppendUvarint(dst, c.key.target)
	dst = binary.AppendUvarint(dst, c.messages)
	return binary.AppendUvarint(dst, c.bytes)
}

func (c *returned) read(r *reader) {
	*c = returned{key: accountKey{lane: Lane(r.byte()), target: r.uvarint()}, messages: r.uvarint(), bytes: r.uvarint()}
	if r.err == nil && c.key.lane >= lanes {
		r.fail("credits are for %v", c.key.lane)
	}
}
