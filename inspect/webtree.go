package inspect

import (
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
