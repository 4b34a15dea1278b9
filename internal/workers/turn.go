package workers

// Turn is held by work while it runs, and given to other work while it waits: an actor
// handles other messages meanwhile. It is given up just before the fiber of the work
// suspends, and got back just after that.
type Turn interface {
	// GiveUp is called on the fiber before it suspends. It must not wait.
	GiveUp()
	// TakeBack is called on the fiber when the wait is over. It may suspend in its
	// turn, until the work may go on.
	TakeBack()
}

// SetTurn says which turn the work on the fiber has from now on, or nil, and
// returns what it was before. It must be called from the fiber's goroutine.
func (f *Fiber) SetTurn(t Turn) (before Turn) {
	if f.rare == nil && t == nil {
		return nil
	}
	rare := f.rarely()
	before, rare.turn = rare.turn, t
	return before
}

// suspendTurn is Suspend for work that has a turn.
func (f *Fiber) suspendTurn(t Turn) {
	f.rare.turn = nil
	t.GiveUp()
	f.suspend()
	t.TakeBack()
	f.rare.turn = t
}
