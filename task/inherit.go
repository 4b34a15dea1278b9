package task

import "github.com/troupe-go/troupe/internal/workers"

// While critical work waits in Join, Next or All, the tasks of the group are as urgent: those
// that there are, and those that come. Each of them counts the group as one that waits.

// awaited is a group as those see it that wait for it.
type awaited[T any] Group[T]

// Settle has the wait of a caller of Join, Next or All lift the tasks, or not. It is called by
// the scheduler.
func (a *awaited[T]) Settle(e *workers.Edge) { (*Group[T])(a).lift(e.Step) }

// lift adds to the number of urgent callers what step returns, which is called with mu held.
func (g *Group[T]) lift(step func() int) {
	g.mu.Lock()
	before := g.urgent > 0
	g.urgent += step()
	by, is := 0, g.urgent > 0
	switch {
	case is && !before:
		by = 1
	case before && !is:
		by = -1
	}
	var tasks []*Task[T]
	if by != 0 {
		for t := range g.all {
			if t.lifted != is && !t.State().Ended() {
				t.lifted = is
				tasks = append(tasks, t)
			}
		}
	}
	g.mu.Unlock()
	for _, t := range tasks {
		workers.Lift((*body[T])(t), by)
	}
}

// Held reports whether the task waits for a place. It is called by the scheduler.
func (b *body[T]) Held() bool {
	t := (*Task[T])(b)
	if t.g.opts.limit == 0 {
		return false
	}
	t.g.mu.Lock()
	defer t.g.mu.Unlock()
	return !t.placed
}
