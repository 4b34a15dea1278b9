package main

import (
	"context"
	"sync"
	"time"

	"github.com/troupe-go/troupe/actor"
)

// session holds a lock of all sessions while it waits for a message that does not come: this is the mistake. The first
// one has the lock, and 299 others wait for it, which is more than there are spare workers.
type session struct {
	all   *sync.Mutex
	token chan string
}

func (s *session) Receive(_ *actor.Context[order], _ order) error {
	s.all.Lock()
	defer s.all.Unlock()
	return s.refresh()
}

func (s *session) refresh() error {
	<-s.token
	return nil
}

func blocked(ctx context.Context, sys *actor.System, names *names) (func(), error) {
	var all sync.Mutex
	first := names.culprit()
	refs := make([]actor.Ref[order], 300)
	for n := range refs {
		var opts []actor.Option
		if n == 0 {
			opts = append(opts, actor.WithName(first))
		}
		var err error
		if refs[n], err = actor.Spawn(sys, &session{&all, make(chan string)}, opts...); err != nil {
			return nil, err
		}
	}
	return func() {
		for n, ref := range refs {
			if ref.Send(ctx, order{n}) != nil {
				return
			}
			if n == 0 {
				wait(ctx, 50*time.Millisecond) // The first one has the lock.
			}
		}
	}, nil
}
