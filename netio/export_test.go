package netio

import (
	"context"
	"errors"
	"time"
)

// ErrBroken is why a listener fails after [BreakAccepting].
var ErrBroken = errors.New("broken")

// BreakAccepting cancels the strand of a listener that accepts.
func BreakAccepting(l *Listener) { l.current().accepting.Cancel(ErrBroken) }

// CloseSocket closes a listener's socket behind its back.
func CloseSocket(l *Listener) { _ = l.current().socket.Close() }

// AwaitAccepting waits until a listener accepts nothing any more.
func AwaitAccepting(ctx context.Context, l *Listener) error { return l.current().awaitClosed(ctx) }

// Linger has the connections of a listener linger for as long, where nobody starts it meanwhile.
func Linger(l *Listener, d time.Duration) { l.lingering = d }

// SetPatience sets for how long the connections of a listener wait for memory before peers
// are cut off. For connections that wait already, the time restarts.
func SetPatience(l *Listener, d time.Duration) {
	m := &l.current().group.memory
	m.mu.Lock()
	defer m.mu.Unlock()
	m.patience, m.watched = d, false
	m.watch()
}

// Paused reports whether a connection waits for room.
func Paused[Out any](c *Conn[Out]) bool { return c.s.group.memory.paused.Load() > 0 }

// Look does what happens when the line has not moved for patience.
func Look(l *Listener) {
	m := &l.current().group.memory
	m.mu.Lock()
	moved := m.moved
	m.mu.Unlock()
	m.look(moved)
}

// StopIsLimited reports whether the stop of a listener waits for its connections for a
// limited time.
func StopIsLimited(l *Listener) bool {
	ctx, cancel := l.limit(context.Background())
	defer cancel()
	_, limited := ctx.Deadline()
	return limited
}
