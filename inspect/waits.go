package inspect

import "github.com/troupe-go/troupe/actor"

// Wait is an edge of the graph of waits: what a handler waits for.
type Wait struct {
	From     actor.PID `json:"from"`
	FromName string    `json:"from_name,omitempty"`
	To       actor.PID `json:"to"`
	ToName   string    `json:"to_name,omitempty"`
	// Kind is "ask", for an answer, "send", for room in a lane, or "start" or "stop",
	// for an actor's start or end.
	Kind string `json:"kind"`
	Lane string `json:"lane"`
	// Returned says that a handler of To has returned without a reply, see [actor.Wait].
	Returned bool `json:"returned,omitempty"`
}

func waitOf(w actor.Wait) Wait {
	return Wait{w.PID, w.Name, w.On, w.OnName, w.Kind.String(), w.Lane.String(), w.Returned}
}

// Waits returns what the handlers of actors wait for, of other actors. It looks
// at all actors, for some ns each. There is no ring among them for long: the
// handler that would close one gets an [actor.CycleError] instead, and if it fails by that
// there is an event of the kind AskCycle.
func (i *Inspector) Waits() []Wait {
	waits := i.sys.Waits()
	all := make([]Wait, 0, len(waits))
	for _, w := range waits {
		all = append(all, waitOf(w))
	}
	return all
}
