package inspect

import (
	"cmp"
	"fmt"
	"strings"
	"time"

	"github.com/troupe-go/troupe/actor"
)

// Timer is a snapshot of a timer of [actor.SendAfter] or [actor.Every].
type Timer struct {
	// Owner is who set it; the zero PID stands for the system.
	Owner     actor.PID `json:"owner,omitzero"`
	OwnerName string    `json:"owner_name,omitempty"`
	// Number tells it from others of its owner; a later one has a higher number.
	Number uint64 `json:"number"`
	// To is who gets the message.
	To      actor.PID `json:"to"`
	ToName  string    `json:"to_name,omitempty"`
	Lane    string    `json:"lane"`
	Message string    `json:"message"` // The type.
	// Due is when the message is sent next, and InSeconds how far off that is: below
	// 0 when it is due, and longer while it waits for room in a full lane.
	Due       time.Time `json:"due"`
	InSeconds float64   `json:"in_seconds"`
	// EverySeconds is between two messages; 0 for a timer of a single one.
	EverySeconds float64 `json:"every_seconds,omitempty"`
	Missed       uint64  `json:"missed,omitempty"` // See [actor.Timer.Missed].
}

// TimerQuery says which timers are wanted. Empty fields match everything.
type TimerQuery struct {
	// Owner has those that this actor has set, and System those that were set by way
	// of the system itself.
	Owner  actor.PID `json:"owner,omitzero"`
	System bool      `json:"system,omitempty"`
	// To selects the timers whose message goes to this actor.
	To actor.PID `json:"to,omitzero"`
	// Name is what the name of the owner, or of the receiver, begins with.
	Name string `json:"name,omitempty"`
	// Search is a part of the name of the owner, or of the receiver. A to Z are the same as a to z.
	Search string `json:"search,omitempty"`
	// Limit is how many timers a page has. Defaults to 100; at most 10,000.
	Limit int `json:"limit,omitempty"`
	// Cursor is the Next of the page before.
	Cursor string `json:"cursor,omitempty"`
}

// TimerPage is a part of the timers that were asked for, the next due first.
type TimerPage struct {
	Timers []Timer `json:"timers"`
	// Next is the cursor of the next page, or "" after the last one.
	Next string `json:"next,omitempty"`
	// Matched is how many were found on all pages.
	Matched int `json:"matched"`
}

// Timers returns a page of the timers that are under way. It returns an error for a limit
// or a cursor that does not exist; an owner that has stopped has no timers. It looks at
// all actors and timers, or only at the owner's, for about 200 ns each, keeps two pages at
// most, and stops nothing. Timers that change between two pages may be missed, or be on
// both.
func (i *Inspector) Timers(q TimerQuery) (TimerPage, error) {
	after, err := q.check()
	if err != nil {
		return TimerPage{}, err
	}
	all := i.sys.Timers()
	if q.System || q.Owner != (actor.PID{}) {
		all = i.sys.TimersOf(q.Owner)
	}
	found := newBest(q.Limit, compareTimers)
	var one actor.TimerInfo // One for all, since it is on the heap.
	for one = range all {
		if q.matches(&one) {
			found.add(&one, after)
		}
	}
	infos, more := found.page()
	p := TimerPage{Timers: make([]Timer, 0, len(infos)), Matched: found.matched}
	now := time.Now()
	for _, t := range infos {
		p.Timers = append(p.Timers, Timer{
			t.Owner, t.OwnerName, t.Number, t.To, t.ToName, t.Lane.String(), t.Message, t.Due, t.Due.Sub(now).Seconds(), t.Every.Seconds(), t.Missed,
		})
	}
	if more {
		last := infos[len(infos)-1]
		p.Next = fmt.Sprintf("%d@%s@%d", last.Due.UnixNano(), last.Owner, last.Number)
	}
	return p, nil
}

func compareTimers(a, b *actor.TimerInfo) int {
	return cmp.Or(a.Due.Compare(b.Due), a.Owner.Compare(b.Owner), cmp.Compare(a.Number, b.Number))
}

func (q *TimerQuery) matches(t *actor.TimerInfo) bool {
	return (q.To == actor.PID{} || t.To == q.To) && (strings.HasPrefix(t.OwnerName, q.Name) || strings.HasPrefix(t.ToName, q.Name)) &&
		(holds(t.OwnerName, q.Search) || holds(t.ToName, q.Search))
}

// check fills in the defaults, and returns behind what the page begins.
func (q *TimerQuery) check() (after *actor.TimerInfo, err error) {
	if q.System && q.Owner != (actor.PID{}) {
		return nil, fmt.Errorf("inspect: TimerQuery has System and the Owner %s; a timer has one owner, so use one of the two", q.Owner)
	}
	if q.Limit, err = checkLimit("TimerQuery", q.Limit); err != nil || q.Cursor == "" {
		return nil, err
	}
	due, rest, _ := strings.Cut(q.Cursor, "@")
	owner, number, _ := strings.Cut(rest, "@")
	after = &actor.TimerInfo{}
	var at int64
	_, err1 := fmt.Sscanf(due+" "+number+"\n", "%d %d\n", &at, &after.Number)
	after.Due = time.Unix(0, at)
	if owner != (actor.PID{}).String() {
		after.Owner, err = actor.ParsePID(owner)
	}
	if err != nil || err1 != nil {
		return nil, fmt.Errorf("inspect: TimerQuery.Cursor is %.40q; it must be the Next of a page, or empty", q.Cursor)
	}
	return after, nil
}
