package session_test

import (
	"encoding/binary"
	"errors"
	"fmt"
	"math/rand/v2"
	"os"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/troupe-go/troupe/engine"
	"github.com/troupe-go/troupe/internal/lane"
	"github.com/troupe-go/troupe/internal/session"
)

// TestSchedules runs two nodes under schedules that a seed chooses. Frames are lost, doubled, delayed past others, changed, or come from
// an earlier epoch. Targets are full, links are cut, one way too, and sessions end. A message that was not handed back has arrived.
// No message arrives twice, changed, or out of order. When the network has healed, no wait lasts for ever.
//
// TROUPE_SCHEDULES says how many are tried, TROUPE_SEED which one is the first.
func TestSchedules(t *testing.T) {
	n, first := lane.Rounds(150, 300, 20000), uint64(1)
	if v := os.Getenv("TROUPE_SCHEDULES"); v != "" {
		n, _ = strconv.Atoi(v)
	}
	if v := os.Getenv("TROUPE_SEED"); v != "" {
		first, _ = strconv.ParseUint(v, 10, 64)
	}
	var all seen
	for i := range uint64(n) {
		if err := runSchedule(t, first+i, &all); err != nil {
			t.Fatalf("seed %d: %v", first+i, err)
		}
	}
	// A search that never meets a fault finds nothing.
	if n >= 100 && (all.unconfirmed == 0 || all.resent == 0 || all.duplicates == 0 || all.stale == 0 || all.full == 0 || all.ends == 0 || all.exits == 0 || all.delivered < 10*n) {
		t.Errorf("the schedules did not meet everything: %+v", all)
	}
	t.Logf("%d schedules: %+v", n, all)
}

// seen says what schedules have met.
type seen struct {
	delivered, unconfirmed, full, ends, exits int
	resent, duplicates, stale                 uint64
}

// schedule is one run.
type schedule struct {
	*pair
	rand  *rand.Rand
	wire  [2][]flight // To each node.
	past  [][]byte    // Frames of any time, to be sent again.
	cut   [2]bool     // Nothing reaches this node.
	bad   bool        // Faults are injected.
	next  uint64
	sent  map[uint64]*letter
	last  map[route]uint64 // The last letter that has come on a route.
	seen  seen
	wrong []string
}

type flight struct {
	at    time.Time
	frame []byte
}

// letter is a message of a run. Its number grows with time.
type letter struct {
	from        int
	session     *session.Session
	steady      bool // Its target always has room.
	exited      bool
	before      []uint64 // For an Exited: what its sender had sent to targets that always have room.
	delivered   bool
	unconfirmed bool
}

// route is where order must hold.
type route struct {
	from   int
	lane   session.Lane
	target uint64
}

const (
	fickle = 4 // Targets below it are full at times.
	actors = 8
)

func runSchedule(t *testing.T, seed uint64, all *seen) error {
	r := &schedule{rand: rand.New(rand.NewPCG(seed, 9)), bad: true, sent: map[uint64]*letter{}, last: map[route]uint64{}}
	credits, window := 1+r.rand.IntN(12), 200+r.rand.IntN(20<<10)
	r.pair = newPair(t, func(cfg *session.Config) { cfg.Credits, cfg.Window = credits, window })
	for _, n := range r.nodes {
		n.deliver = func(s *session.Session, m *session.Message) session.Verdict {
			if !slices.Contains(n.all, s) {
				n.all = append(n.all, s)
			}
			return r.take(n, m)
		}
	}
	r.nodes[0].open()
	for range 200 + r.rand.IntN(400) {
		r.step()
		if len(r.wrong) > 0 {
			return errors.New(r.wrong[0])
		}
	}
	if err := r.comeToRest(); err != nil {
		return err
	}
	return r.check(all)
}

func (r *schedule) fail(format string, args ...any) {
	r.wrong = append(r.wrong, fmt.Sprintf(format, args...))
}

// step does one thing.
func (r *schedule) step() {
	n := r.nodes[r.rand.IntN(2)]
	switch r.rand.IntN(24) {
	case 0, 1, 2, 3, 4, 5:
		r.send(n)
	case 6, 7, 8, 9, 10, 11:
		r.pump(n)
	case 12, 13, 14, 15, 16:
		r.carry(n)
	case 17, 18:
		r.ticks(time.Duration(r.rand.IntN(40)) * time.Millisecond)
	case 19:
		if at := r.earliest(); at.After(r.now) {
			r.ticks(at.Sub(r.now))
		}
	case 20:
		target := uint64(r.rand.IntN(fickle))
		n.full[target] = !n.full[target]
		r.readies(n, target)
	case 21:
		if r.rand.IntN(4) == 0 {
			r.cut[n.i] = !r.cut[n.i]
		}
	case 22:
		if len(r.past) > 0 { // A frame of any time comes once more.
			n.end.Receive(r.past[r.rand.IntN(len(r.past))])
		}
	case 23:
		switch r.rand.IntN(20) {
		case 0:
			r.ticks(16 * time.Second)
		case 1:
			for _, s := range n.end.Sessions() {
				s.Lost(errors.New("lost"))
			}
		}
	}
}

// send tries to send a message.
func (r *schedule) send(n *node) {
	sessions := n.end.Sessions()
	if len(sessions) == 0 {
		n.open()
		return
	}
	s := sessions[0]
	if !s.IsReady() {
		return
	}
	for range 1 + r.rand.IntN(6) {
		r.next++
		number := r.next
		l := &letter{from: n.i, session: s}
		m := session.Message{Kind: session.Tell, Lane: session.Lane(r.rand.IntN(3)), Target: uint64(r.rand.IntN(actors)), Sender: uint64(n.i)}
		if r.rand.IntN(10) == 0 {
			m.Kind, m.Lane, m.Target, l.exited = session.Exited, session.Control, actors, true
			for other, o := range r.sent {
				if o.from == n.i && o.session == s && o.steady && !o.delivered {
					l.before = append(l.before, other)
				}
			}
		}
		l.steady = m.Kind == session.Tell && m.Target >= fickle
		err := s.TrySend(m, func(dst []byte) ([]byte, error) { return appendLetter(dst, number, r.size()), nil })
		switch {
		case err == nil:
			r.sent[number] = l
		case errors.Is(err, session.ErrFull):
			r.seen.full++
		default:
			r.fail("TrySend: %v", err)
		}
	}
}

func (r *schedule) size() int {
	switch r.rand.IntN(30) {
	case 0:
		return r.rand.IntN(60 << 10)
	case 1, 2:
		return r.rand.IntN(17 << 10)
	}
	return r.rand.IntN(100)
}

// appendLetter appends a payload that tells if it was changed.
func appendLetter(dst []byte, number uint64, size int) []byte {
	dst = binary.BigEndian.AppendUint64(dst, number)
	for i := range size {
		dst = append(dst, byte(number)*31+byte(i))
	}
	return dst
}

func readLetter(data []byte) (number uint64, ok bool) {
	if len(data) < 8 {
		return 0, false
	}
	number = binary.BigEndian.Uint64(data)
	return number, slices.Equal(data, appendLetter(nil, number, len(data)-8))
}

// take is a node's Deliver.
func (r *schedule) take(n *node, m *session.Message) session.Verdict {
	if m.Target < fickle && n.full[m.Target] {
		return session.Full
	}
	number, ok := readLetter(m.Payload)
	l := r.sent[number]
	switch {
	case !ok || l == nil || l.from == n.i || uint64(l.from) != m.Sender:
		r.fail("node %d got what nobody has sent: %v %d", n.i, m.Kind, number)
		return session.Taken
	case l.delivered:
		r.fail("message %d has come twice", number)
	}
	l.delivered = true
	if l.exited {
		for _, before := range l.before {
			if !r.sent[before].delivered {
				r.fail("the end %d has come before message %d, that its sender had sent", number, before)
			}
		}
		return session.Taken
	}
	to := route{l.from, m.Lane, m.Target}
	if r.last[to] > number {
		r.fail("message %d has come after %d, lane %v, target %d", number, r.last[to], m.Lane, m.Target)
	}
	r.last[to] = number
	return session.Taken
}

// pump takes a frame from a node and puts it on the wire.
func (r *schedule) pump(n *node) {
	sessions := n.end.Sessions()
	if len(sessions) == 0 {
		return
	}
	frame, _ := sessions[0].NextFrame(engine.Class(r.rand.IntN(2)))
	if frame == nil {
		return
	}
	to := 1 - n.i
	if len(r.past) < 200 {
		r.past = append(r.past, frame)
	} else {
		r.past[r.rand.IntN(len(r.past))] = frame
	}
	if r.cut[to] {
		return
	}
	if !r.bad {
		r.wire[to] = append(r.wire[to], flight{r.now, frame})
		return
	}
	f := flight{r.now.Add(time.Duration(r.rand.IntN(20)) * time.Millisecond), frame}
	switch r.rand.IntN(16) {
	case 0: // Lost.
		return
	case 1: // Twice.
		r.wire[to] = append(r.wire[to], f)
	case 2: // Changed.
		f.frame = slices.Clone(frame)
		f.frame[r.rand.IntN(len(frame))] ^= 1 << r.rand.IntN(8)
	case 3: // Cut.
		f.frame = frame[:r.rand.IntN(len(frame))]
	case 4: // Late.
		f.at = f.at.Add(time.Duration(r.rand.IntN(20_000)) * time.Millisecond)
	}
	r.wire[to] = append(r.wire[to], f)
}

// carry delivers a frame that has arrived at a node.
func (r *schedule) carry(n *node) {
	queue := r.wire[n.i]
	for i, f := range queue {
		if !f.at.After(r.now) && (!r.bad || r.rand.IntN(4) > 0) {
			r.wire[n.i] = slices.Delete(queue, i, i+1)
			n.end.Receive(f.frame)
			return
		}
	}
}

// ticks lets time pass.
func (r *schedule) ticks(d time.Duration) {
	r.now = r.now.Add(d)
	for _, n := range r.nodes {
		for _, s := range n.end.Sessions() {
			s.Tick(r.now)
		}
	}
}

func (r *schedule) earliest() (at time.Time) {
	for _, n := range r.nodes {
		for _, s := range n.end.Sessions() {
			if d := s.Deadline(); at.IsZero() || d.Before(at) {
				at = d
			}
		}
	}
	return at
}

// readies tells all sessions of a node that a target may have room.
func (r *schedule) readies(n *node, target uint64) {
	for _, s := range n.all {
		for lane := range session.Lane(3) {
			s.Ready(target, lane)
		}
	}
}

// comeToRest heals the network and waits until nothing is under way. All messages that are not handed back must then
// have come, and new ones go through.
func (r *schedule) comeToRest() error {
	r.bad, r.cut = false, [2]bool{}
	for _, n := range r.nodes {
		clear(n.full)
		for target := range uint64(fickle) {
			r.readies(n, target)
		}
	}
	until := r.now.Add(90 * time.Second)
	fresh := map[uint64]bool{}
	for r.now.Before(until) {
		for range 20 {
			for _, n := range r.nodes {
				r.pump(n)
				r.carry(n)
			}
		}
		for _, n := range r.nodes {
			for target := range uint64(fickle) {
				r.readies(n, target)
			}
		}
		if len(r.wrong) > 0 {
			return errors.New(r.wrong[0])
		}
		if r.atRest() {
			if len(fresh) == 4*actors {
				return nil
			}
			// One message for each target in each direction, to see that no credit is missing.
			for _, n := range r.nodes {
				for target := range uint64(actors) {
					for _, lane := range []session.Lane{session.Data, session.Control} {
						if sessions := n.end.Sessions(); len(sessions) == 0 || !sessions[0].IsReady() {
							continue
						}
						r.next++
						number := r.next
						if err := n.end.Sessions()[0].TrySend(session.Message{Kind: session.Tell, Lane: lane, Target: target, Sender: uint64(n.i)},
							func(dst []byte) ([]byte, error) { return appendLetter(dst, number, 10), nil }); err != nil {
							return fmt.Errorf("at rest, node %d can't send to target %d: %w", n.i, target, err)
						}
						r.sent[number] = &letter{from: n.i}
						fresh[number] = true
					}
				}
			}
		}
		r.ticks(5 * time.Millisecond)
	}
	var why []string
	for _, n := range r.nodes {
		for _, s := range n.end.Sessions() {
			why = append(why, fmt.Sprintf("%v ready %v %+v", s.Peer(), s.IsReady(), s.Stats()))
		}
	}
	return fmt.Errorf("90 s after the network has healed, it is not at rest:\n%s", strings.Join(why, "\n"))
}

// atRest reports whether both nodes have a session, and nothing to send.
func (r *schedule) atRest() bool {
	for _, n := range r.nodes {
		sessions := n.end.Sessions()
		if len(sessions) == 0 {
			n.open()
			return false
		}
		s := sessions[0]
		st := s.Stats()
		if !s.IsReady() || st.Unacknowledged != [3]int{} || st.Targets > 0 {
			return false
		}
	}
	return true
}

// check counts what has become of each message.
func (r *schedule) check(all *seen) error {
	for _, n := range r.nodes {
		for _, g := range n.unconfirmed {
			number, ok := readLetter([]byte(g.text))
			l := r.sent[number]
			switch {
			case !ok || l == nil || l.from != n.i:
				return fmt.Errorf("node %d was handed back what it did not send: %d", n.i, number)
			case l.unconfirmed:
				return fmt.Errorf("message %d was handed back twice", number)
			case !errors.Is(g.err, session.ErrUnconfirmed):
				return fmt.Errorf("message %d was handed back with %w", number, g.err)
			}
			l.unconfirmed = true
			all.unconfirmed++
		}
		all.ends += len(n.ended)
		for _, s := range n.all {
			st := s.Stats()
			all.resent += st.Resent
			all.duplicates += st.Duplicates
			all.stale += st.Stale
		}
		for _, err := range n.ended {
			if errors.Is(err, session.ErrProtocol) {
				return fmt.Errorf("node %d blames the other side: %w", n.i, err)
			}
		}
	}
	all.full += r.seen.full
	for number, l := range r.sent {
		switch {
		case l.delivered:
			all.delivered++
			if l.exited {
				all.exits++
			}
		case !l.unconfirmed && !l.exited: // The end of a session tells more than an Exited.
			return fmt.Errorf("message %d was not handed back, and has not come", number)
		}
	}
	return nil
}
