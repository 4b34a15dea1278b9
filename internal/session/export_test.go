package session

import (
	"time"

	"github.com/troupe-go/troupe/engine"
)

// For tests that pump frames by hand, with a clock of their own.

func NewManual(cfg Config, now func() time.Time) (*End, error) {
	cfg, err := cfg.withDefaults()
	if err != nil {
		return nil, err
	}
	e := newEnd(cfg, now)
	e.manual = true
	return e, nil
}

func (e *End) Open(peer Node) (*Session, error) { return e.open(peer) }
func (e *End) Receive(frame []byte)             { e.receive(frame) }

func (s *Session) NextFrame(class engine.Class) ([]byte, Lane) {
	frame, lane := s.nextFrame(class, nil)
	return frame, lane
}
func (s *Session) Farewell() []byte    { return s.farewell(nil) }
func (s *Session) Tick(now time.Time)  { s.tick(now) }
func (s *Session) Deadline() time.Time { return s.deadline() }
func (s *Session) IsReady() bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.ready
}

// Forge makes a frame of messages or, with number 0, one of acknowledgements, as the peer of s would send it.
func (s *Session) Forge(lane Lane, number uint64, received [3]uint64, body []byte) []byte {
	h := header{typ: messages, lane: lane, from: s.peer, to: s.cfg.Self.Birth, epoch: s.theirs, theirs: s.epoch, number: number, received: received}
	if number == 0 {
		h.typ = ack
	}
	return seal(append(h.append(nil), body...))
}

// Reframe changes the births and epochs of a frame, and its checksum.
func Reframe(frame []byte, change func(from, to, epoch, theirs *uint64)) []byte {
	f, err := readFrame(frame)
	if err != nil {
		panic(err)
	}
	h := f.header
	h.from.Name = string(f.name)
	change(&h.from.Birth, &h.to, &h.epoch, &h.theirs)
	return seal(append(h.append(nil), f.body...))
}

// NumberOf returns the number of a frame in its lane, and what it acknowledges.
func NumberOf(frame []byte) (number uint64, received [3]uint64) {
	f, err := readFrame(frame)
	if err != nil {
		panic(err)
	}
	return f.number, f.received
}

func Fragment(data []byte, last bool) []byte {
	b := append(make([]byte, fragment), data...)
	mark(b, len(data), last)
	return b
}

func (m *Message) Encode(payload []byte) []byte { return append(m.appendHeader(nil), payload...) }
func (m *Message) Decode(data []byte) error     { return m.decode(m.Lane, data) }
func (m *Message) Marks() [3]uint64             { return m.marks }
func ReadFrame(data []byte) error               { _, err := readFrame(data); return err }
func Credits(lane Lane, target, messages, bytes uint64) []byte {
	m := Message{Kind: credit}
	return returned{accountKey{target, lane}, messages, bytes}.append(m.appendHeader(nil))
}

const (
	MaxFrame = maxFrame
	MaxBody  = maxBody
)

func (s *Session) Received(lane Lane) uint64 { return s.in[lane].received.Load() }

// ForgeHello makes a hello as the peer of s would send it.
func (s *Session) ForgeHello(epoch, theirs uint64, body []byte) []byte {
	h := header{typ: hello, from: s.peer, to: s.cfg.Self.Birth, epoch: epoch, theirs: theirs}
	return seal(append(h.append(nil), body...))
}
