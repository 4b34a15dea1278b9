package sim

import "time"

// Horizon is how far ahead the stepper waits for something to happen. Nobody
// sets a timer for later.
const Horizon = 50 * 365 * 24 * time.Hour

// rest is called when nothing is queued. It returns false when that is final.
func (e *Engine) rest() bool {
	if e.settleHosts() || e.release() {
		return true
	}
	wait, ok := e.deadline()
	timer := time.NewTimer(wait)
	defer timer.Stop()
	select {
	case <-e.poke:
	case <-timer.C:
		if !ok {
			e.outage = ErrStalled{e.blocked(), e.Waits()} // Before the body is told that it is over.
			return false
		}
		for _, h := range e.joined() {
			h.Expire()
		}
	}
	return true
}

// deadline returns when the next host has something to expire, or the horizon.
func (e *Engine) deadline() (wait time.Duration, ok bool) {
	wait = Horizon
	for _, h := range e.joined() {
		if d, has := h.Deadline(); has && d < wait {
			wait, ok = d, true
		}
	}
	return wait, ok
}

func (e *Engine) joined() []Host {
	e.mu.Lock()
	defer e.mu.Unlock()
	return e.hosts
}

func (e *Engine) settleHosts() (changed bool) {
	for _, h := range e.joined() {
		changed = h.Settle() || changed
	}
	return changed
}

// release lets those go on who wait until nothing is queued.
func (e *Engine) release() bool {
	e.mu.Lock()
	waiting := e.waiting
	e.waiting = nil
	e.mu.Unlock()
	for _, ch := range waiting {
		close(ch)
	}
	return len(waiting) > 0
}

// UntilIdle waits until nothing is queued. It must not be called by work.
func (e *Engine) UntilIdle() {
	ch := make(chan struct{})
	e.mu.Lock()
	e.waiting = append(e.waiting, ch)
	e.mu.Unlock()
	e.Nudge()
	select {
	case <-ch:
	case <-e.ended:
	}
}

// UntilWork waits until a goroutine outside, such as a timer's, has queued
// something and nothing is queued any more. It returns false if that has not
// come within limit. It must not be called by work.
func (e *Engine) UntilWork(limit time.Duration) bool {
	ch := make(chan struct{})
	e.mu.Lock()
	e.awaiting = append(e.awaiting, ch)
	e.mu.Unlock()
	timer := time.NewTimer(limit)
	defer timer.Stop()
	select {
	case <-ch:
		e.UntilIdle()
		return true
	case <-timer.C:
	case <-e.ended:
	}
	e.mu.Lock()
	defer e.mu.Unlock()
	for i := range e.awaiting {
		if e.awaiting[i] == ch {
			e.awaiting = append(e.awaiting[:i], e.awaiting[i+1:]...)
			break
		}
	}
	return false
}
