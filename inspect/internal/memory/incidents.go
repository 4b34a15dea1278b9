package memory

import (
	"cmp"
	"slices"
	"sync"
	"time"
)

// Incident is something that is wrong, or was.
type Incident struct {
	ID    string    `json:"id"` // The same as long as it lasts.
	Kind  string    `json:"kind"`
	Level string    `json:"level"`
	Text  string    `json:"text"` // As it was last seen.
	View  string    `json:"view"`
	First time.Time `json:"first"`
	Last  time.Time `json:"last"`
	Over  bool      `json:"over"`
}

// Incidents keeps what is wrong, and the last ones of what was. The zero value keeps nothing but what is wrong now.
type Incidents struct {
	Limit int // Of those that are over.

	mu   sync.Mutex
	now  map[string]Incident
	over []Incident // The one that has ended first is the first.
}

// Note takes note of all that is wrong at a time. First and Last of the given incidents are not looked at, except
// that a First before that time says when the incident began. One that is not among them any more is over.
func (i *Incidents) Note(at time.Time, wrong []Incident) {
	i.mu.Lock()
	defer i.mu.Unlock()
	now := make(map[string]Incident, len(wrong))
	for _, w := range wrong {
		w.Last, w.Over = at, false
		if was, known := i.now[w.ID]; known {
			w.First = was.First
		} else if w.First.IsZero() || w.First.After(at) {
			w.First = at
		}
		now[w.ID] = w
	}
	var ended []Incident
	for id, was := range i.now {
		if _, stays := now[id]; !stays {
			was.Over = true
			ended = append(ended, was)
		}
	}
	slices.SortFunc(ended, func(a, b Incident) int { return cmp.Or(a.Last.Compare(b.Last), cmp.Compare(a.ID, b.ID)) })
	i.over = append(i.over, ended...)
	i.over = slices.Delete(i.over, 0, max(0, len(i.over)-i.Limit))
	i.now = now
}

// All returns what is wrong, and then what was, the latest first.
func (i *Incidents) All() []Incident {
	i.mu.Lock()
	defer i.mu.Unlock()
	all := make([]Incident, 0, len(i.now)+len(i.over))
	for _, w := range i.now {
		all = append(all, w)
	}
	slices.SortFunc(all, func(a, b Incident) int { return cmp.Or(a.First.Compare(b.First), cmp.Compare(a.ID, b.ID)) })
	for n := range i.over {
		all = append(all, i.over[len(i.over)-1-n])
	}
	return all
}
