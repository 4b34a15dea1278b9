package health

import (
	"context"
	"slices"
	"strings"

	"github.com/troupe-go/troupe/actor"
)

// Report is how well an actor does, with all that are below it.
type Report struct {
	// Name is the last part of the path; empty for the system as a whole.
	Name string `json:"name,omitempty"`
	Path string `json:"path,omitempty"`
	// PID is the PID of the actor, or empty if it was not asked itself.
	PID    string            `json:"pid,omitempty"`
	Level  actor.HealthLevel `json:"level"`            // The worst of its own and of those below.
	Reason string            `json:"reason,omitempty"` // Why, with the path of the actor that says so.
	Below  []*Report         `json:"below,omitempty"`
}

// Check asks all actors of the system that know, and returns a report on the
// system as a whole. It waits as long as [actor.System.Checkup]. A system that has
// stopped, or is nil, is unhealthy.
func Check(ctx context.Context, sys *actor.System) *Report {
	root := &Report{}
	switch s := sys.Scheduler(); {
	case s == nil:
		root.Level, root.Reason = actor.Unhealthy, actor.ErrNoSystem.Error()
		return root
	case sys.Stopping():
		root.Level, root.Reason = actor.Unhealthy, "the system is stopping, or has stopped"
	}
	found := sys.Checkup(ctx)
	slices.SortStableFunc(found, func(a, b actor.Diagnosis) int { return strings.Compare(a.Path, b.Path) })
	for _, d := range found {
		root.add(d)
	}
	return root
}

// add enters a diagnosis in its place, and makes all above it as bad as it is.
func (r *Report) add(d actor.Diagnosis) {
	at := r
	at.worsen(d)
	for name := range strings.SplitSeq(strings.TrimPrefix(d.Path, "/"), "/") {
		at = at.child(name)
		at.worsen(d)
	}
	at.PID = d.PID.String()
}

func (r *Report) worsen(d actor.Diagnosis) {
	if d.Level > r.Level {
		r.Level, r.Reason = d.Level, d.Path+": "+d.Reason
	}
}

// child returns the report below r with the given name, which is made on first
// use.
func (r *Report) child(name string) *Report {
	for _, below := range r.Below {
		if below.Name == name {
			return below
		}
	}
	below := &Report{Name: name, Path: r.Path + "/" + name}
	r.Below = append(r.Below, below)
	return below
}
