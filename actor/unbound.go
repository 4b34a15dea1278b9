package actor

import (
	"encoding/binary"
	"errors"
	"fmt"
	"reflect"
	"unsafe"

	"github.com/troupe-go/troupe/internal/kernel/standin"
)

// Refs and Replies are written with the node that they belong to. The code that reads them
// has no system, so it makes unbound ones: a Ref to a stand-in that is in no table, and a Reply with
// a fresh slot whose only round is over. Host.Bind then makes them what they stand for in
// one system. Until that, all that is done with them returns ErrUnbound.

// nowhere is the system of what is not bound.
var nowhere = &System{}

// unboundOptions serve all stand-ins that are not bound.
var unboundOptions = func() *options {
	o := defaults
	o.name, o.carrier = "an unbound ref", noCarrier{}
	return &o
}()

// noCarrier marks stand-ins that are not bound. Nobody calls it.
type noCarrier struct{ standin.Carrier }

const (
	maxNodeName = 64
	// maxAddress is the most bytes that a ref or a Reply takes.
	maxAddress = 1 + 2*binary.MaxVarintLen16 + maxKind + maxID + 1
	// A virtual ref has a kind and an id of that many bytes at most.
	maxKind = 255
	maxID   = 1 << 10
)

func appendAddress(dst []byte, a standin.Address) []byte {
	dst = binary.AppendUvarint(dst, uint64(len(a.Name)))
	dst = append(dst, a.Name...)
	dst = binary.AppendUvarint(dst, a.Birth)
	return binary.AppendUvarint(dst, a.Number)
}

var errAddress = errors.New("the bytes are none that this package writes")

func readAddress(data []byte) (a standin.Address, rest []byte, err error) {
	n, size := binary.Uvarint(data)
	if size <= 0 || n == 0 || n > maxNodeName || uint64(len(data)-size) < n {
		return a, nil, errAddress
	}
	a.Name, data = string(data[size:size+int(n)]), data[size+int(n):]
	for _, to := range []*uint64{&a.Birth, &a.Number} {
		if *to, size = binary.Uvarint(data); size <= 0 || *to == 0 {
			return a, nil, errAddress
		}
		data = data[size:]
	}
	return a, data, nil
}

// AppendBinary appends the ref, for an actor of another node: the node, the number of the actor's PID, and
// the lane. The zero Ref is no bytes. It returns an error if the actor's system is no node.
func (r Ref[M]) AppendBinary(dst []byte) ([]byte, error) {
	if r.cell == nil {
		return dst, nil
	}
	return r.cell.proc.appendRef(dst, r.lane)
}

// MarshalBinary is AppendBinary for codecs that know no other.
func (r Ref[M]) MarshalBinary() ([]byte, error) { return r.AppendBinary(nil) }

func (p *proc) appendRef(dst []byte, l Lane) ([]byte, error) {
	if p.opts.virtual {
		return p.appendVirtual(dst, l)
	}
	a, err := p.address()
	if err != nil {
		return dst, err
	}
	return append(appendAddress(dst, a), byte(l)), nil
}

// UnmarshalBinary reads what AppendBinary has written. The ref is not bound to a system yet: what
// is done with it returns [ErrUnbound]. The carrier of messages between nodes binds the refs in them.
func (r *Ref[M]) UnmarshalBinary(data []byte) error {
	*r = Ref[M]{}
	if len(data) > 0 && data[0] == 0 { // No name of a node is empty.
		s, l, err := readVirtual(data)
		if err == nil {
			p := newVirtual[M]()
			p.beStandIn(nowhere, unboundVirtual)
			p.virtual().seat = s
			r.cell, r.lane = p.impl.(*cell[M]), l
		}
		return err
	}
	a, l, err := readRef(data)
	if err == nil && a.Number != 0 {
		p := newStandIn[M]()
		p.leadTo(a)
		r.cell, r.lane = p.impl.(*cell[M]), l
	}
	return err
}

// leadTo makes p, which newStandIn has returned, what an unbound ref leads to.
func (p *proc) leadTo(a standin.Address) {
	p.beStandIn(nowhere, unboundOptions)
	at := p.home()
	at.leads, at.number = a.Node, a.Number
}

// readRef returns the zero address for the zero Ref.
func readRef(data []byte) (a standin.Address, l Lane, err error) {
	if len(data) == 0 {
		return a, 0, nil
	}
	a, rest, err := readAddress(data)
	if err == nil && (len(rest) != 1 || rest[0] >= numLanes) {
		err = errAddress
	}
	if err != nil {
		return standin.Address{}, 0, fmt.Errorf("actor: read a ref of %d bytes: %w", len(data), err)
	}
	return a, Lane(rest[0]), nil
}

// appendVirtual appends a ref of a virtual actor: an empty name of a node, the kind, the id, and the lane.
func (p *proc) appendVirtual(dst []byte, l Lane) ([]byte, error) {
	kind, at := "", p.virtual()
	if at.peer != nil {
		kind = at.peer.kind
	} else if s, ok := at.seat.(unboundSeat); ok {
		kind = s.kind
	}
	id := at.seat.ID()
	if len(id) == 0 || len(id) > maxID {
		return dst, fmt.Errorf("actor: write a ref of a virtual actor with an id of %d bytes; it must have 1 to %d", len(id), maxID)
	}
	dst = binary.AppendUvarint(append(dst, 0), uint64(len(kind)))
	dst = binary.AppendUvarint(append(dst, kind...), uint64(len(id)))
	return append(append(dst, id...), byte(l)), nil
}

func readVirtual(data []byte) (s unboundSeat, l Lane, err error) {
	rest := data[1:]
	for i, most := range []uint64{maxKind, maxID} {
		n, size := binary.Uvarint(rest)
		if size <= 0 || n == 0 || n > most || uint64(len(rest)-size) < n {
			return s, 0, fmt.Errorf("actor: read a virtual ref of %d bytes: %w", len(data), errAddress)
		}
		*[]*string{&s.kind, &s.id}[i] = string(rest[size : size+int(n)])
		rest = rest[size+int(n):]
	}
	if len(rest) != 1 || rest[0] >= numLanes {
		return s, 0, fmt.Errorf("actor: read a virtual ref of %d bytes: %w", len(data), errAddress)
	}
	return s, Lane(rest[0]), nil
}

// unboundSeat returns where p leads, if it is the stand-in of a virtual ref that is not bound.
func (p *proc) unboundSeat() (s unboundSeat, ok bool) {
	if p.opts == unboundVirtual {
		s, ok = p.virtual().seat.(unboundSeat)
	}
	return s, ok
}

// bindTo implements bindable. The cell of an unbound ref becomes the cell of a stand-in, or of nobody, if there is none yet.
func (r *Ref[M]) bindTo(h *host, _ *standin.Ask) error {
	if r.cell == nil || r.cell.proc.sys != nowhere {
		return nil
	}
	if s, virtual := r.cell.proc.unboundSeat(); virtual {
		k := h.kindOf(s.kind)
		if k == nil {
			return fmt.Errorf("actor: bind a ref of the virtual actor %.40q: node %v has no kind %q", s.id, h.self, s.kind)
		}
		return r.leadTo(k, s.id)
	}
	p, err := h.bindRef(r.cell.proc.home().Address(), newStandIn[M]())
	if err == nil {
		r.cell = p.impl.(*cell[M])
	}
	return err
}

// bindRef returns the actor with an address, as this system has it: fresh, unless it is known.
func (h *host) bindRef(a standin.Address, fresh *proc) (*proc, error) {
	var p *proc
	if a.Node != h.self {
		p = h.peerOf(a.Node).intern(a.Number, fresh)
	} else if p = h.sys.lookup(PIDFromNumber(a.Number)); p == nil {
		p = fresh // It has no carrier: an actor that has stopped.
		p.beStandIn(h.sys, &defaults)
		p.pid = PIDFromNumber(a.Number)
		p.stopped.Store(true)
	}
	if want := fresh.impl.messageType(); p.impl.messageType() != want {
		return nil, fmt.Errorf("actor: bind a ref of %v: %w", a, p.takesNo(want))
	}
	return p, nil
}

// bindable is an unbound ref or Reply.
type bindable interface {
	bindTo(h *host, ask *standin.Ask) error
}

// Bind implements [standin.Host].
func (h *host) Bind(v any, ask *standin.Ask) error {
	b, ok := v.(bindable)
	if !ok {
		return fmt.Errorf("actor: bind a %T; it must be a pointer to a Ref or a Reply", v)
	}
	return b.bindTo(h, ask)
}

// AppendBinary appends the Reply, for an actor of another node, which then may answer: the node of the asker,
// and the number of the ask. The zero Reply is no bytes. It returns an error if the asker's system is no node.
func (r Reply[T]) AppendBinary(dst []byte) ([]byte, error) {
	if r.slot == nil {
		return dst, nil
	}
	a, err := r.slot.sys.abroadAddress(address{&r.slot.asking, r.round}, r.slot)
	if err != nil {
		return dst, err
	}
	return appendAddress(dst, a), nil
}

// MarshalBinary is AppendBinary for codecs that know no other.
func (r Reply[T]) MarshalBinary() ([]byte, error) { return r.AppendBinary(nil) }

// abroadAddress returns where an answer to an ask goes, for other nodes.
func (s *System) abroadAddress(asked address, by answerer) (standin.Address, error) {
	if far := asked.slot.far(); far != nil {
		return far.to, nil
	}
	h := s.node()
	switch {
	case s == nowhere:
		return standin.Address{}, fmt.Errorf("a Reply leaves the process: %w", ErrUnbound)
	case h == nil:
		return standin.Address{}, fmt.Errorf("a Reply leaves its system: %w", errNoNode)
	}
	return h.addressOfAsk(asked, by, nil), nil
}

// farSlot is a slot with the errand that an ask from elsewhere has. Each slot that is not bound is in one.
type farSlot[T any] struct {
	replySlot[T]
	carried errand
	from    standin.Address
}

// UnmarshalBinary reads what AppendBinary has written. The Reply is not bound to a system yet: an answer
// returns [ErrUnbound].
func (r *Reply[T]) UnmarshalBinary(data []byte) error {
	*r = Reply[T]{}
	if len(data) == 0 {
		return nil
	}
	a, rest, err := readAddress(data)
	if err == nil && len(rest) > 0 {
		err = errAddress
	}
	if err != nil {
		return fmt.Errorf("actor: read a Reply of %d bytes: %w", len(data), err)
	}
	s := &farSlot[T]{from: a}
	s.sys = nowhere
	s.state.Store(slotLeft) // Before the first round, which begins when it is bound.
	*r = Reply[T]{slot: &s.replySlot, round: onlyRound}
	return nil
}

// bindTo implements bindable.
func (r *Reply[T]) bindTo(h *host, ask *standin.Ask) error {
	if r.slot == nil || r.slot.sys != nowhere {
		return nil
	}
	s := (*farSlot[T])(unsafe.Pointer(r.slot))
	other, round := any(nil), uint64(onlyRound)
	if s.from.Node == h.self {
		if other, round = h.ownSlot(s.from.Number); other == nil {
			s.sys = h.sys // The ask is over, so an answer is late.
			return nil
		}
	} else if other = h.arrive(&s.asking, &s.carried, s.from, ask, &s.replySlot); other == nil {
		return nil
	}
	known, ok := other.(*replySlot[T])
	if !ok {
		return fmt.Errorf("actor: bind a Reply to %v: the ask takes other answers than %v", s.from, reflect.TypeFor[T]())
	}
	*r = Reply[T]{slot: known, round: round}
	return nil
}
