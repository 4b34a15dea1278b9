package session

import (
	"encoding/binary"
	"fmt"
	"slices"
	"time"
)

// outbound is what a session sends: frames of each lane, from the first that is not acknowledged to the one that is being
// filled, and the credits of targets. The session's mutex guards it.
type outbound struct {
	lanes    [lanes]outLane
	accounts map[accountKey]*account
	returns  map[accountKey]*returned // Messages taken here, which the other side does not know yet.
	order    []*returned              // The same, in the order of the first message.
	due      bool                     // Tell it now.
	spare    [][]byte                 // Bodies of frames for use again.
	idle     []*account               // Accounts for use again.
}

// outLane is one stream. Numbers of frames begin with 1.
type outLane struct {
	frames   []outFrame // The first one has number first.
	first    uint64
	acked    uint64 // The other side has all up to this one.
	must     uint64 // The last frame with a message of the program: Close waits for its acknowledgement.
	asked    uint64 // The frame that the other side has missed last.
	sent     uint64 // Handed out in this pass; a resend sets it back to acked.
	top      uint64 // The highest that was ever handed out. A frame above it may still be filled.
	messages uint64 // The number of the last message.
	used     int    // Bytes in frames.
	waiting  []*waiter

	resendAt time.Time // Zero if nothing is under way.
	backoff  time.Duration
	since    time.Time // Of the last progress while something is under way.
}

// outFrame is the body of a frame.
type outFrame struct {
	body []byte
	cut  bool // Its last message goes on in the next frame. Nothing may be added to it.
}

// accountKey is a lane of a target.
type accountKey struct {
	target uint64
	lane   Lane
}

// account is what a target has not taken yet, and its waiting senders.
type account struct {
	messages uint64
	bytes    uint64
	waiting  []*waiter
}

func (a *account) empty() bool { return a.messages == 0 && a.bytes == 0 && len(a.waiting) == 0 }

// untaken returns how many messages a target has not taken yet in all its lanes, with those that wait.
func (o *outbound) untaken(target uint64) (n int) {
	for l := range Lane(lanes) {
		if a := o.accounts[accountKey{target, l}]; a != nil {
			n += int(a.messages) + len(a.waiting)
		}
	}
	return n
}

func newOutbound() outbound {
	o := outbound{accounts: map[accountKey]*account{}, returns: map[accountKey]*returned{}}
	for i := range o.lanes {
		o.lanes[i].first = 1
	}
	return o
}

func (l *outLane) last() uint64 { return l.first + uint64(len(l.frames)) - 1 }

// account returns the account of a target and lane.
func (o *outbound) account(k accountKey) *account {
	a := o.accounts[k]
	if a == nil {
		if n := len(o.idle); n > 0 {
			a, o.idle = o.idle[n-1], o.idle[:n-1]
		} else {
			a = &account{}
		}
		o.accounts[k] = a
	}
	return a
}

// settle forgets an account that says nothing.
func (o *outbound) settle(k accountKey, a *account) {
	if a.empty() {
		delete(o.accounts, k)
		if len(o.idle) < 64 {
			o.idle = append(o.idle, a)
		}
	}
}

// put encodes a message into the frame that is being filled, or into new ones. If it fails, nothing has changed. A message
// is cut only if it does not fit into one frame; so frames end between messages, mostly, and can be released one by one.
func (o *outbound) put(m *Message, payload func([]byte) ([]byte, error), limit int) (size int, err error) {
	l := &o.lanes[m.Lane]
	n := len(l.frames)
	open := n > 0 && l.last() > l.top && !l.frames[n-1].cut && len(l.frames[n-1].body) < maxBody-fragment
	var base []byte
	if open {
		base = l.frames[n-1].body
	} else {
		base = o.body()
	}
	start := len(base)
	data := m.appendHeader(append(base, 0, 0, 0, 0))
	if payload != nil {
		head := len(data)
		data, err = payload(data)
		if err == nil && len(data) < head {
			err = fmt.Errorf("%w: the function that appends the payload has taken %d bytes away", ErrMessage, head-len(data))
		}
	}
	size = len(data) - start - fragment
	if err == nil && size > limit {
		err = fmt.Errorf("%w: %v takes %d bytes, of %d; send it in parts", ErrTooLarge, m.Kind, size, limit)
	}
	switch {
	case err != nil:
		if !open {
			o.recycle(base)
		}
		return 0, err
	case len(data) <= maxBody:
		mark(data[start:], size, true)
		if open {
			l.frames[n-1].body = data
		} else {
			l.frames = append(l.frames, outFrame{body: data})
		}
		l.used += size + fragment
	default:
		l.split(o, data[start+fragment:])
		if !open {
			o.recycle(base)
		}
	}
	l.messages++
	if m.Kind <= Pong {
		l.must = l.last()
	}
	return size, nil
}

// split puts an encoded message into new frames.
func (l *outLane) split(o *outbound, data []byte) {
	for {
		part := data[:min(len(data), maxBody-fragment)]
		data = data[len(part):]
		body := append(append(o.body(), 0, 0, 0, 0), part...)
		mark(body, len(part), len(data) == 0)
		l.frames = append(l.frames, outFrame{body: body, cut: len(data) > 0})
		l.used += len(body)
		if len(data) == 0 {
			return
		}
	}
}

// mark writes the length of a fragment before it.
func mark(at []byte, size int, last bool) {
	n := uint32(size)
	if last {
		n |= ends
	}
	binary.BigEndian.PutUint32(at, n)
}

func (o *outbound) body() []byte {
	if n := len(o.spare); n > 0 {
		b := o.spare[n-1]
		o.spare = o.spare[:n-1]
		return b
	}
	return make([]byte, 0, maxBody)
}

func (o *outbound) recycle(body []byte) {
	if len(o.spare) < 16 && cap(body) <= 2*maxFrame { // An encoder may have made it large.
		o.spare = append(o.spare, body[:0])
	}
}

// next returns the frame that is to be sent next, and its number, or nil.
func (l *outLane) next(now time.Time, resend time.Duration) (body []byte, number uint64) {
	if l.sent >= l.last() || l.sent-l.acked >= maxFlight {
		return nil, 0
	}
	l.sent++
	l.top = max(l.top, l.sent)
	if l.resendAt.IsZero() {
		l.backoff, l.since = resend, now
		l.resendAt = now.Add(resend)
	}
	return l.frames[l.sent-l.first].body, l.sent
}

// acknowledge notes that the other side has all frames up to n. It reports whether that is news.
func (o *outbound) acknowledge(lane Lane, n uint64, now time.Time, resend time.Duration) (bool, error) {
	l := &o.lanes[lane]
	switch {
	case n > l.top:
		return false, fmt.Errorf("%w: frame %d of the %v lane is acknowledged; the last that was sent is %d", ErrProtocol, n, lane, l.top)
	case n <= l.acked:
		return false, nil
	}
	l.acked = n
	l.sent = max(l.sent, n)
	l.since, l.backoff = now, resend
	if l.resendAt = now.Add(resend); l.acked == l.top {
		l.resendAt = time.Time{}
	}
	// Frames of a message that is not whole there are kept, so that it can be handed back.
	release := 0
	for i := 0; i < len(l.frames) && l.first+uint64(i) <= n; i++ {
		if !l.frames[i].cut {
			release = i + 1
		}
	}
	for i := range release {
		l.used -= len(l.frames[i].body)
		o.recycle(l.frames[i].body)
	}
	l.frames = slices.Delete(l.frames, 0, release)
	l.first += uint64(release)
	return true, nil
}

// again has the frames sent again that are not acknowledged. It returns how many.
func (l *outLane) again() uint64 {
	n := l.sent - l.acked
	l.sent = l.acked
	return n
}

// taken notes that the target has taken a message here.
func (o *outbound) taken(k accountKey, size, credits, window int) {
	c := o.returns[k]
	if c == nil {
		c = &returned{key: k}
		o.returns[k] = c
		o.order = append(o.order, c)
	}
	c.messages++
	c.bytes += uint64(size)
	if c.messages*4 >= uint64(credits) || c.bytes*4 >= uint64(window) {
		o.due = true
	}
}

// putReturns tells what was taken, as far as there is room in one frame.
func (o *outbound) putReturns(window, limit int) {
	const line = 1 + 3*binary.MaxVarintLen64
	l := &o.lanes[Control]
	for len(o.order) > 0 && l.used < window {
		n := min(len(o.order), (min(limit, maxBody)-64)/line)
		if n <= 0 {
			n = 1
		}
		_, err := o.put(&Message{Kind: credit, Lane: Control}, func(dst []byte) ([]byte, error) {
			for _, c := range o.order[:n] {
				dst = c.append(dst)
			}
			return dst, nil
		}, maxMessage)
		if err != nil {
			return // It can't be too large.
		}
		for _, c := range o.order[:n] {
			delete(o.returns, c.key)
		}
		o.order = slices.Delete(o.order, 0, n)
	}
	o.due = len(o.order) > 0 && o.due
}

// giveBack adds what the other side has taken to the credits of a target.
func (o *outbound) giveBack(c returned) (*account, error) {
	a := o.accounts[c.key]
	if a == nil || c.messages > a.messages || c.bytes > a.bytes || c.messages == 0 {
		var have account
		if a != nil {
			have = *a
		}
		return nil, fmt.Errorf("%w: credits for %d messages of %d bytes come from target %d, %v lane; it had %d of %d bytes",
			ErrProtocol, c.messages, c.bytes, c.key.target, c.key.lane, have.messages, have.bytes)
	}
	a.messages -= c.messages
	a.bytes -= c.bytes
	return a, nil
}

// unconfirmed returns each message that is in the frames of a lane, encoded.
func (l *outLane) unconfirmed() [][]byte {
	var all [][]byte
	var whole []byte
	for _, f := range l.frames {
		for rest := f.body; len(rest) > 0; {
			part, last, after, err := nextFragment(rest)
			if err != nil {
				break // This side has written it.
			}
			rest = after
			whole = append(whole, part...)
			if last {
				all, whole = append(all, whole), nil
			}
		}
	}
	return all
}
