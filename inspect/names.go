package inspect

import (
	"cmp"
	"maps"
	"slices"
	"strings"

	"github.com/troupe-go/troupe/actor"
)

// Name is a registered name.
type Name struct {
	Name string    `json:"name"`
	PID  actor.PID `json:"pid"`
}

// Names returns the registered names, in order. See [Inspector.NamePage] for many.
func (i *Inspector) Names() []Name {
	names := maps.Collect(i.sys.Names())
	all := make([]Name, 0, len(names))
	for name, id := range names {
		all = append(all, Name{name, id})
	}
	slices.SortFunc(all, func(a, b Name) int { return cmp.Compare(a.Name, b.Name) })
	return all
}

// NameQuery says which names are wanted. Empty fields match everything.
type NameQuery struct {
	// Prefix is what the name begins with.
	Prefix string `json:"prefix,omitempty"`
	// Search is a part of the name. A to Z are the same as a to z.
	Search string `json:"search,omitempty"`
	// After is the name behind which the page begins: the last of the page before.
	After string `json:"after,omitempty"`
	// Limit is how many names a page has. Defaults to 100; at most 10,000.
	Limit int `json:"limit,omitempty"`
}

// NamePage is a part of the names that were asked for, in order.
type NamePage struct {
	Names []Name `json:"names"`
	// Next is the After of the next page, or "" after the last one.
	Next string `json:"next,omitempty"`
	// Matched is how many were found on all pages.
	Matched int `json:"matched"`
}

// NamePage returns a page of the registered names. It returns an error for a
// limit that does not exist. It looks at all names, for about 100 ns each, and
// keeps two pages at most.
func (i *Inspector) NamePage(q NameQuery) (NamePage, error) {
	limit, err := checkLimit("NameQuery", q.Limit)
	if err != nil {
		return NamePage{}, err
	}
	found := newBest(limit, func(a, b *Name) int { return cmp.Compare(a.Name, b.Name) })
	var after *Name
	if q.After != "" {
		after = &Name{Name: q.After}
	}
	var one Name // One for all, since it is on the heap.
	for one.Name, one.PID = range i.sys.Names() {
		if strings.HasPrefix(one.Name, q.Prefix) && holds(one.Name, q.Search) {
			found.add(&one, after)
		}
	}
	p := NamePage{Matched: found.matched}
	var more bool
	if p.Names, more = found.page(); more {
		p.Next = p.Names[len(p.Names)-1].Name
	}
	return p, nil
}
