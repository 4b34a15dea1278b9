package task

import "github.com/troupe-go/troupe/internal/workers"

// kept is a group as its keeper sees it: an actor, whose end asks the tasks to
// end, and waits for them. The group is entered with the keeper while it has
// tasks. A keeper that is ending takes none; such tasks end with the context.
type kept[T any] Group[T]

// beLetGo takes the group, which has no tasks, from its keeper. The caller holds
// mu, so that it is not entered again before.
func (g *Group[T]) beLetGo(f *workers.Fiber) {
	if g.kept {
		g.kept = false
		g.owner.LetGo(f, (*kept[T])(g))
	}
}

// KeeperEnds cancels the tasks, unless there is a shield around them: that is
// waited for. A group whose surroundings have ended before is cancelled for that
// reason, also if they have not told it yet.
func (k *kept[T]) KeeperEnds(cause error) {
	g := (*Group[T])(k)
	if !g.scope.isSheltered() && g.scope.state() == nil {
		g.scope.endWith(cause)
	}
}

// isSheltered reports whether a shield keeps ends outside from the scope.
func (sc *Scope) isSheltered() bool {
	for sc != nil && !sc.shielded {
		sc = scopeOf(sc.parent)
	}
	return sc != nil
}
