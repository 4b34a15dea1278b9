package inspect

import (
	"errors"
	"fmt"
	"iter"
	"net/http"
	"net/url"
	"os"
	"runtime"
	"strconv"
	"sync"
	"time"

	"github.com/troupe-go/troupe/actor"
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
	q = Query{Name: v.Get("name"), Kind: v.Get("kind"), State: v.Get("state"), Sort: Order(v.Get("sort")), Cursor: v.Get("cursor")}
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

func factsOf(all iter.Seq2[string, string]) (list []fact) {
	if all == nil {
		return nil
	}
	for title, text := range all {
		if len(list) == maxFacts {
			break
		}
		list = append(list, fact{title[:min(len(title), maxText)], text[:min(len(text), maxText)]})
	}
	return list
}

// overviewPage is what the overview has beside the samples.
type overviewPage struct {
	Facts []fact `json:"facts"`
}

// overview returns what the program says of itself, or nil.
func (w *web) overview() any {
	if w.cfg.Overview == nil {
		return nil
	}
	return overviewPage{factsOf(w.cfg.Overview())}
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
	p := actorPage{Actor: a}
	if w.cfg.Facts != nil {
		p.Facts = factsOf(w.cfg.Facts(id))
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
