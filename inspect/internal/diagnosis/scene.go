package diagnosis

import (
	"cmp"
	"fmt"
	"log/slog"
	"maps"
	"slices"
	"time"

	"github.com/troupe-go/troupe/actor"
	"github.com/troupe-go/troupe/sched"
)

// scene is the system at one look: the handlers that run, and their waits.
type scene struct {
	d        *Diagnosis
	now      time.Time
	handlers map[actor.PID]actor.HandlerReport
	orphans  []actor.HandlerReport // Handlers of actors, or of incarnations, that have ended.
	waits    map[actor.PID][]actor.Wait
	behind   map[actor.PID]int     // How many handlers wait for an actor, by way of others too.
	stuckOf  []actor.HandlerReport // Handlers that are under way for long and wait for no other actor.
	places   map[uint64]place      // Of those, and of the oldest orphan, by goroutine.
	blamed   map[actor.PID]bool
	starved  bool   // Ready work gets no worker: actors that do nothing are victims.
	holder   string // The handler that has held a worker for longest, and where it is.
	stats    sched.Stats
	figures  Figures
}

func (d *Diagnosis) scene(now time.Time) *scene {
	s := &scene{
		d: d, now: now, handlers: map[actor.PID]actor.HandlerReport{}, waits: map[actor.PID][]actor.Wait{},
		behind: map[actor.PID]int{}, blamed: map[actor.PID]bool{}, stats: d.sys.Scheduler().Stats(),
	}
	for _, w := range d.sys.Waits() {
		s.waits[w.PID] = append(s.waits[w.PID], w)
	}
	for _, r := range d.sys.Handlers() {
		s.figures.LongestHandler = max(s.figures.LongestHandler, r.For)
		// Of two handlers of one actor, the older one is of an incarnation that was killed.
		if other, two := s.handlers[r.PID]; two {
			if r.For > other.For {
				r, other = other, r
			}
			s.orphans = append(s.orphans, other)
		}
		s.handlers[r.PID] = r
	}
	for id, r := range s.handlers {
		if r.For < time.Second {
			continue
		}
		// An actor that has ended, or waits for messages, runs no handler: it is one of before a kill.
		if info, err := d.sys.Info(id); err != nil || (info.State == actor.Waiting || info.State == actor.Ready) && info.Suspended == 0 {
			delete(s.handlers, id)
			s.orphans = append(s.orphans, r)
		}
	}
	for from, waits := range s.waits {
		for _, w := range waits {
			if root, ok := s.root(w.On); ok && root != from {
				s.behind[root]++
			}
		}
	}
	spare := map[int]bool{}
	for _, w := range s.stats.Workers {
		spare[w.ID] = w.Spare
	}
	for _, h := range s.stats.Held {
		if spare[h.Worker] {
			s.figures.SparesHeld++
		}
	}
	s.locate()
	return s
}

// locate finds the handlers that are stuck, and where they are.
func (s *scene) locate() {
	for id, r := range s.handlers {
		if s.d.stuckAfter >= 0 && r.For >= s.d.stuckAfter && len(s.waits[id]) == 0 {
			s.stuckOf = append(s.stuckOf, r)
		}
	}
	s.figures.StuckHandlers = len(s.stuckOf)
	wanted := slices.Clone(s.stuckOf)
	if r, ok := s.oldestOrphan(); ok {
		wanted = append(wanted, r)
	}
	s.places = s.d.stacks.places(s.now, wanted)
}

// oldestOrphan returns the orphaned handler that has been under way for longest, if it is known.
func (s *scene) oldestOrphan() (actor.HandlerReport, bool) {
	if len(s.orphans) == 0 {
		return actor.HandlerReport{}, false
	}
	return slices.MaxFunc(s.orphans, func(a, b actor.HandlerReport) int { return cmp.Compare(a.For, b.For) }), true
}

// maxChain bounds how far waits are followed: waits are read one by one, so they may look like a ring.
const maxChain = 1000

// root follows the waits from an actor on to the one that waits for none. It returns false if there seems to be a ring.
func (s *scene) root(id actor.PID) (actor.PID, bool) {
	for range maxChain {
		waits := s.waits[id]
		if len(waits) == 0 {
			return id, true
		}
		id = waits[0].On
	}
	return id, false
}

// actorFinding begins a finding about an actor.
func (s *scene) actorFinding(kind string, name, actorKind string, id actor.PID) Finding {
	return Finding{
		ID: kind + ":" + id.String(), Kind: kind, Level: slog.LevelWarn, PID: id, Name: name, ActorKind: actorKind,
		View: "actor/" + pidText(id),
	}
}

func pidText(id actor.PID) string {
	text, err := id.MarshalText()
	if err != nil {
		return "" // It has none only if it is the zero PID.
	}
	return string(text)
}

// suffering says how many messages, senders and handlers wait for an actor, and how many that are.
func (s *scene) suffering(id actor.PID) (text string, n int) {
	info, err := s.d.sys.Info(id)
	if err != nil {
		return "", 0
	}
	messages, senders := 0, 0
	for l := range info.Mailbox {
		messages += info.Mailbox[l]
		senders += info.Senders[l]
	}
	// A sender that is a handler is among those behind it, too.
	handlers := max(0, s.behind[id]-senders)
	var parts []string
	if messages > 0 {
		parts = append(parts, some(messages, "message"))
	}
	if senders > 0 {
		parts = append(parts, some(senders, "sender"))
	}
	if handlers > 0 {
		parts = append(parts, some(handlers, "handler"))
	}
	n = messages + senders + handlers
	if n == 0 {
		return "nobody waits", 0
	}
	verb := "wait"
	if n == 1 {
		verb = "waits"
	}
	return join(parts) + " " + verb, n
}

// join makes "a, b and c".
func join(parts []string) string {
	if n := len(parts); n > 1 {
		return list(parts[:n-1]...) + " and " + parts[n-1]
	}
	return list(parts...)
}

// stuck finds handlers that have been under way for long, and wait for no other actor. Several at the same place are
// one finding.
func (s *scene) stuck() (found []Finding) {
	type group struct {
		longest actor.HandlerReport
		place   place
		all     []actor.HandlerReport
	}
	groups := map[string]*group{}
	for _, r := range s.stuckOf {
		at := s.places[r.Goroutine]
		key := r.Kind + " " + at.where
		if at.where == "" {
			key = r.Kind + " " + r.PID.String()
		}
		g := groups[key]
		if g == nil {
			g = &group{}
			groups[key] = g
		}
		if r.For > g.longest.For {
			g.longest, g.place = r, at
		}
		g.all = append(g.all, r)
		s.blamed[r.PID] = true
	}
	for _, key := range slices.Sorted(maps.Keys(groups)) {
		g := groups[key]
		r := g.longest
		f := s.actorFinding(Stuck, r.Name, r.Kind, r.PID)
		f.Where, f.Since = g.place.where, s.now.Add(-r.For)
		at := r.Doing()
		if f.Where != "" {
			at = "in " + f.Where
		}
		waiting, n := s.suffering(r.PID)
		who := subject(r.Name, r.Kind, r.PID)
		if len(g.all) > 1 {
			f.ID = Stuck + ":" + key
			for _, other := range g.all {
				if other.PID != r.PID {
					_, m := s.suffering(other.PID)
					n += m
				}
			}
			who = fmt.Sprintf("%s and %s like it", who, number(len(g.all)-1))
			if waiting = "nobody waits"; n > 0 {
				waiting = fmt.Sprintf("%s wait behind them", number(n))
			}
		}
		if f.Count = n; n > 0 {
			f.Level = slog.LevelError
		}
		if g.place.locks() && len(groups) > 1 {
			f.Level = slog.LevelWarn // Another group probably holds the lock.
		}
		if s.holder == "" && !g.place.locks() {
			s.holder = list(fmt.Sprintf("%s for %s %s", who, span(r.For), at), g.place.does())
		}
		f.Text = list(fmt.Sprintf("%s stuck for %s %s", who, span(r.For), at), g.place.does(), waiting)
		found = append(found, f)
	}
	return found
}

// waiting finds actors that others have waited for, and that do nothing about it: a reply that was forgotten, an actor that
// is suspended, or an end of a chain about which nothing else is known.
func (s *scene) waiting() (found []Finding) {
	seen := map[actor.PID]bool{}
	for _, from := range slices.SortedFunc(maps.Keys(s.waits), actor.PID.Compare) {
		for _, w := range s.waits[from] {
			age := s.now.Sub(w.Since)
			if age < time.Second || seen[w.On] || len(s.waits[w.On]) > 0 || s.blamed[w.On] {
				continue
			}
			info, err := s.d.sys.Info(w.On)
			asker := subject(w.Name, "", w.PID)
			var f Finding
			switch {
			case w.Returned:
				f = s.actorFinding(Forgotten, w.OnName, info.Kind, w.On)
				f.Text = fmt.Sprintf("%s owes %s a reply for %s: its handler has returned without one", subject(w.OnName, info.Kind, w.On), asker, span(age))
			case err == nil && info.State == actor.Suspended:
				f = s.actorFinding(Suspended, w.OnName, info.Kind, w.On)
				waiting, _ := s.suffering(w.On)
				f.Text = list(subject(w.OnName, info.Kind, w.On)+" is suspended", waiting)
			case age >= s.d.stuckAfter && s.d.stuckAfter >= 0 && s.d.mail[w.On].age(s.now) < late:
				f = s.actorFinding(Waiting, w.Name, "", w.PID)
				f.Text = fmt.Sprintf("%s has waited %s for %s (%v)", asker, span(age), subject(w.OnName, info.Kind, w.On), w.Kind)
			default:
				continue
			}
			seen[w.On] = true
			s.blamed[w.On] = true
			f.Level, f.Since, f.Count = slog.LevelError, w.Since, max(1, s.behind[w.On])
			found = append(found, f)
		}
	}
	return found
}

// orphaned finds handlers that were killed and have not returned.
func (s *scene) orphaned() []Finding {
	n := s.d.sys.Stats().Ghosts
	if n == 0 {
		return nil
	}
	f := Finding{ID: Orphaned, Kind: Orphaned, Level: slog.LevelWarn, Count: n, View: "actors"}
	f.Text = some(n, "killed handler") + " still " + verb(n, "runs", "run")
	if longest, ok := s.oldestOrphan(); ok {
		p := s.places[longest.Goroutine]
		f.PID, f.Name, f.ActorKind, f.Where = longest.PID, longest.Name, longest.Kind, p.where
		f.View, f.Since = "actor/"+pidText(longest.PID), s.now.Add(-longest.For)
		at := ""
		if f.Where != "" {
			at = " in " + f.Where
		}
		f.Text = list(f.Text, fmt.Sprintf("%s for %s%s", subject(f.Name, f.ActorKind, f.PID), span(longest.For), at), p.does())
	}
	return []Finding{f}
}

func verb(n int, one, many string) string {
	if n == 1 {
		return one
	}
	return many
}

// starving finds work that gets no worker, and says what holds the workers.
func (s *scene) starving(load Load) []Finding {
	refused := s.stats.SpareLimitReached
	limited := refused > s.d.refused
	s.d.refused = refused
	if load.Limit <= 0 || load.Waited < load.Limit {
		return nil
	}
	s.starved = true
	f := Finding{ID: Starving, Kind: Starving, Level: slog.LevelError, Since: s.now.Add(-load.Waited), Count: len(s.stats.Held), View: "workers"}
	what := "all workers are busy"
	if n := len(s.stats.Held); n > 0 {
		h := slices.MaxFunc(s.stats.Held, func(a, b sched.Held) int { return cmp.Compare(a.For, b.For) })
		doing := "which blocks"
		if h.Alive {
			doing = "which computes"
		}
		what = fmt.Sprintf("%s %s held, longest by ", some(n, "worker"), verb(n, "is", "are"))
		if s.holder != "" {
			what += s.holder
		} else {
			what += fmt.Sprintf("%s (%s), %s", h.Work, span(h.For), doing)
		}
	}
	spares := ""
	if limited || s.figures.SparesHeld > 0 && refused > 0 {
		spares = fmt.Sprintf("%s, no more may be started", some(s.figures.SparesHeld, "spare worker")+" "+verb(s.figures.SparesHeld, "is", "are")+" held")
	}
	f.Text = list(fmt.Sprintf("%v work has waited %s for a worker", load.Priority, span(load.Waited)), what, spares)
	return []Finding{f}
}
