package workers

import (
	"context"

	"github.com/troupe-go/troupe/internal/workers/jobstate"
)

// A job that waits has to be resumed when its context ends, which is the end of
// any context above its own. Those above are mostly of jobs again, which have
// submitted the one below with their own context. The context package would
// make a context with a map of children for each of them, 0.6 us and 8
// allocations for a job that waits once. So jobs tell each other: a job that
// waits for the first time is entered with the job above it, and that one with
// the next, each once in its life.

// link has the end of what is above the job's context resume the job.
func (j *Job) link() {
	if j.state.Load().Has(jobstate.MarkLinked) {
		return
	}
	parent := j.parent()
	above, isJob := parent.(*jobContext)
	if !isJob && parent.Done() == nil {
		return // It never ends.
	}
	rare := j.rarely()
	rare.mu.Lock()
	life := rare.lives()
	linked := life.linked || j.state.State().Ended() // A child may ask for it late.
	if !linked {
		life.linked = true
		if !isJob {
			life.unlink = context.AfterFunc(parent, j.cutOff)
		}
	}
	rare.mu.Unlock()
	if linked || !isJob {
		return
	}
	p := (*Job)(above)
	p.link()
	if !p.adopt(j) {
		j.cutOff()
	}
	j.state.Mark(jobstate.MarkLinked)
}

// adopt enters a job below j. It returns false if j's context has ended.
func (j *Job) adopt(child *Job) bool {
	rare := j.rarely()
	rare.mu.Lock()
	defer rare.mu.Unlock()
	if word := j.state.Load(); word.State().Ended() || word.Has(jobstate.MarkCancelled|jobstate.MarkCut) {
		return false
	}
	if child.state.State().Ended() {
		return true
	}
	life := rare.lives()
	if first := life.children; first != nil {
		first.kin().previous = child
		child.kin().next = first
	}
	life.children = child
	return true
}

// kin is the job's life. Its next and previous are read under the lock of the
// job above. It exists, since the job was linked.
func (j *Job) kin() *jobLife { return j.rare.Load().life }

// disown is the end of adopt.
func (j *Job) disown(child *Job) {
	rare := j.rarely()
	rare.mu.Lock()
	defer rare.mu.Unlock()
	life, below := rare.lives(), child.kin()
	switch {
	case below.previous != nil:
		below.previous.kin().next = below.next
	case life.children == child:
		life.children = below.next
	}
	if below.next != nil {
		below.next.kin().previous = below.previous
	}
	below.next, below.previous = nil, nil
}

// cutOff tells j, and the jobs below, that the context above has ended.
func (j *Job) cutOff() {
	j.state.Mark(jobstate.MarkCut)
	j.on().Resume(nil, High)
	j.cutChildren()
}

// cutChildren tells the jobs below that j's context has ended.
func (j *Job) cutChildren() {
	rare := j.rare.Load()
	if rare == nil {
		return
	}
	var all []*Job
	rare.mu.Lock()
	if life := rare.life; life != nil {
		for life.children != nil {
			child := life.children
			all = append(all, child)
			below := child.kin()
			life.children = below.next
			below.next, below.previous = nil, nil
		}
	}
	rare.mu.Unlock()
	for _, child := range all {
		child.cutOff()
	}
}
