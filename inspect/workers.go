package inspect

import (
	"time"

	"github.com/troupe-go/troupe/actor"
	"github.com/troupe-go/troupe/sched"
	"github.com/troupe-go/troupe/task"
)

// priorities is how many priorities there are.
const priorities = len(sched.Stats{}.Queued)

// Workers is a snapshot of a system's scheduler.
type Workers struct {
	Workers []Worker `json:"workers"`
	// Awake is how many are neither blocked nor retired.
	Awake int `json:"awake"`
	// Queued is how much work waits, by priority.
	Queued map[string]int `json:"queued"`
	// Jobs is how many jobs have not ended, and Overdue how many of those have
	// timed out.
	Jobs    int `json:"jobs"`
	Overdue int `json:"overdue"`
	// SpareLimitReached counts the blocked workers that could not be replaced.
	SpareLimitReached uint64 `json:"spare_limit_reached"`
	// Kinds are the kinds of jobs, by name.
	Kinds []JobKind `json:"kinds"`
	// Holders are what holds workers for longer than is usual.
	Holders []Holder `json:"holders"`
}

// Worker is a snapshot of one worker; see [sched.WorkerStats].
type Worker struct {
	ID        int            `json:"id"`
	Spare     bool           `json:"spare"`
	State     string         `json:"state"`
	CPU       int            `json:"cpu"` // -1 if it is not known.
	Queued    map[string]int `json:"queued"`
	Ran       uint64         `json:"ran"`
	Stolen    uint64         `json:"stolen"`
	Parked    uint64         `json:"parked"`
	Suspended uint64         `json:"suspended"`
	Yielded   uint64         `json:"yielded"`
	Preempted uint64         `json:"preempted"`
	Blocked   uint64         `json:"blocked"`
}

// JobKind says what the jobs of one kind did.
type JobKind struct {
	Name            string  `json:"name"` // "" for jobs without a kind.
	Jobs            uint64  `json:"jobs"`
	Failed          uint64  `json:"failed"`
	MeanCostSeconds float64 `json:"mean_cost_seconds"`
}

// Holder is a piece of work that holds a worker.
type Holder struct {
	Worker   int     `json:"worker"`
	Work     string  `json:"work"`
	Seconds  float64 `json:"seconds"`
	Replaced bool    `json:"replaced"` // A spare worker is in its place.
	Alive    bool    `json:"alive"`    // It gives signs of life.
	Stack    string  `json:"stack,omitempty"`
	// PID is the actor of the handler, if that handler is watched.
	PID actor.PID `json:"pid,omitzero"`
}

// Workers returns a snapshot of the scheduler that runs the system. It costs
// some hundred ns a worker.
func (i *Inspector) Workers() Workers {
	st := i.sys.Scheduler().Stats()
	w := Workers{
		Workers: make([]Worker, 0, len(st.Workers)), Awake: st.Awake, Queued: byPriority(st.Queued), Jobs: st.Jobs, Overdue: st.Overdue,
		SpareLimitReached: st.SpareLimitReached, Kinds: make([]JobKind, 0, len(st.Kinds)), Holders: holdersOf(i.sys, st.Held),
	}
	for _, s := range st.Workers {
		w.Workers = append(w.Workers, Worker{
			ID: s.ID, Spare: s.Spare, State: s.State.String(), CPU: s.CPU, Queued: byPriority(s.Queued), Ran: s.Jobs, Stolen: s.Stolen,
			Parked: s.Parked, Suspended: s.Suspended, Yielded: s.Yielded, Preempted: s.Preempted, Blocked: s.Blocked,
		})
	}
	for _, k := range st.Kinds {
		w.Kinds = append(w.Kinds, JobKind{k.Name, k.Jobs, k.Failed, k.MeanCost.Seconds()})
	}
	return w
}

// HeldStacks returns what holds workers, with the stacks. If anything does, it
// stops the whole program for some us for each goroutine.
func (i *Inspector) HeldStacks() []Holder { return holdersOf(i.sys, i.sys.Scheduler().HeldStacks()) }

func holdersOf(sys *actor.System, held []sched.Held) []Holder {
	all := make([]Holder, 0, len(held))
	if len(held) == 0 {
		return all
	}
	actors := map[uint64]actor.PID{} // By goroutine.
	for _, r := range sys.Handlers() {
		actors[r.Goroutine] = r.PID
	}
	delete(actors, 0) // It is not known.
	for _, h := range held {
		all = append(all, Holder{h.Worker, h.Work, h.For.Seconds(), h.Replaced, h.Alive, h.Stack, actors[h.Goroutine]})
	}
	return all
}

func byPriority(n [priorities]int) map[string]int {
	all := make(map[string]int, priorities)
	for p, n := range n {
		all[sched.Priority(p).String()] = n
	}
	return all
}

// Task is a snapshot of a task that has not ended.
type Task struct {
	ID       uint64    `json:"id"`
	Name     string    `json:"name"`
	Group    string    `json:"group,omitempty"`
	Place    string    `json:"place"`          // Of its function: file and line.
	Owner    actor.PID `json:"owner,omitzero"` // The actor whose end ends it; see [task.Info].
	State    string    `json:"state"`
	Queued   bool      `json:"queued"` // It waits in its group.
	Detached bool      `json:"detached"`
	Started  time.Time `json:"started,omitzero"`
}

// Tasks returns the tasks of the scheduler, by their ids.
func (i *Inspector) Tasks() []Task {
	return tasksOf(task.List(i.sys.Scheduler()))
}

func tasksOf(infos []task.Info) []Task {
	all := make([]Task, 0, len(infos))
	for _, t := range infos {
		all = append(all, Task{
			t.ID, t.Name, t.Group, t.Place, actor.PIDFromNumber(t.Owner), t.State.String(), t.Queued, t.Detached, t.Started,
		})
	}
	return all
}

// tasksByOwner returns the tasks of all actors, by their ids.
func (i *Inspector) tasksByOwner() map[actor.PID][]Task {
	all := map[actor.PID][]Task{}
	for _, t := range i.Tasks() {
		if t.Owner != (actor.PID{}) {
			all[t.Owner] = append(all[t.Owner], t)
		}
	}
	return all
}
