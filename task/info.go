package task

import (
	"fmt"
	"path/filepath"
	"runtime"
	"strings"
	"time"

	"github.com/troupe-go/troupe/internal/workers"
	"github.com/troupe-go/troupe/sched"
)

// Info is a snapshot of a task.
type Info struct {
	ID    uint64
	Name  string // What GoNamed was given, else the name of the task's function.
	Group string // The name that the option Name was given.
	// Place is the file and line of the task's function.
	Place string
	// Owner tells the actor with whose context the group was opened, directly or below, and
	// whose end ends the task: it is the number of its PID, see actor.PIDFromNumber. It is 0
	// for a task that no actor owns, such as a detached one.
	Owner uint64
	State sched.JobState
	// Queued says that the task waits in its group for a place; see Limit.
	Queued   bool
	Detached bool
	Started  time.Time // When it began, to about 10 ms; zero before.
}

// String returns the name, the id, the state and the place.
func (i Info) String() string {
	return fmt.Sprintf("%s (task %d, %v, %s)", i.Name, i.ID, i.State, i.Place)
}

// Of returns a snapshot of the task that a job is, of those that
// [sched.Scheduler.Jobs] lists. It reports false for a job that is no task. Queued
// is not known here.
func Of(b workers.Body) (info Info, ok bool) {
	t, ok := b.(interface{ about() Info })
	if !ok {
		return Info{}, false
	}
	return t.about(), true
}

// about returns a snapshot, but for Queued.
func (t *Task[T]) about() Info {
	info := t.Info()
	file, line := "?", 0
	if fn := funcOf(t.code); fn != nil {
		file, line = fn.FileLine(fn.Entry())
	}
	return Info{
		ID: info.ID, Name: t.Name(), Group: t.g.opts.name,
		Place: fmt.Sprintf("%s:%d", filepath.Base(file), line),
		Owner: t.ownerID(), State: info.State, Detached: t.standing.is(detached), Started: info.Started,
	}
}

func (t *Task[T]) ownerID() uint64 {
	if t.standing.is(detached) {
		return 0
	}
	return t.g.ownerID()
}

// ownerID returns the number of the group's keeper, or 0.
func (g *Group[T]) ownerID() uint64 {
	if g.owner == nil {
		return 0
	}
	return g.owner.KeeperID()
}

func (b *body[T]) about() Info { return (*Task[T])(b).about() }

func funcOf(code uintptr) *runtime.Func { return runtime.FuncForPC(code) }

// nameOf returns the function's name with its package, without the path to that.
func nameOf(code uintptr) string {
	f := funcOf(code)
	if f == nil {
		return "?"
	}
	name := f.Name()
	return name[strings.LastIndexByte(name, '/')+1:]
}
