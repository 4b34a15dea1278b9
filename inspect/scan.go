package inspect

import (
	"fmt"
	"log/slog"
	"time"

	"github.com/troupe-go/troupe/actor"
	"github.com/troupe-go/troupe/inspect/internal/diagnosis"
	"github.com/troupe-go/troupe/inspect/internal/memory"
	"github.com/troupe-go/troupe/sched"
)

// scan looks at mailboxes, some in each turn, and reports those that fill up:
// when they come above the watermark, and again when they have grown to twice
// what was reported, so that one that stays full is no news.
type scan struct {
	i        *Inspector
	after    actor.PID
	reported map[mailboxOf]int // Their lengths, when they were.
	told     map[string]int    // How many events there were of each stuck handler, by finding.
}

type mailboxOf struct {
	pid  actor.PID
	lane actor.Lane
}

const (
	// scanPart is how many actors are looked at in one turn: some 5 ms.
	scanPart = 20000
	// maxReported bounds how many mailboxes are known to be high.
	maxReported = 10000
)

func newScan(i *Inspector) *scan { return &scan{i: i, reported: map[mailboxOf]int{}} }

// look goes on with the scan, and begins again at the end. Then it has what is wrong found out.
func (s *scan) look() {
	n := 0
	now := time.Now()
	defer s.note(now)
	defer s.i.findOut(now)
	for info := range s.i.sys.Infos(s.after) {
		s.after = info.PID
		s.i.diagnose.Mailbox(&info, now)
		for _, l := range lanes {
			s.judge(&info, l)
		}
		if n++; n == scanPart {
			return
		}
	}
	s.after = actor.PID{}
	for m := range s.reported {
		if _, err := s.i.sys.Info(m.pid); err != nil {
			delete(s.reported, m)
		}
	}
}

func (s *scan) judge(i *actor.Info, l actor.Lane) {
	m := mailboxOf{i.PID, l}
	length, mark := i.Mailbox[l]+i.Senders[l], s.i.cfg.Watermark*float64(fullAt(i, l))
	before, high := s.reported[m]
	switch {
	case !high && float64(length) >= mark && len(s.reported) < maxReported, high && length >= 2*before:
		s.reported[m] = length
		s.tell(MailboxHigh, slog.LevelWarn, i, l, length, "is filling up")
	case high && float64(length) < mark/2:
		delete(s.reported, m)
		s.tell(MailboxNormal, slog.LevelInfo, i, l, length, "is as usual again")
	}
}

// unboundedFullAt is the length at which a lane without a limit counts as full.
const unboundedFullAt = 10_000

func fullAt(i *actor.Info, l actor.Lane) int {
	if i.Buffer[l] == actor.Unbounded {
		return unboundedFullAt
	}
	return i.Capacity[l]
}

func (s *scan) tell(kind EventKind, level slog.Level, i *actor.Info, l actor.Lane, length int, what string) {
	s.i.hub.tell(Event{
		Kind: kind, Level: level, PID: i.PID, Name: i.Name, ActorKind: i.Kind, Message: i.Message, Lane: l.String(), Mailbox: length,
		Text: fmt.Sprintf("the %v lane of %s%s %s: %d messages, with waiting senders, of %d", l, i.Name, i.PID, what, length, fullAt(i, l)),
	})
}

// findOut has what is wrong found out.
func (i *Inspector) findOut(now time.Time) {
	load := diagnosis.Load{Limit: i.cfg.CriticalAfter}
	for p := range i.starved.probes {
		if w := i.starved.probes[p].waited(); w > load.Waited {
			load.Priority, load.Waited = sched.Priority(p), w
		}
	}
	i.diagnose.Look(now, load)
}

// note remembers what was found out.
func (s *scan) note(now time.Time) {
	found := s.i.diagnose.Findings()
	s.repeat(found, now)
	if s.i.cfg.Remember < 0 {
		return
	}
	wrong := make([]memory.Incident, 0, len(found))
	for _, f := range found {
		wrong = append(wrong, memory.Incident{ID: f.ID, Kind: f.Kind, Level: f.Level.String(), Text: f.Text, View: f.View, First: f.Since})
	}
	s.i.wrong.Note(now, wrong)
}

// repetitions is for how long a handler has been stuck when that is told again. From the first one on it is an error.
var repetitions = []time.Duration{time.Minute, 5 * time.Minute, 15 * time.Minute, time.Hour, 6 * time.Hour, 24 * time.Hour}

// repeat tells again of handlers that are still stuck: the event that has told of them first may have been dropped since.
func (s *scan) repeat(found []diagnosis.Finding, now time.Time) {
	told := map[string]int{}
	for _, f := range found {
		if f.Kind != diagnosis.Stuck {
			continue
		}
		level := slog.LevelWarn
		n := 1 // That it is stuck is told, too.
		for _, after := range repetitions {
			if now.Sub(f.Since) >= after {
				n, level = n+1, slog.LevelError
			}
		}
		if told[f.ID] = n; n > s.told[f.ID] {
			s.i.hub.tell(Event{
				Kind: BlockedHandler, Level: level, Text: f.Text, PID: f.PID, Name: f.Name, ActorKind: f.ActorKind,
				Error: f.Where, Seconds: now.Sub(f.Since).Seconds(),
			})
		}
	}
	s.told = told
}
