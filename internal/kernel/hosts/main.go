package hosts

import (
	"context"
	"time"

	"github.com/troupe-go/troupe/internal/workers"
)

// mainBudget is how long Main runs entries before it looks whether it shall return.
const mainBudget = 10 * time.Millisecond

// Main is a Loop that has its own event loop, for the main goroutine.
type Main[W any] struct {
	*Loop[W]

	now  func() time.Time
	bell chan struct{} // Holds a token when the loop has rung.
	free chan struct{} // Holds a token while no goroutine runs the loop.
}

// NewMain returns one that no goroutine runs.
func NewMain[W any](s *workers.Scheduler, now func() time.Time) *Main[W] {
	m := &Main[W]{now: now, bell: make(chan struct{}, 1), free: make(chan struct{}, 1)}
	m.free <- struct{}{}
	m.Loop = NewLoop[W](s, m.wake)
	return m
}

func (m *Main[W]) wake() {
	select {
	case m.bell <- struct{}{}:
	default:
	}
}

// Acquire makes the caller the goroutine that runs the loop, if there is none. It then calls RunUntil.
func (m *Main[W]) Acquire() bool {
	select {
	case <-m.free:
		return true
	default:
		return false
	}
}

// Free has a token while no goroutine runs the loop. To take it is to Acquire.
func (m *Main[W]) Free() <-chan struct{} { return m.free }

// RunUntil runs entries until over is closed, and then returns nil, or until ctx has ended, and returns its cause. The
// caller has acquired the loop, which is free afterwards.
func (m *Main[W]) RunUntil(ctx context.Context, over <-chan struct{}) error {
	defer func() { m.free <- struct{}{} }()
	for {
		until := m.now().Add(mainBudget)
		if more, _ := m.Run(func() bool { return !m.now().Before(until) }); more {
			if ctx.Err() != nil {
				m.wake() // The next goroutine finds the rest.
				return context.Cause(ctx)
			}
			continue
		}
		select {
		case <-m.bell:
		case <-over:
			return nil
		case <-ctx.Done():
			return context.Cause(ctx)
		}
	}
}
