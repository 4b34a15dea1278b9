package sim

import "fmt"

// locks knows the locks that were taken in a simulation. Guarded by Engine.mu.
type locks struct {
	numbers map[any]int // By the order in which they were taken first.
	holders map[any]string
}

// Took notes that the caller has taken a lock.
func Took(lock any) {
	m := current()
	if m.engine == nil {
		return
	}
	holder := theBody.name
	if m.work {
		holder = m.engine.Running()
	}
	m.engine.mu.Lock()
	defer m.engine.mu.Unlock()
	l := &m.engine.locks
	if l.numbers == nil {
		l.numbers, l.holders = map[any]int{}, map[any]string{}
	}
	if l.numbers[lock] == 0 {
		l.numbers[lock] = len(l.numbers) + 1
	}
	l.holders[lock] = holder
}

// Released notes that a lock is nobody's any more.
func Released(lock any) {
	e := Current()
	if e == nil {
		return
	}
	e.mu.Lock()
	defer e.mu.Unlock()
	delete(e.locks.holders, lock)
}

// LockName returns the number of a lock, and its holder if that is known.
func (e *Engine) LockName(lock any) string {
	e.mu.Lock()
	defer e.mu.Unlock()
	text := "a mutex"
	if n := e.locks.numbers[lock]; n > 0 {
		text = fmt.Sprintf("mutex %d", n)
	}
	if holder := e.locks.holders[lock]; holder != "" {
		text += ", which " + holder + " holds"
	}
	return text
}
