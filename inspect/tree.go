package inspect

import (
	"fmt"
	"slices"

	"github.com/troupe-go/troupe/actor"
)

// Children returns snapshots of an actor's children, the oldest first, at most n
// of them and 1,000 at most. After is the last of the part before, or the zero
// PID. The zero PID as parent means the actors at the top: so the whole tree can
// be unfolded step by step. See [actor.System.Children] for the errors.
func (i *Inspector) Children(parent, after actor.PID, n int) ([]Actor, error) {
	infos, err := i.sys.Children(parent, after, n)
	if err != nil {
		return nil, fmt.Errorf("inspect: %w", err)
	}
	handlers := i.handlers()
	all := make([]Actor, 0, len(infos))
	for n := range infos {
		a := actorOf(&infos[n])
		a.Handler = handlers[a.PID]
		all = append(all, a)
	}
	return all, nil
}

// Node is an actor in the tree, with those below it.
type Node struct {
	Actor
	Below []Node `json:"below,omitempty"`
	// Omitted is how many of its children are not in Below, about.
	Omitted int `json:"omitted,omitempty"`
}

// maxNodes bounds a tree.
const maxNodes = 10000

// Tree returns the actors at the top and those below them, down to a depth,
// where 1 is the top alone, with at most limit actors; the ones near the top
// come first, each with its tasks. A limit of 0, or beyond 10,000, means 10,000. It takes
// about 1 us for each task of the scheduler besides.
func (i *Inspector) Tree(depth, limit int) (top []Node, omitted int) {
	if limit <= 0 || limit > maxNodes {
		limit = maxNodes
	}
	tasks := i.tasksByOwner()
	root := Node{Actor: Actor{}}
	level := []*Node{&root}
	for d := 0; d < depth && limit > 0; d++ {
		var next []*Node
		for _, n := range level {
			if limit == 0 {
				break
			}
			n.Below = i.below(n.PID, limit)
			limit -= len(n.Below)
			for j := range n.Below {
				n.Below[j].showTasks(tasks[n.Below[j].PID])
				next = append(next, &n.Below[j])
			}
		}
		level = next
	}
	root.Children = len(root.Below)
	if limit == 0 && len(root.Below) > 0 {
		rest, err := i.sys.Children(actor.PID{}, root.Below[len(root.Below)-1].PID, 1000)
		if err == nil {
			omitted = len(rest)
		}
	}
	return root.Below, omitted
}

// below returns the children of an actor. One that has stopped has none.
func (i *Inspector) below(id actor.PID, limit int) (nodes []Node) {
	var last actor.PID
	for len(nodes) < limit {
		some, err := i.Children(id, last, limit-len(nodes))
		if err != nil || len(some) == 0 {
			return nodes
		}
		for _, a := range some {
			nodes, last = append(nodes, Node{Actor: a, Omitted: a.Children}), a.PID
		}
	}
	return nodes
}

// Link is an edge of the graph of links and monitors.
type Link struct {
	From actor.PID `json:"from"`
	To   actor.PID `json:"to"`
	// Kind is "link", which is there once for both directions, or "monitor".
	Kind string `json:"kind"`
}

// Links returns the links and monitors of the actors after the given one, at
// most limit of them, and after which actor to go on; the zero PID at the end. A
// limit of 0, or beyond 10,000, means 10,000; an actor's edges are not divided.
// It looks at the actors that it passes, for about 200 ns each.
func (i *Inspector) Links(after actor.PID, limit int) (links []Link, next actor.PID) {
	if limit <= 0 || limit > maxNodes {
		limit = maxNodes
	}
	for info := range i.sys.Infos(after) {
		if len(links) >= limit {
			return links, after
		}
		after = info.PID
		slices.SortFunc(info.Links, actor.PID.Compare)
		for _, to := range info.Links {
			if info.PID.Compare(to) < 0 {
				links = append(links, Link{info.PID, to, "link"})
			}
		}
		for _, to := range info.Monitors {
			links = append(links, Link{info.PID, to, "monitor"})
		}
	}
	return links, actor.PID{}
}

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
