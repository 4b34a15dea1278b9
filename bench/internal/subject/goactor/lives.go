package goactor

import (
	"sync"
	"sync/atomic"

	"github.com/vladopajic/go-actor/actor"

	"github.com/troupe-go/troupe/bench/internal/workload"
	"github.com/troupe-go/troupe/internal/bench/suite"
)

// crowd starts actors that count what they handle, and their own ends.
type crowd struct {
	handled, ended *atomic.Int64
	all            sync.WaitGroup
	members        []member[int]
}

func newCrowd(n int, handled, ended *atomic.Int64) *crowd {
	c := &crowd{handled: handled, ended: ended, members: make([]member[int], n)}
	c.all.Add(n)
	return c
}

func (c *crowd) start(i int) {
	c.members[i] = start(1, c.receive, actor.OptOnStop(func() { c.ended.Add(1) }))
}

func (c *crowd) receive(actor.Context, int) {
	c.handled.Add(1)
	c.all.Done()
}

func (c *crowd) tell(i int) error { return c.members[i].Send(background, 1) }

// startAll starts them all and, if tell is set, has each handle a message.
func (c *crowd) startAll(tell bool) error {
	for i := range c.members {
		c.start(i)
		if tell {
			if err := c.tell(i); err != nil {
				return err
			}
		}
	}
	if tell {
		c.all.Wait()
	}
	return nil
}

func spawn(r *suite.Run) (int64, error) {
	var handled, ended atomic.Int64
	err := r.Batches(func(k int) error {
		c := newCrowd(k, &handled, &ended)
		r.Start()
		err := c.startAll(true)
		r.Stop()
		endAll(c.members)
		return err
	})
	return handled.Load(), err
}

func stop(r *suite.Run) (int64, error) {
	var handled, ended atomic.Int64
	err := r.Batches(func(k int) error {
		c := newCrowd(k, &handled, &ended)
		if err := c.startAll(true); err != nil {
			return err
		}
		r.Start()
		endAll(c.members)
		r.Stop()
		return nil
	})
	return ended.Load(), err
}

func memory(r *suite.Run, used bool) (int64, error) {
	var handled, ended atomic.Int64
	c := newCrowd(r.N, &handled, &ended)
	err := r.InUse(func() error { return c.startAll(used) })
	if err == nil && !used {
		for i := range c.members {
			if err := c.tell(i); err != nil {
				return 0, err
			}
		}
		c.all.Wait()
	}
	endAll(c.members)
	return handled.Load(), err
}

func skynet(r *suite.Run) (int64, error) {
	var (
		sum    int64
		failed failure
	)
	r.Start()
	for range r.N {
		root := actor.NewMailbox[int](actor.OptAsChan(), actor.OptCapacity(1))
		grow(root, 0, r.Size, &failed)
		sum += int64(<-root.ReceiveC())
	}
	r.Stop()
	return sum, failed.get()
}

// grow starts the actor of a node, which ends when it has sent its sum.
func grow(parent actor.MailboxSender[int], number, leaves int, failed *failure) {
	var (
		children actor.Mailbox[int]
		sum      int
	)
	actor.New(actor.NewWorker(func(ctx actor.Context) actor.WorkerStatus {
		if leaves == 1 {
			failed.note(parent.Send(ctx, number))
			return actor.WorkerEnd
		}
		for range workload.SkynetFanOut {
			sum += <-children.ReceiveC()
		}
		failed.note(parent.Send(ctx, sum))
		return actor.WorkerEnd
	}), actor.OptOnStart(func(actor.Context) {
		if leaves == 1 {
			return
		}
		children = actor.NewMailbox[int](actor.OptAsChan(), actor.OptCapacity(workload.SkynetFanOut))
		share := leaves / workload.SkynetFanOut
		for i := range workload.SkynetFanOut {
			grow(children, number+i*share, share, failed)
		}
	})).Start()
}
