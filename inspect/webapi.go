package inspect

import (
	"errors"
	"fmt"
	"iter"
	"net/http"
	"net/url"
	"os"
	"runtime"
	"slices"
	"strconv"
	"sync"
	"time"

	"github.com/troupe-go/troupe/actor"
	"github.com/troupe-go/troupe/inspect/internal/memory"
)

// systemInfo is what the page has to know before all else.
type systemInfo struct {
	Troupe    bool      `json:"troupe"` // So that it can be told from other servers.
	Name      string    `json:"name"`
	Process   int       `json:"process"`
	Go        string    `json:"go"`
	CPUs      int       `json:"cpus"`
	Began     time.Time `json:"began"` // The inspector.
	Actors    int       `json:"actors"`
	Recorded  bool      `json:"recorded"` // There is a Recorder.
	Actions   bool      `json:"actions"`
	ActionKey string    `json:"action_key,omitempty"`
}

func (w *web) system(*http.Request) (any, error) {
	s := systemInfo{
		Troupe: true, Name: w.cfg.Name, Process: os.Getpid(), Go: runtime.Version(), CPUs: runtime.GOMAXPROCS(0),
		Began: w.i.began, Actors: w.i.sys.Stats().Actors, Actions: w.cfg.Actions,
		Recorded: w.i.Recorder() != nil,
	}
	if s.Actions {
		s.ActionKey = w.guard.key
	}
	return s, nil
}

func (w *web) actors(r *http.Request) (any, error) {
	q, err := queryOf(r.URL.Query())
	if err != nil {
		return nil, err
	}
	return w.i.Actors(q)
}

// queryOf reads a Query from the parameters that are named as in its JSON.
func queryOf(v url.Values) (q Query, err error) {
	q = Query{Name: v.Get("name"), Search: v.Get("search"), Kind: v.Get("kind"), State: v.Get("state"), Sort: Order(v.Get("sort")), Cursor: v.Get("cursor")}
	if q.Limit, err = number(v, "limit", 0); err != nil {
		return q, err
	}
	q.Parent, err = optionalPID(v, "parent")
	return q, err
}

func number(v url.Values, name string, usual int) (int, error) {
	if !v.Has(name) {
		return usual, nil
	}
	n, err := strconv.Atoi(v.Get(name))
	if err != nil || n < 0 {
		return 0, fmt.Errorf("inspect: the parameter %s is %.40q; it must be a number from 0 on", name, v.Get(name))
	}
	return n, nil
}

func optionalPID(v url.Values, name string) (actor.PID, error) {
	if v.Get(name) == "" {
		return actor.PID{}, nil
	}
	return actor.ParsePID(v.Get(name))
}

func pidOf(r *http.Request) (actor.PID, error) { return actor.ParsePID(r.PathValue("pid")) }

// actorPage is an actor with what is around it.
type actorPage struct {
	Actor
	Around []ringWait `json:"around,omitempty"` // The waits that it is part of.
	// OldestMessageSeconds is for how long the oldest message has waited, as of the last look, if that is a second at least.
	OldestMessageSeconds float64 `json:"oldest_message_seconds,omitempty"`
	// Findings are those about it.
	Findings []Finding `json:"findings,omitempty"`
	// Facts come from WebConfig.Facts.
	Facts []fact `json:"facts,omitempty"`
	// Gone says that it has stopped; only its failures are known then.
	Gone bool `json:"gone,omitempty"`
}

func (w *web) actor(r *http.Request) (any, error) {
	id, err := pidOf(r)
	if err != nil {
		return nil, err
	}
	return w.look(id)
}

// fact is something that the program says of an actor or of itself.
type fact struct {
	Title string `json:"title"`
	Text  string `json:"text"`
}

// maxFacts and maxText bound what is shown of each.
const (
	maxFacts = 50
	maxText  = 1000
)

func factsOf(all func() iter.Seq2[string, string]) (list []fact) {
	if all == nil {
		return nil
	}
	for title, text := range all() {
		if len(list) == maxFacts {
			break
		}
		list = append(list, fact{title[:min(len(title), maxText)], text[:min(len(text), maxText)]})
	}
	return list
}

// overviewPage is what the overview has beside the samples.
type overviewPage struct {
	Facts []fact `json:"facts"` // Of WebConfig.Overview.
	// Over are the last findings that are over, the latest first.
	Over []memory.Incident `json:"over"`
}

// maxOver is how many findings that are over the overview has.
const maxOver = 20

func (w *web) overview() any {
	all := w.i.wrong.All()
	first := slices.IndexFunc(all, func(one memory.Incident) bool { return one.Over })
	if first < 0 {
		first = len(all)
	}
	return overviewPage{factsOf(w.cfg.Overview), all[first:min(len(all), first+maxOver)]}
}

// look returns an actor, also one that has stopped, if it failed, or was killed and its handler has not returned.
func (w *web) look(id actor.PID) (actorPage, error) {
	a, err := w.i.Actor(id)
	if err != nil {
		p := actorPage{Actor: Actor{PID: id, State: actor.Exited.String(), Failures: w.i.Failures(id)}, Gone: true}
		for _, r := range w.i.sys.Handlers() {
			if r.PID == id {
				p.Name, p.Kind, p.Handler = r.Name, r.Kind, handlerOf(r)
				p.Handler.Stack = r.Stack()
			}
		}
		if len(p.Failures) > 0 || p.Handler != nil {
			return p, nil
		}
		return actorPage{}, err
	}
	p := actorPage{Actor: a, OldestMessageSeconds: w.i.diagnose.Figures().Oldest[id].Seconds()}
	for _, f := range w.i.Findings() {
		if f.PID == id {
			p.Findings = append(p.Findings, f)
		}
	}
	if w.cfg.Facts != nil {
		p.Facts = factsOf(func() iter.Seq2[string, string] { return w.cfg.Facts(id) })
	}
	for _, wait := range graphOf(w.i.Waits()).Waits {
		if wait.From == id || wait.To == id {
			p.Around = append(p.Around, wait)
		}
	}
	return p, nil
}

func (w *web) children(r *http.Request) (any, error) {
	id, err := pidOf(r)
	if err != nil {
		return nil, err
	}
	after, err := optionalPID(r.URL.Query(), "after")
	if err != nil {
		return nil, err
	}
	limit, err := number(r.URL.Query(), "limit", defaultLimit)
	if err != nil {
		return nil, err
	}
	return w.i.Children(id, after, limit)
}

// names returns a part of the registered names: of those with a prefix, those
// behind a name.
func (w *web) names(r *http.Request) (any, error) {
	q, err := nameQueryOf(r.URL.Query())
	if err != nil {
		return nil, err
	}
	p, err := w.i.NamePage(q)
	return p.Names, err
}

func (w *web) tree(r *http.Request) (any, error) {
	depth, err := number(r.URL.Query(), "depth", 3)
	if err != nil {
		return nil, err
	}
	limit, err := number(r.URL.Query(), "limit", 1000)
	if err != nil {
		return nil, err
	}
	top, omitted := w.i.Tree(depth, limit)
	return struct {
		Top     []Node `json:"top"`
		Omitted int    `json:"omitted,omitempty"`
	}{top, omitted}, nil
}

func (w *web) links(r *http.Request) (any, error) {
	after, err := optionalPID(r.URL.Query(), "after")
	if err != nil {
		return nil, err
	}
	limit, err := number(r.URL.Query(), "limit", 1000)
	if err != nil {
		return nil, err
	}
	links, next := w.i.Links(after, limit)
	return struct {
		Links []Link    `json:"links"`
		Next  actor.PID `json:"next,omitzero"`
	}{links, next}, nil
}

// history returns the figures that are remembered, of after the parameter since.
func (w *web) history(r *http.Request) (any, error) {
	since, err := sinceOf(r.URL.Query())
	return w.past.figures.Since(since), err
}

// sinceOf reads the parameter since, which is in ms, as the times of the history are.
func sinceOf(v url.Values) (since time.Time, err error) {
	ms, err := number(v, "since", 0)
	if err != nil || ms == 0 {
		return since, err
	}
	return time.UnixMilli(int64(ms)), nil
}

// groupsPage has the events by actor and cause.
type groupsPage struct {
	Groups []memory.Group[Event] `json:"groups"`
	// Left is how many groups had no room.
	Left uint64 `json:"left,omitempty"`
}

func (w *web) groups() groupsPage {
	all, left := w.i.hub.groups.All()
	return groupsPage{all, left}
}

// maxGroupsShown bounds what an open page gets again and again.
const maxGroupsShown = 300

// eventsPage is what the view of events has beside the events.
func (w *web) eventsPage() groupsPage {
	g := w.groups()
	for n := range g.Groups {
		g.Groups[n].Event.Stack = "" // It is asked for once it is looked at.
	}
	g.Groups = g.Groups[:min(len(g.Groups), maxGroupsShown)]
	return g
}

var errNoRecorder = errors.New("this program is not recorded; it has to call inspect.Inspector.Record")

// recording hands out what is recorded, as a file.
func (w *web) recording(rw http.ResponseWriter, _ *http.Request) {
	r := w.i.Recorder()
	if r == nil {
		refuse(rw, http.StatusNotFound, errNoRecorder)
		return
	}
	rw.Header().Set("Content-Type", "application/json")
	rw.Header().Set("Content-Disposition", `attachment; filename="recording.json"`)
	rec := r.Snapshot()
	rec.Name = w.cfg.Name
	_ = rec.Write(rw) // It fails if the client has gone.
}

// recentEvents is how many events are kept for a page that is opened.
const recentEvents = 256

// recent keeps the last events: those that came since they were last asked for
// wait in the subscription, so that no goroutine is needed.
type recent struct {
	from *Subscriber

	mu   sync.Mutex
	last []Event // The oldest first.
}

func (r *recent) list() []Event {
	r.mu.Lock()
	defer r.mu.Unlock()
	for range recentEvents {
		e, ok := r.from.take()
		if !ok {
			break
		}
		r.last = append(r.last, e)
	}
	r.last = append([]Event{}, r.last[max(0, len(r.last)-recentEvents):]...)
	return r.last
}
