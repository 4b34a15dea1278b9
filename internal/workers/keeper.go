package workers

// Keeper is something with a life of its own, such as an actor, that a context
// leads to by [KeeperKey]: work that was begun for it shall not outlive it, and
// its end waits for that work. The layers that start work, and those that have
// a life, know each other by this alone.
type Keeper interface {
	// Keep enters work that the keeper's end is to wait for, once. It returns
	// false, and does nothing, if the keeper is ending.
	Keep(k Kept) bool
	// LetGo is the end of that, and does nothing to work that is not entered. From
	// is the caller's fiber, or nil.
	LetGo(from *Fiber, k Kept)
	// KeeperID returns the number of what has the life, such as the one of an actor's PID,
	// or 0.
	KeeperID() uint64
}

// Kept is work that a [Keeper] has been given. It is compared by ==.
type Kept interface {
	// KeeperEnds asks the work to end, with a cause. It is called without a lock,
	// and must not wait. LetGo follows when the work has ended.
	KeeperEnds(cause error)
}

// KeeperKey is the type of the key under which a context returns the [Keeper] that it
// belongs to.
type KeeperKey struct{}

// LocalKey is implemented by a key of a context's value that is bound to the work which the
// context was made for. A context that is carried to other work leaves such values behind,
// as the context of an ask does on its way to the handler.
type LocalKey interface{ LocalKey() }
