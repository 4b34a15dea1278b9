package diagnosis

import (
	"fmt"
	"log/slog"
	"slices"
	"time"

	"github.com/troupe-go/troupe/actor"
)

const (
	// late is from which age of its oldest message on a mailbox is a backlog.
	late = time.Second
	// maxWatched bounds how many mailboxes with messages are remembered between two looks.
	maxWatched = 20_000
	// maxPoints bounds what is remembered of one. When there are as many, each second one is left out.
	maxPoints = 128
	// drainsSoon is a backlog that nobody has to look at, since it is worked off in that time.
	drainsSoon = 10 * time.Second
)

// mailbox remembers how many messages had come to an actor, at several times. The oldest message that waits is the one
// after those that were handled: it has waited since before the time at which so many had come.
type mailbox struct {
	points []point // The oldest first.
	every  int     // Of so many looks one is kept.
	looks  int
	kind   string
	info   *actor.Info // Of an actor that had messages before; others have none, since they are many.
}

// point is what was seen at one look.
type point struct {
	at      time.Time
	handled uint64
	length  int
}

func (p point) arrived() uint64 { return p.handled + uint64(p.length) }

// Mailbox takes note of an actor's mailbox.
func (d *Diagnosis) Mailbox(i *actor.Info, now time.Time) {
	length := 0 // Without what is stashed: that waits since its actor wants it to.
	for _, n := range i.Mailbox {
		length += n
	}
	m := d.mail[i.PID]
	if length == 0 {
		if m != nil {
			delete(d.mail, i.PID)
		}
		return
	}
	if m == nil {
		if len(d.mail) >= maxWatched {
			return
		}
		m = &mailbox{every: 1, kind: i.Kind}
		d.mail[i.PID] = m
	}
	m.add(point{now, i.Handled, length})
	m.info = nil
	if len(m.points) > 1 {
		info := *i
		m.info = &info
	}
}

func (m *mailbox) add(p point) {
	if n := len(m.points); n > 0 {
		last := m.points[n-1]
		if p.handled < last.handled || p.handled >= last.arrived() { // It began again, or all that waited then was handled.
			m.points, m.every = m.points[:0], 1
		}
	}
	for len(m.points) > 1 && m.points[1].arrived() <= p.handled {
		m.points = slices.Delete(m.points, 0, 1) // Its messages were all handled by now, as were the next one's.
	}
	m.looks++
	if n := len(m.points); n > 1 && m.looks%m.every != 0 {
		m.points[n-1] = p
		return
	}
	if len(m.points) == maxPoints {
		for n := 0; n < maxPoints/2; n++ {
			m.points[n] = m.points[2*n]
		}
		m.points, m.every = m.points[:maxPoints/2], 2*m.every
	}
	m.points = append(m.points, p)
}

// age returns for how long the oldest message has waited at least: the time between two looks less than it has, or more if
// points were left out.
func (m *mailbox) age(now time.Time) time.Duration {
	if m == nil || len(m.points) == 0 {
		return 0
	}
	handled := m.points[len(m.points)-1].handled
	for _, p := range m.points {
		if p.arrived() > handled {
			return now.Sub(p.at)
		}
	}
	return 0
}

// rates returns how many messages a second were handled lately, and by how many the mailbox grows.
func (m *mailbox) rates() (handled, growth float64) {
	n := len(m.points)
	if n < 2 {
		return 0, 0
	}
	last, first := m.points[n-1], m.points[max(0, n-10)]
	seconds := last.at.Sub(first.at).Seconds()
	if seconds <= 0 {
		return 0, 0
	}
	return float64(last.handled-first.handled) / seconds, float64(last.length-first.length) / seconds
}

// refresh looks at the mailboxes again that were late when they were looked at before, and forgets actors that have stopped.
func (s *scene) refresh(id actor.PID, m *mailbox) bool {
	if m.points[len(m.points)-1].at.Equal(s.now) {
		return true
	}
	if m.age(s.now) < late {
		return s.now.Sub(m.points[len(m.points)-1].at) < window
	}
	info, err := s.d.sys.Info(id)
	if err != nil {
		return false
	}
	s.d.Mailbox(&info, s.now)
	return s.d.mail[id] == m
}

// backlogs finds actors whose messages wait for long, though their handlers are neither stuck nor wait for others.
func (s *scene) backlogs() (found []Finding) {
	s.figures.OldestMessage, s.figures.Oldest = map[string]time.Duration{}, map[actor.PID]time.Duration{}
	for id, m := range s.d.mail {
		if !s.refresh(id, m) {
			delete(s.d.mail, id)
			continue
		}
		age := m.age(s.now)
		if age > 0 {
			s.figures.OldestMessage[m.kind] = max(s.figures.OldestMessage[m.kind], age)
		}
		if age >= late && len(s.figures.Oldest) < maxKnown {
			s.figures.Oldest[id] = age
		}
		if age < late || m.info == nil || s.blamed[id] || len(s.waits[id]) > 0 || s.starved && s.handlers[id].For == 0 {
			continue
		}
		if f, ok := s.backlog(id, m, age); ok {
			found = append(found, f)
		}
	}
	slices.SortFunc(found, worse)
	return found[:min(len(found), maxFindings)]
}

func (s *scene) backlog(id actor.PID, m *mailbox, age time.Duration) (Finding, bool) {
	handled, growth := m.rates()
	length := m.points[len(m.points)-1].length
	senders, full := 0, false
	for l := range m.info.Mailbox {
		senders += m.info.Senders[l]
		full = full || m.info.Buffer[l] != actor.Unbounded && m.info.Mailbox[l] > 0 && m.info.Mailbox[l] >= m.info.Capacity[l]
	}
	drains := ""
	switch drain := time.Duration(float64(length) / max(-growth, 1e-9) * float64(time.Second)); {
	case m.info.State == actor.Suspended:
		drains = "it is suspended"
	case len(m.points) < 3:
		return Finding{}, false // Too little is known.
	case handled == 0 && s.handlers[id].For >= late:
		return Finding{}, false // Its handler may be stuck, which is not known yet.
	case handled == 0:
		drains = "none is handled"
	case full || senders > 0:
		drains = fmt.Sprintf("it handles %s/s", number(int(handled+.5)))
	case growth >= -handled/100:
		drains = fmt.Sprintf("it handles %s/s, drained never at this rate", number(int(handled+.5)))
	case drain < drainsSoon:
		return Finding{}, false
	default:
		drains = fmt.Sprintf("drained in %s at this rate", span(drain))
	}
	f := s.actorFinding(Backlog, m.info.Name, m.info.Kind, id)
	f.Count, f.Since = length, s.now.Add(-age)
	if senders > 0 {
		f.Level = slog.LevelError
	}
	grows, waiting := "", ""
	switch {
	case growth >= 1:
		grows = fmt.Sprintf("+%s/s", number(int(growth)))
	case full:
		grows = "full"
	}
	if senders > 0 {
		waiting = fmt.Sprintf("%s %s for room", some(senders, "sender"), verb(senders, "waits", "wait"))
	}
	f.Text = list(fmt.Sprintf("%s has %s waiting", subject(m.info.Name, m.info.Kind, id), some(length, "message")), grows,
		"oldest "+span(age), waiting, drains)
	return f, true
}
