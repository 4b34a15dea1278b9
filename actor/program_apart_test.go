package actor_test

import (
	"encoding/binary"
	"errors"
	"testing"

	"pgregory.net/rapid"

	"github.com/troupe-go/troupe/actor"
	"github.com/troupe-go/troupe/internal/lane"
	"github.com/troupe-go/troupe/simtest"
	"github.com/troupe-go/troupe/wire"
	"github.com/troupe-go/troupe/wire/wiretest"
)

// The random programs, with their actors and senders in two systems, which exchange encoded messages. A ref to a stand-in keeps the promises of a
// ref, so the model is the same.

// inSystems is a ref, as each system of a program has it.
type inSystems[M any] []actor.Ref[M]

// inAll returns the ref as all systems have it.
func inAll[M any](p *program, ref actor.Ref[M]) inSystems[M] {
	if p.link == nil {
		return inSystems[M]{ref}
	}
	var all inSystems[M]
	for i := range p.systems {
		all = append(all, wiretest.Move(p.own(), p.link.Nodes(), i, ref))
	}
	return all
}

// inEach spawns an actor in the system with the number home.
func inEach[M any](p *program, home int, a actor.Actor[M]) inSystems[M] {
	ref, err := actor.Spawn(p.systems[home], a)
	if err != nil {
		p.t.Fatal(err)
	}
	return inAll(p, ref)
}

// pick draws the number of a system.
func (p *program) pick(what string) int {
	if len(p.systems) == 1 {
		return 0
	}
	return rapid.IntRange(0, len(p.systems)-1).Draw(p.draw, what)
}

// own returns what ends with the program.
func (p *program) own() wiretest.T {
	if p.sim != nil {
		return p.sim
	}
	return drawnTest{p.draw}
}

// drawnTest is a test of package rapid.
type drawnTest struct{ *rapid.T }

func (drawnTest) Helper() {}

// join makes the two systems nodes.
func (p *program) join() {
	r := &wire.Registry{}
	wire.Register[programMessage]("message", wire.In(r))
	wire.Register[question]("question", wire.In(r))
	wire.Register[forwardedAsk]("forwarded", wire.In(r))
	wire.Register[int]("int", wire.In(r))
	p.link = wiretest.Join(p.own(), r, p.systems[0], p.systems[1])
}

// arrive returns when all that was sent to another system has arrived.
func (p *program) arrive() {
	if p.link != nil {
		p.mustEnd(p.link.Flush(p.ctx))
	}
}

func TestRandomProgramsApart(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		p := newProgram(t, t, 1)
		p.run()
		p.check()
	})
}

func appendReply(dst []byte, r actor.Reply[int]) ([]byte, error) {
	data, err := r.MarshalBinary()
	return append(binary.AppendUvarint(dst, uint64(len(data))), data...), err
}

var errCut = errors.New("the message of a program is cut")

// parts reads numbers, and then pieces that have a length each.
func parts(data []byte, numbers, pieces int) (ns []int, all [][]byte, err error) {
	for range numbers {
		n, size := binary.Varint(data)
		if size <= 0 {
			return nil, nil, errCut
		}
		ns, data = append(ns, int(n)), data[size:]
	}
	for range pieces {
		n, size := binary.Uvarint(data)
		if size <= 0 || n > uint64(len(data)-size) {
			return nil, nil, errCut
		}
		all, data = append(all, data[size:size+int(n)]), data[size+int(n):]
	}
	return ns, all, nil
}

func asNumber(yes bool) int64 {
	if yes {
		return 1
	}
	return 0
}

func (l programMessage) AppendBinary(dst []byte) ([]byte, error) {
	for _, n := range []int64{int64(l.from), int64(l.n), int64(l.lane), asNumber(l.failing), asNumber(l.inner)} {
		dst = binary.AppendVarint(dst, n)
	}
	dst = append(binary.AppendUvarint(dst, uint64(len(l.pad))), l.pad...)
	return appendReply(dst, l.reply)
}

func (l *programMessage) UnmarshalBinary(data []byte) error {
	n, all, err := parts(data, 5, 2)
	if err != nil {
		return err
	}
	*l = programMessage{from: n[0], n: n[1], lane: actor.Lane(n[2]), failing: n[3] == 1, inner: n[4] == 1, pad: string(all[0])}
	return l.reply.UnmarshalBinary(all[1])
}

func (q question) AppendBinary(dst []byte) ([]byte, error) {
	return appendReply(binary.AppendVarint(dst, int64(q.n)), q.reply)
}

func (q *question) UnmarshalBinary(data []byte) error {
	n, all, err := parts(data, 1, 1)
	if err != nil {
		return err
	}
	q.n = n[0]
	return q.reply.UnmarshalBinary(all[0])
}

func (d forwardedAsk) AppendBinary(dst []byte) ([]byte, error) {
	return appendReply(binary.AppendVarint(dst, int64(d.answer)), d.reply)
}

func (d *forwardedAsk) UnmarshalBinary(data []byte) error {
	n, all, err := parts(data, 1, 1)
	if err != nil {
		return err
	}
	d.answer = n[0]
	return d.reply.UnmarshalBinary(all[0])
}

// The same programs under schedules that a seed chooses.
func TestRandomProgramsApartSimulated(t *testing.T) {
	simtest.Run(t, simtest.Config{Schedules: lane.Rounds(100, 300, 10_000)}, func(s *simtest.Sim) {
		drawn(s, func(draw *rapid.T) {
			p := newProgram(s, draw, 1)
			p.run()
			p.check()
		})
	})
}
