package inspect

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"net/http"
	"strings"
	"time"

	"github.com/troupe-go/troupe/actor"
	"github.com/troupe-go/troupe/inspect/internal/asset"
)

// web is the live page: its files, the JSON that it is made of, and the stream
// that keeps it moving.
type web struct {
	i       *Inspector
	cfg     WebConfig
	guard   *guard
	past    *past
	sampler sampler
	recent  recent
	places  places
	// writeTime is for a client to take what it gets.
	writeTime time.Duration
	files     http.Handler
	mux       *http.ServeMux
}

// Handler returns the live page of the system: a window for the browser, with
// the files in the program itself. It can be mounted anywhere, also below a
// prefix with [http.StripPrefix]; the prefix must end with a slash in the
// browser. It returns an error for a configuration that makes no sense.
//
//	page, err := insp.Handler(inspect.WebConfig{})
//	mux.Handle("/troupe/", http.StripPrefix("/troupe", page))
//
// The same as JSON is below api/: system, actors (with the fields of [Query] as
// parameters), actors/{pid}, actors/{pid}/children, tree, links, waits, workers,
// stacks, tasks, jobs and strands (with the fields of [JobQuery]), jobs/{id},
// timers (with the fields of [TimerQuery]), names (in parts of at most limit, 1000, that begin with the
// parameter prefix and come behind the parameter after), findings, incidents (findings with those that are over), history (figures of each
// second, see Config.Remember, of after the parameter since, in ms), letters, events, groups (events by actor
// and cause), metrics, sample, and recording, if there is a [Recorder]; and api/stream is a stream of server-sent events. Each page
// has one.
//
// Unless told otherwise it serves loopback alone; see [WebConfig]. It also says
// what the page costs. While nobody looks it does no more than Config.Remember says.
func (i *Inspector) Handler(cfg WebConfig) (http.Handler, error) {
	cfg, err := cfg.withDefaults()
	if err != nil {
		return nil, err
	}
	files, err := fs.Sub(asset.Files, ".")
	if err != nil {
		return nil, err
	}
	w := &web{i: i, cfg: cfg, guard: newGuard(cfg), files: http.FileServerFS(files), mux: http.NewServeMux(), writeTime: writeTime}
	w.past = newPast(i)
	w.sampler.i, w.sampler.before = i, &w.past.sampler
	w.recent.from = i.Subscribe(Subscription{Buffer: recentEvents})
	w.route()
	return w, nil
}

func (w *web) route() {
	w.mux.HandleFunc("GET /{$}", w.index)
	w.mux.HandleFunc("GET /{file}", w.file)
	w.mux.HandleFunc("GET /api/stream", w.stream)
	w.mux.HandleFunc("GET /api/recording", w.recording)
	for name, do := range map[string]func(actor.PID) error{
		"kill": w.i.sys.Kill, "stop": w.i.sys.RequestStop, "suspend": w.i.sys.Suspend, "resume": w.i.sys.Resume,
	} {
		w.mux.HandleFunc("POST /api/actors/{pid}/"+name, w.act(name, do))
	}
	for path, get := range map[string]func(*http.Request) (any, error){
		"system":                w.system,
		"actors":                w.actors,
		"actors/{pid}":          w.actor,
		"actors/{pid}/children": w.children,
		"tree":                  w.tree,
		"links":                 w.links,
		"waits":                 func(*http.Request) (any, error) { return w.waits(), nil },
		"workers":               func(*http.Request) (any, error) { return w.i.Workers(), nil },
		"stacks":                func(*http.Request) (any, error) { return w.i.HeldStacks(), nil },
		"tasks":                 func(*http.Request) (any, error) { return w.i.Tasks(), nil },
		"jobs":                  w.jobs,
		"jobs/{id}":             w.job,
		"strands":               w.strands,
		"timers":                w.timers,
		"names":                 w.names,
		"findings":              func(*http.Request) (any, error) { return w.i.Findings(), nil },
		"history":               w.history,
		"incidents":             func(*http.Request) (any, error) { return w.i.wrong.All(), nil },
		"groups":                func(*http.Request) (any, error) { return w.groups(), nil },
		"letters":               func(*http.Request) (any, error) { return w.i.DeadLetters(), nil },
		"events":                func(*http.Request) (any, error) { return w.recent.list(), nil },
		"metrics":               func(*http.Request) (any, error) { return w.i.Metrics(), nil },
		"sample":                func(*http.Request) (any, error) { return w.sampler.take(w.cfg.Every / 2), nil },
	} {
		w.mux.HandleFunc("GET /api/"+path, w.json(get))
	}
	w.mux.HandleFunc("/api/", w.nothing)
}

var errNoPart = errors.New("there is no such part of the API; see inspect.Inspector.Handler")

// nothing answers where there is nothing, or not for this method.
func (w *web) nothing(rw http.ResponseWriter, r *http.Request) {
	for _, c := range []struct{ method, allowed string }{{http.MethodGet, "GET, HEAD"}, {http.MethodPost, "POST"}} {
		_, pattern := w.mux.Handler(&http.Request{Method: c.method, Host: r.Host, URL: r.URL})
		if strings.HasPrefix(pattern, c.method+" ") {
			rw.Header().Set("Allow", c.allowed)
			refuse(rw, http.StatusMethodNotAllowed, fmt.Errorf("inspect: this part of the API is asked by %s, not by %.20q", c.allowed, r.Method))
			return
		}
	}
	refuse(rw, http.StatusNotFound, errNoPart)
}

// ServeHTTP answers a request, if it may be.
func (w *web) ServeHTTP(rw http.ResponseWriter, r *http.Request) {
	secureHeaders(rw.Header())
	status, err := w.guard.check(r)
	switch {
	case status == http.StatusUnauthorized && r.URL.Path == "/login" && r.Method == http.MethodPost:
		w.login(rw, r)
	case status == http.StatusUnauthorized && r.Method == http.MethodGet && w.guard.isToken(r.URL.Query().Get("token")):
		w.guard.admit(rw, r)
		redirectHere(rw)
	case status == http.StatusUnauthorized && r.URL.Path == "/":
		rw.WriteHeader(status)
		w.serveFile(rw, "login.html")
	case status == http.StatusUnauthorized && (r.URL.Path == "/style.css" || r.URL.Path == "/icon.svg"):
		w.files.ServeHTTP(rw, r) // The files of the form are no secret.
	case err != nil:
		refuse(rw, status, err)
	case r.URL.Path == "/" && r.URL.Query().Has("token"):
		redirectHere(rw)
	default:
		w.mux.ServeHTTP(rw, r)
	}
}

// redirectHere is relative, as we don't know what prefix was stripped.
func redirectHere(rw http.ResponseWriter) {
	rw.Header().Set("Location", "./")
	rw.WriteHeader(http.StatusSeeOther)
}

// The form has a place for what is wrong.
const (
	noAlert    = "<!-- alert -->"
	wrongToken = `<p class="notice bad" role="alert">That is not the token.</p>`
)

// maxForm bounds what is read of a form.
const maxForm = 4096

func (w *web) login(rw http.ResponseWriter, r *http.Request) {
	r.Body = http.MaxBytesReader(rw, r.Body, maxForm)
	switch {
	case w.guard.cross.Check(r) != nil:
		refuse(rw, http.StatusForbidden, errCross)
	case !w.guard.isToken(r.PostFormValue("token")):
		text, _ := asset.Files.ReadFile("login.html")
		rw.Header().Set("Content-Type", "text/html; charset=utf-8")
		rw.WriteHeader(http.StatusUnauthorized)
		_, _ = rw.Write(bytes.Replace(text, []byte(noAlert), []byte(wrongToken), 1))
	default:
		w.guard.admit(rw, r)
		redirectHere(rw)
	}
}

func (w *web) index(rw http.ResponseWriter, _ *http.Request) { w.serveFile(rw, "index.html") }

// file serves what the page refers to; all of it is at the top.
func (w *web) file(rw http.ResponseWriter, r *http.Request) {
	if _, err := fs.Stat(asset.Files, r.PathValue("file")); err != nil {
		refuse(rw, http.StatusNotFound, errors.New("the page has no such file"))
		return
	}
	w.files.ServeHTTP(rw, r)
}

func (w *web) serveFile(rw http.ResponseWriter, name string) {
	text, err := asset.Files.ReadFile(name)
	if err != nil {
		refuse(rw, http.StatusInternalServerError, err)
		return
	}
	rw.Header().Set("Content-Type", "text/html; charset=utf-8")
	_, _ = rw.Write(text)
}

// json answers with what get returns.
func (w *web) json(get func(*http.Request) (any, error)) http.HandlerFunc {
	return func(rw http.ResponseWriter, r *http.Request) {
		v, err := get(r)
		if err != nil {
			refuse(rw, statusOf(err), err)
			return
		}
		text, err := json.Marshal(v)
		if err != nil {
			refuse(rw, http.StatusInternalServerError, err)
			return
		}
		rw.Header().Set("Content-Type", "application/json")
		_, _ = rw.Write(append(text, '\n'))
	}
}

// gone is the status for an actor or a job that has ended, and wrong is for what makes
// no sense.
func statusOf(err error) int {
	if errors.Is(err, actor.ErrStalePID) || errors.Is(err, ErrNoJob) {
		return http.StatusGone
	}
	return http.StatusBadRequest
}

func refuse(rw http.ResponseWriter, status int, err error) {
	text, _ := json.Marshal(map[string]string{"error": err.Error()})
	rw.Header().Set("Content-Type", "application/json")
	rw.WriteHeader(status)
	_, _ = rw.Write(append(text, '\n'))
}
