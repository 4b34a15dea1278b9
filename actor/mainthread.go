package actor

import (
	"context"
	"runtime"
	"time"
)

// mainBudget is how long the main goroutine handles messages before it looks
// whether it shall return.
const mainBudget = 10 * time.Millisecond

// mainLoop is the event loop of the actors OnMainThread.
type mainLoop struct {
	pump *Pump
	bell chan struct{} // Holds a token when the doorbell has rung.
	free chan struct{} // Holds a token while nobody runs the loop.
}

func newMainLoop(s *System) *mainLoop {
	l := &mainLoop{bell: make(chan struct{}, 1), free: make(chan struct{}, 1)}
	l.free <- struct{}{}
	l.pump = &Pump{sys: s, host: s.scheduler.NewHost(), ring: func() {
		select {
		case l.bell <- struct{}{}:
		default:
		}
	}}
	return l
}

func (s *System) mainPump() *Pump { return s.mainLoop().pump }

// mainLoop returns the system's, which is made on first use.
func (s *System) mainLoop() *mainLoop {
	l := s.main.Load()
	if l == nil {
		s.main.CompareAndSwap(nil, newMainLoop(s))
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
	select {
	case <-l.free:
	default:
		return ErrPumping
	}
	runtime.LockOSThread()
	defer runtime.UnlockOSThread()
	return l.run(ctx, s.empty)
}

// run handles what comes until over is closed or ctx has ended. The caller has
// taken the token from free.
func (l *mainLoop) run(ctx context.Context, over <-chan struct{}) error {
	defer func() { l.free <- struct{}{} }()
	for {
		hint, err := l.pump.Run(mainBudget)
		if err != nil {
			return err
		}
		if hint == ParkPoll {
			if ctx.Err() != nil {
				l.pump.ring() // What is left is for whoever comes next.
				return context.Cause(ctx)
			}
			continue
		}
		select {
		case <-l.bell:
		case <-over:
			return nil
		case <-ctx.Done():
			return context.Cause(ctx)
		}
	}
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
		case <-l.free:
			_ = l.run(ctx, s.empty) // That ctx has ended is seen below.
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
