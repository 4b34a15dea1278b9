package inspect

import (
	"fmt"
	"slices"
	"time"

	"github.com/troupe-go/troupe/actor"
	"github.com/troupe-go/troupe/task"
)

// Actor is a snapshot of one actor.
type Actor struct {
	PID  actor.PID `json:"pid"`
	Name string    `json:"name,omitempty"`
	// Names are those under which it is registered.
	Names []string `json:"names,omitempty"`
	// Kind is the type of the actor, or its function; see [actor.Info].
	Kind string `json:"kind"`
	// Message is the type of its messages.
	Message  string    `json:"message"`
	Parent   actor.PID `json:"parent,omitzero"`
	Children int       `json:"children"`
	State    string    `json:"state"`
	Priority string    `json:"priority"`
	// Lanes are its mailbox: control, management and data.
	Lanes []Lane `json:"lanes"`
	// Mailbox is how many messages wait in all lanes.
	Mailbox int    `json:"mailbox"`
	Stashed int    `json:"stashed,omitempty"`
	Timers  int    `json:"timers,omitempty"`
	Handled uint64 `json:"handled"`
	// Links and Monitors have 1,000 entries at most.
	Links         []actor.PID `json:"links,omitempty"`
	LinkCount     int         `json:"link_count,omitempty"`
	Monitors      []actor.PID `json:"monitors,omitempty"`
	MonitorCount  int         `json:"monitor_count,omitempty"`
	MonitoredBy   int         `json:"monitored_by,omitempty"`
	Restarts      int         `json:"restarts"`
	UptimeSeconds float64     `json:"uptime_seconds"`
	// Handler is the one that is under way, if it is known; see Config.SlowAfter.
	Handler *Handler `json:"handler,omitempty"`
	// Waits is what its handler waits for, of other actors.
	Waits []Wait `json:"waits,omitempty"`
	// Failures are its last ones, the oldest first. They are in Inspector.Actor
	// only.
	Failures []Failure `json:"failures,omitempty"`
	// Tasks has up to 1,000 tasks whose groups were opened with its context. They are in
	// Inspector.Actor and in a tree only, and TaskCount is the number of all.
	Tasks     []Task `json:"tasks,omitempty"`
	TaskCount int    `json:"task_count,omitempty"`
}

// maxTasks bounds the tasks that an actor is shown with.
const maxTasks = 1000

func (a *Actor) showTasks(all []Task) {
	a.Tasks, a.TaskCount = all[:min(len(all), maxTasks)], len(all)
}

// Lane is one of the queues of a mailbox.
type Lane struct {
	Name   string `json:"name"`
	Length int    `json:"length"`
	// Capacity is 0 for a lane that takes all; see actor.Unbounded.
	Capacity int `json:"capacity"`
	// Senders is how many wait for room.
	Senders int `json:"senders,omitempty"`
	// Dropped is how many messages were dropped for want of room.
	Dropped uint64 `json:"dropped,omitempty"`
}

// Handler is a handler that has been under way for some ms at least.
type Handler struct {
	// Handler says what runs, as in [actor.HandlerReport].
	Handler string `json:"handler"`
	// Message is the type of the message, or "" in a hook.
	Message string  `json:"message,omitempty"`
	Seconds float64 `json:"seconds"`
	// Slow says that it has taken longer than is usual; see Config.SlowAfter.
	Slow bool `json:"slow"`
	// Stack is where it is, in Inspector.Actor only.
	Stack string `json:"stack,omitempty"`
}

func handlerOf(r actor.HandlerReport) *Handler {
	return &Handler{Handler: r.Handler, Message: r.Message, Seconds: r.For.Seconds(), Slow: r.Limit > 0 && r.For >= r.Limit}
}

func actorOf(i *actor.Info) Actor {
	a := Actor{
		PID: i.PID, Name: i.Name, Names: i.Names, Kind: i.Kind, Message: i.Message, Parent: i.Parent, Children: i.Children,
		State: i.State.String(), Priority: i.Priority.String(), Lanes: make([]Lane, 0, len(lanes)), Mailbox: mailbox(i),
		Stashed: i.Stashed, Timers: i.Timers, Handled: i.Handled, Links: i.Links, LinkCount: i.LinkCount,
		Monitors: i.Monitors, MonitorCount: i.MonitorCount, MonitoredBy: i.MonitoredBy, Restarts: i.Restarts,
		UptimeSeconds: i.Uptime.Seconds(),
	}
	slices.SortFunc(a.Links, actor.PID.Compare)
	slices.SortFunc(a.Monitors, actor.PID.Compare)
	for _, w := range i.Waits {
		a.Waits = append(a.Waits, waitOf(w))
	}
	for _, l := range lanes {
		a.Lanes = append(a.Lanes, Lane{l.String(), i.Mailbox[l], i.Capacity[l], i.Senders[l], i.Dropped[l]})
	}
	return a
}

// lanes are from the most urgent on.
var lanes = [...]actor.Lane{actor.Control, actor.Management, actor.Data}

// mailbox returns how many messages wait.
func mailbox(i *actor.Info) (sum int) {
	for _, n := range i.Mailbox {
		sum += n
	}
	return sum
}

// Actor returns a snapshot of one actor, with its last failures, and the stack
// of its handler if that is slow; then the whole program is stopped for some us
// for each goroutine. It returns [actor.ErrStalePID] if the actor has stopped;
// its failures can still be had from [Inspector.Failures].
func (i *Inspector) Actor(id actor.PID) (Actor, error) {
	info, err := i.sys.Info(id)
	if err != nil {
		return Actor{}, fmt.Errorf("inspect: %w", err)
	}
	a := actorOf(&info)
	a.Failures = i.failures.of(id)
	a.showTasks(tasksOf(task.OwnedBy(i.sys.Scheduler(), id.Number())))
	for _, r := range i.sys.Handlers() {
		if r.PID == id {
			a.Handler = handlerOf(r)
			if a.Handler.Slow {
				a.Handler.Stack = r.Stack()
			}
		}
	}
	return a, nil
}

// Failures returns the last failures of an actor, the oldest first, also if it
// has stopped.
func (i *Inspector) Failures(id actor.PID) []Failure { return i.failures.of(id) }

// handlers returns the handlers that are under way, by their actors.
func (i *Inspector) handlers() map[actor.PID]*Handler {
	all := map[actor.PID]*Handler{}
	for _, r := range i.sys.Handlers() {
		if h := all[r.PID]; h == nil || r.For < time.Duration(h.Seconds*float64(time.Second)) {
			all[r.PID] = handlerOf(r) // The youngest handler counts: an older one may be of a killed incarnation.
		}
	}
	return all
}
