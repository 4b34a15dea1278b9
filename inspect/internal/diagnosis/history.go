package diagnosis

import (
	"errors"
	"fmt"
	"log/slog"
	"maps"
	"slices"
	"strings"
	"time"

	"github.com/troupe-go/troupe/actor"
)

// history counts what happens again and again, by its culprit, as far back as the window reaches.
type history[K comparable] map[K]*episode

// episode is what one culprit has done lately.
type episode struct {
	first   time.Time
	count   int // Since first.
	pid     actor.PID
	name    string
	kind    string
	text    string // The last one, in words.
	same    bool   // It was the same each time.
	where   string
	windows [2]struct { // Counts of the present and of the last window.
		from  time.Time
		count int
	}
}

// add takes note of one, and returns its episode.
func (h *history[K]) add(key K, now time.Time, text string) *episode {
	e := (*h)[key]
	if e == nil || now.Sub(e.windows[0].from) > 2*window {
		if *h == nil {
			*h = history[K]{}
		}
		if e == nil && len(*h) >= maxKnown {
			h.forget(now)
		}
		e = &episode{first: now, text: text, same: true}
		(*h)[key] = e
	}
	if now.Sub(e.windows[0].from) > window {
		e.windows[1] = e.windows[0]
		e.windows[0].from, e.windows[0].count = now, 0
	}
	e.count++
	e.windows[0].count++
	if e.text != text {
		e.text, e.same = text, false
	}
	return e
}

// lately returns how many there were in the last window, about, and false if the episode is over.
func (e *episode) lately(now time.Time) (int, bool) {
	gone := now.Sub(e.windows[0].from)
	if gone > window {
		return 0, false
	}
	before := float64(e.windows[1].count) * (1 - float64(gone)/float64(window))
	return e.windows[0].count + int(before), true
}

// forget makes room: it drops what is over, or else all.
func (h *history[K]) forget(now time.Time) {
	maps.DeleteFunc(*h, func(_ K, e *episode) bool { return now.Sub(e.windows[0].from) > window })
	if len(*h) >= maxKnown {
		clear(*h)
	}
}

// all returns the episodes of at least n in the last window.
func (h *history[K]) all(now time.Time, n int) (some []*episode) {
	for key, e := range *h {
		lately, ok := e.lately(now)
		switch {
		case !ok:
			delete(*h, key)
		case lately >= n:
			some = append(some, e)
		}
	}
	return some
}

// failureKey is an actor that is restarted, or a kind of actors that are not.
type failureKey struct {
	pid  actor.PID
	kind string
}

const (
	// manyFailures is how many failures of one actor in a window are a finding.
	manyFailures = 3
	// manyEnds is how many actors of a kind have to fail in a window, where none of them is restarted: a connection, say,
	// that fails is what happens.
	manyEnds = 20
	// manyLost is how many messages for one actor have to be lost in a window.
	manyLost = 10
)

// Failed takes note of a failure. The end of an actor by its own will is none.
func (d *Diagnosis) Failed(e actor.Ending, now time.Time) {
	if kind := e.Exit.Kind(); kind != actor.Failed && kind != actor.Killed {
		return
	}
	d.mu.Lock()
	defer d.mu.Unlock()
	if cycle := (*actor.CycleError)(nil); errors.As(e.Reason, &cycle) {
		d.ring(cycle, now)
		return
	}
	key := failureKey{kind: e.Kind}
	if e.Held {
		key.pid = e.PID
	}
	text, where := firstLine(e.Reason.Error()), ""
	if p := (*actor.PanicError)(nil); errors.As(e.Reason, &p) {
		where = placeOf(string(p.Stack())).where
	}
	f := d.failed.add(key, now, text)
	f.pid, f.name, f.kind, f.where = e.PID, e.Name, e.Kind, where
}

// maxText bounds what is shown of an error.
const maxText = 200

func firstLine(text string) string {
	text, _, _ = strings.Cut(text, "\n")
	if len(text) > maxText {
		text = strings.ToValidUTF8(text[:maxText], "") + "..."
	}
	return text
}

func (d *Diagnosis) failing(now time.Time) (found []Finding) {
	for _, e := range d.failed.all(now, manyFailures) {
		n, _ := e.lately(now)
		f := Finding{
			Kind: Failing, Level: slog.LevelError, PID: e.pid, Name: e.name, ActorKind: e.kind, Where: e.where, Since: e.first, Count: n,
			ID: Failing + ":" + e.pid.String(), View: "actor/" + pidText(e.pid),
		}
		who, same := subject(e.name, e.kind, e.pid)+" has failed "+number(n)+" times", "last by: "
		if d.failed[failureKey{kind: e.kind}] == e {
			if n < manyEnds {
				continue
			}
			f.ID = Failing + ":" + e.kind
			who = some(n, "actor") + " of kind " + shortKind(e.kind) + " have failed"
		}
		if e.same {
			same = "always by: "
		}
		at := ""
		if e.where != "" {
			at = "in " + e.where
		}
		f.Text = list(who+" in the last minute", same+e.text, at)
		found = append(found, f)
	}
	return found
}

// ring takes note of actors that would have waited for each other.
func (d *Diagnosis) ring(cycle *actor.CycleError, now time.Time) {
	var steps []string
	for _, w := range cycle.Waits {
		steps = append(steps, fmt.Sprintf("%s (%v)", subject(w.Name, "", w.PID), w.Kind))
	}
	if len(steps) == 0 {
		return
	}
	first := cycle.Waits[0]
	steps = append(steps, subject(first.Name, "", first.PID))
	text := strings.Join(steps, " -> ")
	e := d.rings.add(text, now, text)
	e.pid, e.name = first.PID, first.Name
}

func (d *Diagnosis) ringing(now time.Time) (found []Finding) {
	for _, e := range d.rings.all(now, 1) {
		n, _ := e.lately(now)
		found = append(found, Finding{
			ID: Ring + ":" + e.text, Kind: Ring, Level: slog.LevelError, PID: e.pid, Name: e.name, Since: e.first, Count: n,
			View: "actor/" + pidText(e.pid),
			Text: fmt.Sprintf("%s would wait for itself: %s, refused %s in the last minute", subject(e.name, "", e.pid), e.text, some(n, "time")),
		})
	}
	return found
}

// lostKey is where messages are lost, and why.
type lostKey struct {
	to     actor.PID
	reason string
}

// Lost takes note of a message that was not handled. A lane that drops messages since it was told to do so loses none.
func (d *Diagnosis) Lost(l actor.DeadLetter, reason string, now time.Time) {
	if errors.Is(l.Reason, actor.ErrOverflow) {
		return
	}
	d.mu.Lock()
	defer d.mu.Unlock()
	e := d.lost.add(lostKey{l.To, firstLine(reason)}, now, fmt.Sprintf("%T", l.Message))
	e.pid, e.name, e.kind = l.To, l.Name, l.Kind
}

func (d *Diagnosis) losing(now time.Time) (found []Finding) {
	for key, e := range d.lost {
		n, ok := e.lately(now)
		if !ok {
			delete(d.lost, key)
			continue
		}
		if n < manyLost {
			continue
		}
		found = append(found, Finding{
			ID: Lost + ":" + e.pid.String() + key.reason, Kind: Lost, Level: slog.LevelWarn, PID: e.pid, Name: e.name, ActorKind: e.kind,
			Since: e.first, Count: n, View: "letters",
			Text: list(fmt.Sprintf("%s for %s were lost in the last minute", some(n, "message"), subject(e.name, e.kind, e.pid)), "last a "+e.text, key.reason),
		})
	}
	slices.SortFunc(found, worse)
	return found[:min(len(found), maxFindings)]
}
