package inspect

import (
	"bytes"
	"encoding/json"
	"net/url"
	"slices"
	"strings"

	"github.com/troupe-go/troupe/actor"
)

const (
	// maxChildren is how many children of an actor a tree shows at a time.
	maxChildren = 200
	// maxRows is how many rows it has.
	maxRows = 2000
)

// folds says which nodes of the tree are unfolded, where that is not as usual.
type folds struct {
	open, closed map[actor.PID]bool
	// from has, by parent, the child behind which its children are shown from: they are shown in parts.
	from  map[actor.PID]actor.PID
	worst bool // The way to the worst finding is unfolded.
}

func foldsOf(v url.Values) (f folds, err error) {
	f = folds{open: map[actor.PID]bool{}, closed: map[actor.PID]bool{}, from: map[actor.PID]actor.PID{}, worst: v.Get("worst") != ""}
	for text := range strings.SplitSeq(v.Get("from"), ",") {
		if text == "" {
			continue
		}
		parent, child, _ := strings.Cut(text, ":")
		var of actor.PID
		if parent != "" { // The top is nobody's.
			if of, err = actor.ParsePID(parent); err != nil {
				return f, err
			}
		}
		if f.from[of], err = actor.ParsePID(child); err != nil {
			return f, err
		}
	}
	for name, set := range map[string]map[actor.PID]bool{"open": f.open, "closed": f.closed} {
		for text := range strings.SplitSeq(v.Get(name), ",") {
			if text == "" {
				continue
			}
			id, err := actor.ParsePID(text)
			if err != nil {
				return f, err
			}
			set[id] = true
		}
	}
	return f, nil
}

// treeRow is a line of the tree.
type treeRow struct {
	Actor
	Depth int  `json:"depth"`
	Open  bool `json:"open"`
	// More is how many of its children are not shown though it is open, about.
	More int `json:"more,omitempty"`
	// Wrong is how many findings are about it or an actor below it, shown or not.
	Wrong int `json:"wrong,omitempty"`
	// Next is the last child that is shown, if there are more behind it, and Later says that some before are not shown.
	Next  actor.PID `json:"next,omitzero"`
	Later bool      `json:"later,omitempty"`
}

// health says what is wrong in which parts of a tree.
type health struct {
	wrong map[actor.PID]int       // By actor, those above the culprits included.
	way   map[actor.PID]actor.PID // From each actor above the culprit of the worst finding to the one below it.
}

// health takes the findings to the actors above. It costs about a microsecond for each of those.
func (w *web) health() health {
	h := health{map[actor.PID]int{}, map[actor.PID]actor.PID{}}
	for _, f := range w.i.Findings() {
		first := len(h.wrong) == 0
		for id := f.PID; id != (actor.PID{}); {
			info, err := w.i.sys.Info(id)
			if err != nil {
				break // It has stopped.
			}
			if h.wrong[id]++; first {
				h.way[info.Parent] = id
			}
			id = info.Parent
		}
	}
	return h
}

// part returns the children of an actor that are shown, and whether there are more behind them and before them.
func (w *web) part(id actor.PID, f folds, h health) (infos []actor.Info, more, later bool, err error) {
	after, later := f.from[id]
	infos, err = w.i.sys.Children(id, after, maxChildren+1)
	if later && err != nil {
		later = false // That child has stopped: it begins again.
		infos, err = w.i.sys.Children(id, actor.PID{}, maxChildren+1)
	}
	if more = len(infos) > maxChildren; more {
		infos = infos[:maxChildren]
	}
	if to, ok := h.way[id]; ok && f.worst && !slices.ContainsFunc(infos, func(i actor.Info) bool { return i.PID == to }) {
		if info, err := w.i.sys.Info(to); err == nil {
			infos = slices.Insert(infos, 0, info) // It is in another part.
		}
	}
	return infos, more, later, err
}

// rows returns the tree as it is unfolded. As usual, the first two levels are,
// unless they are large.
func (w *web) rows(f folds) (rows []treeRow) {
	handlers, health := w.i.handlers(), w.health()
	rows = []treeRow{}
	var below func(id actor.PID, depth int) (next actor.PID, later bool)
	below = func(id actor.PID, depth int) (next actor.PID, later bool) {
		infos, more, later, err := w.part(id, f, health)
		if err != nil {
			return next, false // It has stopped.
		}
		if more {
			next = infos[len(infos)-1].PID
		}
		for n := range infos {
			if len(rows) == maxRows {
				return next, later
			}
			a := actorOf(&infos[n])
			a.Handler = handlers[a.PID]
			a.Links, a.Monitors = nil, nil
			a.UptimeSeconds = 0 // It would make each row another one each time.
			_, leads := health.way[a.PID]
			usual := depth < 2 && a.Children <= 20
			r := treeRow{Actor: a, Depth: depth, Open: a.Children > 0 && (f.open[a.PID] || usual && !f.closed[a.PID] || leads && f.worst), Wrong: health.wrong[a.PID]}
			if r.Open {
				r.More = max(0, a.Children-maxChildren)
			}
			rows = append(rows, r)
			if at := len(rows) - 1; r.Open {
				rows[at].Next, rows[at].Later = below(a.PID, depth+1)
			}
		}
		return next, later
	}
	next, later := below(actor.PID{}, 0)
	if next != (actor.PID{}) || later {
		rows = append(rows, treeRow{Next: next, Later: later}) // The top is nobody's.
	}
	return rows
}

// treeDelta is what has changed in the rows of a tree since the message before. The new rows are: the first Head of the old
// ones, Rows, and the last Tail of the old ones. After that, each row of Changed replaces the one with its PID.
//
// A tree of 1,000 rows was 400 KB of JSON each time. Most of its actors do nothing between two messages.
type treeDelta struct {
	// Whole says that Rows are all there are. It is true in the first message, as the page may have rows of another stream.
	Whole   bool              `json:"whole,omitempty"`
	Head    int               `json:"head"`
	Tail    int               `json:"tail"`
	Rows    []json.RawMessage `json:"rows,omitempty"`
	Changed []json.RawMessage `json:"changed,omitempty"`
}

// treeDeltas makes the messages of one stream.
type treeDeltas struct {
	last []writtenRow // As the page has them.
}

// writtenRow is a row, and its JSON.
type writtenRow struct {
	row  treeRow
	text json.RawMessage
}

func (w writtenRow) of(other writtenRow) bool { return w.row.PID == other.row.PID }

// next returns what has to be told for the page to have these rows.
func (d *treeDeltas) next(rows []treeRow) (treeDelta, error) {
	now := make([]writtenRow, 0, len(rows))
	for _, r := range rows {
		text, err := json.Marshal(r)
		if err != nil {
			return treeDelta{}, err
		}
		now = append(now, writtenRow{r, text})
	}
	old := d.last
	d.last = now
	if old == nil {
		return treeDelta{Whole: true, Rows: texts(now)}, nil
	}
	t := treeDelta{}
	common := min(len(old), len(now))
	for t.Head < common && old[t.Head].of(now[t.Head]) {
		t.Head++
	}
	for t.Tail < common-t.Head && old[len(old)-1-t.Tail].of(now[len(now)-1-t.Tail]) {
		t.Tail++
	}
	t.Rows = texts(now[t.Head : len(now)-t.Tail])
	for n := range t.Head {
		t.compare(old[n], now[n])
	}
	for n := t.Tail; n > 0; n-- {
		t.compare(old[len(old)-n], now[len(now)-n])
	}
	return t, nil
}

// compare adds a row that was there before, if it has changed.
func (t *treeDelta) compare(old, now writtenRow) {
	if !bytes.Equal(old.text, now.text) {
		t.Changed = append(t.Changed, now.text)
	}
}

func texts(rows []writtenRow) []json.RawMessage {
	all := make([]json.RawMessage, 0, len(rows))
	for _, r := range rows {
		all = append(all, r.text)
	}
	return all
}
