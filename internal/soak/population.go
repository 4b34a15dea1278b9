package main

import (
	"errors"
	"math/rand/v2"
	"runtime"
	"sync"
	"time"

	"github.com/troupe-go/troupe/actor"
	"github.com/troupe-go/troupe/supervise"
)

// cargo is the message of all actors.
type cargo struct {
	*parcel
	reply actor.Reply[int]
	fail  bool          // The handler fails.
	block time.Duration // For so long the handler blocks its worker.
	hops  int           // So often it may be sent on.
}

// breed is a kind of actors.
type breed struct {
	name    string
	options []actor.Option
	retry   int
	process bool
}

var breeds = []breed{
	{name: "plain", options: capacity(64)},
	{name: "narrow", options: capacity(1)},
	{name: "dropping", options: append(capacity(16), buffers(actor.Dropping)...)},
	{name: "sliding", options: append(capacity(16), buffers(actor.Sliding)...)},
	{name: "patient", options: capacity(64), retry: 2},
	{name: "reentrant", options: append(capacity(64), actor.WithReentrancy(actor.FullReentrancy))},
	{name: "chained", options: append(capacity(64), actor.WithReentrancy(actor.CallChainReentrancy))},
	{name: "timed", options: append(capacity(64), actor.WithHandlerTimeout(20*time.Millisecond, actor.TimeoutStop))},
	{name: "process", options: capacity(64), process: true},
}

func capacity(n int) (all []actor.Option) {
	for _, l := range lanes {
		all = append(all, actor.WithCapacity(l, n))
	}
	return all
}

func buffers(b actor.Buffer) (all []actor.Option) {
	for _, l := range lanes {
		all = append(all, actor.WithBuffer(l, b))
	}
	return all
}

var lanes = [...]actor.Lane{actor.Data, actor.Management, actor.Control}

// target is an actor that is sent messages.
type target struct {
	ref   actor.Ref[cargo]
	breed *breed
}

// population is the actors that are there now. They come and go.
type population struct {
	mu  sync.RWMutex
	all []target
}

// any returns one of them.
func (p *population) any() (int, target) {
	p.mu.RLock()
	defer p.mu.RUnlock()
	i := rand.IntN(len(p.all))
	return i, p.all[i]
}

func (p *population) replace(i int, t target) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.all[i] = t
}

// populate starts supervisors with children of all breeds.
func (r *run) populate(supervisors, each int) error {
	for range supervisors {
		sup, err := supervise.Start(r.sys, supervise.Config{Intensity: 1 << 30, Period: time.Hour})
		if err != nil {
			return err
		}
		r.supervisors = append(r.supervisors, sup)
		for i := range each {
			t, err := r.child(sup, &breeds[i%len(breeds)])
			if err != nil {
				return err
			}
			r.people.all = append(r.people.all, t)
		}
	}
	return nil
}

// child starts a child of a breed.
func (r *run) child(sup *supervise.Supervisor, b *breed) (target, error) {
	ref, err := supervise.Spawn(r.ctx, sup, supervise.Child[cargo]{
		New: func() actor.Actor[cargo] {
			if b.process {
				return actor.NewProcess(r.receive)
			}
			return actor.Func(r.handle)
		},
		Retry: b.retry, Shutdown: time.Second, Options: b.options,
	})
	return target{ref, b}, err
}

var errWanted = errors.New("a failure that is wanted")

// handle is the handler of all actors but processes.
func (r *run) handle(c *actor.Context[cargo], m cargo) error {
	r.books.note(m.parcel, handled)
	if m.block > 0 {
		time.Sleep(m.block)
	}
	if m.hops > 0 {
		r.sendOn(c, m.hops-1)
	}
	if m.fail {
		return r.failSomehow()
	}
	_ = m.reply.Send(c, 1) // Its asker may have left.
	return nil
}

func (r *run) failSomehow() error {
	switch rand.IntN(3) {
	case 0:
		panic(errWanted)
	case 1:
		runtime.Goexit()
	}
	return errWanted
}

// receive is the body of processes. It takes odd things first.
func (r *run) receive(p *actor.Process[cargo]) error {
	for {
		m, err := p.ReceiveWithin(time.Millisecond, func(m cargo) bool { return m.fail || m.hops > 0 })
		if errors.Is(err, actor.ErrNoMessage) {
			m, err = p.Receive(p)
		}
		if err != nil {
			return err
		}
		r.books.note(m.parcel, handled)
		if m.block > 0 {
			time.Sleep(m.block)
		}
		if m.fail {
			return errWanted
		}
		_ = m.reply.Send(p, 1)
	}
}
