package troupe

import (
	"runtime"
	"sync"
	"sync/atomic"

	"github.com/troupe-go/troupe/actor"

	"github.com/troupe-go/troupe/internal/bench/suite"
)

// idler counts what it handles, and its own end.
type idler struct {
	handled *atomic.Int64
	all     *sync.WaitGroup
	ended   *atomic.Int64
}

func (a *idler) Receive(*actor.Context[int], int) error {
	a.handled.Add(1)
	a.all.Done()
	return nil
}

type mortal struct{ idler }

func (a *mortal) Stopped(*actor.Context[int], error) { a.ended.Add(1) }

func spawn(r *suite.Run) (int64, error) {
	var handled atomic.Int64
	err := r.Batches(func(k int) error {
		_, err := run(func(sys *actor.System) (int64, error) {
			var all sync.WaitGroup
			all.Add(k)
			r.Start()
			for range k {
				ref, err := actor.Spawn(sys, &idler{handled: &handled, all: &all})
				if err != nil {
					return 0, err
				}
				if err := ref.Send(background, 1); err != nil {
					return 0, err
				}
			}
			all.Wait()
			r.Stop()
			return 0, nil
		})
		return err
	})
	return handled.Load(), err
}

func stop(r *suite.Run) (int64, error) {
	var handled, ended atomic.Int64
	err := r.Batches(func(k int) error {
		_, err := run(func(sys *actor.System) (int64, error) {
			var all sync.WaitGroup
			all.Add(k)
			refs := make([]actor.Ref[int], k)
			for i := range refs {
				var err error
				refs[i], err = actor.Spawn(sys, &mortal{idler{&handled, &all, &ended}})
				if err != nil {
					return 0, err
				}
				if err := refs[i].Send(background, 1); err != nil {
					return 0, err
				}
			}
			all.Wait()
			r.Start()
			for _, ref := range refs {
				if err := ref.Stop(background); err != nil {
					return 0, err
				}
			}
			r.Stop()
			return 0, nil
		})
		return err
	})
	return ended.Load(), err
}

func memory(r *suite.Run, used bool) (int64, error) {
	return run(func(sys *actor.System) (int64, error) {
		var (
			handled atomic.Int64
			all     sync.WaitGroup
			refs    = make([]actor.Ref[int], r.N)
			a       = &idler{handled: &handled, all: &all} // Shared, since its own size does not count.
		)
		all.Add(r.N)
		tell := func() error {
			for _, ref := range refs {
				if err := ref.Send(background, 1); err != nil {
					return err
				}
			}
			all.Wait()
			return nil
		}
		err := r.InUse(func() error {
			for i := range refs {
				var err error
				if refs[i], err = actor.Spawn(sys, a); err != nil {
					return err
				}
			}
			if used {
				return tell()
			}
			return nil
		})
		if err == nil && !used {
			err = tell()
		}
		runtime.KeepAlive(refs)
		return handled.Load(), err
	})
}
