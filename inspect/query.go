package inspect

import (
	"cmp"
	"container/heap"
	"fmt"
	"slices"
	"strings"

	"github.com/troupe-go/troupe/actor"
)

// Order says by what actors are sorted.
type Order string

// The orders. All but ByPID have the largest first, and the lower PID where two
// are alike.
const (
	ByPID      Order = "pid" // Their places in the process table. The default.
	ByMailbox  Order = "mailbox"
	ByHandled  Order = "handled"
	BySlow     Order = "slow" // For how long their handlers have been under way.
	ByRestarts Order = "restarts"
	ByUptime   Order = "uptime"
)

// Query says which actors are wanted. Empty fields match everything.
type Query struct {
	// Name is what the name, or a registered name, begins with.
	Name string `json:"name,omitempty"`
	// Search is a part of the name, of a registered name, of the kind or of the PID. A to Z are the same as a to z.
	Search string `json:"search,omitempty"`
	// Kind is the whole kind; see [actor.Info].
	Kind string `json:"kind,omitempty"`
	// State is the name of an [actor.State].
	State string `json:"state,omitempty"`
	// Parent has this actor's children only.
	Parent actor.PID `json:"parent,omitzero"`
	// Sort is the order. Defaults to ByPID.
	Sort Order `json:"sort,omitempty"`
	// Limit is how many actors a page has. Defaults to 100; at most 10,000.
	Limit int `json:"limit,omitempty"`
	// Cursor is the Next of the page before.
	Cursor string `json:"cursor,omitempty"`
}

// Page is a part of the actors that were asked for.
type Page struct {
	Actors []Actor `json:"actors"`
	// Next is the cursor of the next page, or "" after the last one.
	Next string `json:"next,omitempty"`
	// Total is how many actors the system has, whatever was asked for.
	Total int `json:"total"`
	// Matched is how many were found on all pages; -1 if they were not all looked
	// at, as in the order ByPID.
	Matched int `json:"matched"`
}

const (
	defaultLimit = 100
	maxLimit     = 10000
)

// Actors returns a page of snapshots. It returns an error for an order, a state,
// a limit or a cursor that does not exist.
//
// It costs about 300 ns for each actor that it looks at, and keeps no more than a page.
// In the order ByPID it looks at the actors of the page, and in other orders at all actors,
// for each page again. Actors that change between two pages may be missed, or be on both.
func (i *Inspector) Actors(q Query) (Page, error) {
	c, err := q.check()
	if err != nil {
		return Page{}, err
	}
	handlers := i.handlers()
	page := Page{Total: i.sys.Stats().Actors, Matched: -1}
	var found []row
	if q.Sort == ByPID {
		found = i.inPlace(q, c)
	} else {
		found, page.Matched = i.largest(q, c, handlers)
	}
	page.Actors = make([]Actor, 0, min(len(found), q.Limit))
	for n := range found {
		if n == q.Limit {
			page.Next = found[n-1].cursor()
			break
		}
		a := actorOf(&found[n].info)
		a.Handler = handlers[a.PID]
		page.Actors = append(page.Actors, a)
	}
	return page, nil
}

// check fills in the defaults, and returns where the page begins: after what.
func (q *Query) check() (after *row, err error) {
	q.Sort = cmp.Or(q.Sort, ByPID)
	if !slices.Contains([]Order{ByPID, ByMailbox, ByHandled, BySlow, ByRestarts, ByUptime}, q.Sort) {
		return nil, fmt.Errorf("inspect: Query.Sort is %.40q; use pid, mailbox, handled, slow, restarts or uptime", q.Sort)
	}
	if q.Limit < 0 || q.Limit > maxLimit {
		return nil, fmt.Errorf("inspect: Query.Limit is %d; it must be 1 to %d, or 0 for %d", q.Limit, maxLimit, defaultLimit)
	}
	q.Limit = cmp.Or(q.Limit, defaultLimit)
	if q.State != "" && !slices.Contains(states(), q.State) {
		return nil, fmt.Errorf("inspect: Query.State is %.40q; use one of %s", q.State, strings.Join(states(), ", "))
	}
	if q.Cursor == "" {
		return nil, nil
	}
	key, text, ok := strings.Cut(q.Cursor, "@")
	after = &row{}
	if _, err = fmt.Sscanf(key, "%d", &after.key); err == nil && ok {
		after.info.PID, err = actor.ParsePID(text)
	}
	if err != nil || !ok {
		return nil, fmt.Errorf("inspect: Query.Cursor is %.40q; it must be the Next of a page, or empty", q.Cursor)
	}
	return after, nil
}

func states() (names []string) {
	for s := actor.Waiting; s <= actor.Exited; s++ {
		names = append(names, s.String())
	}
	return names
}

func (q *Query) matches(i *actor.Info) bool {
	return (q.Kind == "" || i.Kind == q.Kind) &&
		(q.State == "" || i.State.String() == q.State) &&
		(q.Parent == actor.PID{} || i.Parent == q.Parent) &&
		(q.Name == "" || strings.HasPrefix(i.Name, q.Name) ||
			slices.ContainsFunc(i.Names, func(n string) bool { return strings.HasPrefix(n, q.Name) })) &&
		(q.Search == "" || holds(i.Name, q.Search) || holds(i.Kind, q.Search) ||
			slices.ContainsFunc(i.Names, func(n string) bool { return holds(n, q.Search) }) || holds(i.PID.String(), q.Search))
}

// holds reports whether a text has a part, where A to Z are the same as a to z. It makes no garbage, as it
// is called for each of very many actors.
func holds(text, part string) bool {
	for n := 0; n+len(part) <= len(text); n++ {
		same := 0
		for same < len(part) && lower(text[n+same]) == lower(part[same]) {
			same++
		}
		if same == len(part) {
			return true
		}
	}
	return false
}

func lower(b byte) byte {
	if 'A' <= b && b <= 'Z' {
		return b + 'a' - 'A'
	}
	return b
}

// row is an actor with what it is sorted by.
type row struct {
	key  int64
	info actor.Info
}

func (r *row) cursor() string {
	return fmt.Sprintf("%d@%s", r.key, r.info.PID)
}

// compare orders rows: the largest key first.
func (r *row) compare(other *row) int {
	return cmp.Or(cmp.Compare(other.key, r.key), r.info.PID.Compare(other.info.PID))
}

// key returns what the actor is sorted by.
func (q *Query) key(i *actor.Info, handlers map[actor.PID]*Handler) int64 {
	switch q.Sort {
	case ByMailbox:
		return int64(mailbox(i))
	case ByHandled:
		return int64(i.Handled)
	case ByRestarts:
		return int64(i.Restarts)
	case ByUptime:
		return int64(i.Uptime)
	case BySlow:
		if h := handlers[i.PID]; h != nil {
			return int64(h.Seconds * 1e9)
		}
	}
	return 0
}

// inPlace returns a page and the row after it, if there is one.
func (i *Inspector) inPlace(q Query, after *row) (found []row) {
	var from actor.PID
	if after != nil {
		from = after.info.PID
	}
	for info := range i.sys.Infos(from) {
		if q.matches(&info) {
			if found = append(found, row{info: info}); len(found) > q.Limit {
				break
			}
		}
	}
	return found
}

// largest returns a page and the row after it, if there is one, in order, and
// how many actors match. It keeps the best so far in a heap, the worst of them
// on top.
func (i *Inspector) largest(q Query, after *row, handlers map[actor.PID]*Handler) (best rows, matched int) {
	for info := range i.sys.Infos(actor.PID{}) {
		if !q.matches(&info) {
			continue
		}
		matched++
		r := row{q.key(&info, handlers), info}
		switch {
		case after != nil && r.compare(after) <= 0:
		case len(best) <= q.Limit:
			heap.Push(&best, r)
		case r.compare(&best[0]) < 0:
			best[0] = r
			heap.Fix(&best, 0)
		}
	}
	slices.SortFunc(best, func(a, b row) int { return a.compare(&b) })
	return best, matched
}

// rows is a heap with the last in order on top.
type rows []row

func (r rows) Len() int           { return len(r) }
func (r rows) Less(i, j int) bool { return r[i].compare(&r[j]) > 0 }
func (r rows) Swap(i, j int)      { r[i], r[j] = r[j], r[i] }
func (r *rows) Push(x any)        { *r = append(*r, x.(row)) }
func (r *rows) Pop() (x any) {
	last := len(*r) - 1
	x, *r = (*r)[last], (*r)[:last]
	return x
}
