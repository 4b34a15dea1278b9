package actor

import (
	"context"
	"runtime"

	"github.com/troupe-go/troupe/internal/kernel/hosts"
)

// mainLoop returns the system's, which is made on first use.
func (s *System) mainLoop() *hosts.Main[proc] {
	l := s.main.Load()
	if l == nil {
		s.main.CompareAndSwap(nil, hosts.NewMain[proc](s.scheduler, s.clock.Now))
		l = s.main.Load()
	}
	return l
}

// RunMain runs the handlers of the actors that are [OnMainThread], on the calling
// goroutine, until the system has no more actors because it stops, and then
// returns nil; or until ctx has ended, and returns its cause. Until RunMain is
// called, messages to such actors wait.
//
// It locks the goroutine to its thread meanwhile. That this is the program's
// first thread, as user interfaces want it, takes a lock from the beginning:
//
//	func init() { runtime.LockOSThread() }
//
//	func main() {
//		...
//		err := sys.RunMain(ctx)
//
// Once it has returned because of ctx, call [System.Stop], which runs the
// handlers itself until they have ended. RunMain returns [ErrPumping] if another
// call is at work. If a handler calls runtime.Goexit, RunMain does not return.
func (s *System) RunMain(ctx context.Context) error {
	if s.missing() {
		return ErrNoSystem
	}
	ctx = orBackground(ctx)
	if s.simulated {
		select {
		case <-s.empty:
			return nil
		case <-ctx.Done():
			return context.Cause(ctx)
		}
	}
	l := s.mainLoop()
	if !l.Acquire() {
		return ErrPumping
	}
	runtime.LockOSThread()
	defer runtime.UnlockOSThread()
	return l.RunUntil(ctx, s.empty)
}

// awaitStopped waits for the end of the system. The actors of the main thread
// have to end meanwhile, on this goroutine if nobody else runs them.
func (s *System) awaitStopped(ctx context.Context) bool {
	select {
	case <-s.stopped: // Whatever has become of ctx.
		return true
	default:
	}
	if l := s.main.Load(); l != nil {
		select {
		case <-l.Free():
			_ = l.RunUntil(ctx, s.empty) // That ctx has ended is seen below.
		case <-s.stopped:
		case <-ctx.Done():
		}
	}
	select {
	case <-s.stopped:
		return true
	case <-ctx.Done():
		return false
	}
}
