package inspect

import (
	"fmt"
	"net/http"
	"net/url"
	"strconv"
)

// usualNames is how many names are handed out at once, unless the request says.
const usualNames = 1000

// nameQueryOf, jobQueryOf and timerQueryOf read a query from the parameters that
// are named as in its JSON.
func nameQueryOf(v url.Values) (q NameQuery, err error) {
	q = NameQuery{Prefix: v.Get("prefix"), Search: v.Get("search"), After: v.Get("after")}
	q.Limit, err = number(v, "limit", usualNames)
	return q, err
}

func jobQueryOf(v url.Values) (q JobQuery, err error) {
	q = JobQuery{
		Type: JobType(v.Get("type")), Name: v.Get("name"), Kind: v.Get("kind"), State: v.Get("state"), Sort: JobOrder(v.Get("sort")),
		Search: v.Get("search"), Cursor: v.Get("cursor"),
	}
	q.Limit, err = number(v, "limit", 0)
	return q, err
}

func timerQueryOf(v url.Values) (q TimerQuery, err error) {
	q = TimerQuery{Name: v.Get("name"), Search: v.Get("search"), Cursor: v.Get("cursor"), System: v.Get("system") == "1"}
	if q.Limit, err = number(v, "limit", 0); err != nil {
		return q, err
	}
	if q.Owner, err = optionalPID(v, "owner"); err != nil {
		return q, err
	}
	q.To, err = optionalPID(v, "to")
	return q, err
}

func (w *web) jobs(r *http.Request) (any, error) {
	q, err := jobQueryOf(r.URL.Query())
	if err != nil {
		return nil, err
	}
	return w.i.Jobs(q)
}

func (w *web) strands(r *http.Request) (any, error) {
	q, err := jobQueryOf(r.URL.Query())
	if err != nil {
		return nil, err
	}
	q.Type = StrandJob
	return w.i.Jobs(q)
}

func (w *web) job(r *http.Request) (any, error) {
	id, err := strconv.ParseUint(r.PathValue("id"), 10, 64)
	if err != nil {
		return nil, fmt.Errorf("inspect: the id of the job is %.40q; it must be a number", r.PathValue("id"))
	}
	return w.i.Job(id)
}

func (w *web) timers(r *http.Request) (any, error) {
	q, err := timerQueryOf(r.URL.Query())
	if err != nil {
		return nil, err
	}
	return w.i.Timers(q)
}

// listOf returns how to get a list that the page shows, by its parameters.
func (w *web) listOf(v url.Values) (get func() (any, error), err error) {
	switch v.Get("view") {
	case "jobs":
		q, err := jobQueryOf(v)
		if err == nil {
			checked := q
			_, err = checked.check()
		}
		return func() (any, error) { return w.i.Jobs(q) }, err
	case "timers":
		q, err := timerQueryOf(v)
		if err == nil {
			checked := q
			_, err = checked.check()
		}
		return func() (any, error) { return w.i.Timers(q) }, err
	default:
		q, err := nameQueryOf(v)
		if err == nil {
			_, err = checkLimit("NameQuery", q.Limit)
		}
		return func() (any, error) { return w.i.NamePage(q) }, err
	}
}
