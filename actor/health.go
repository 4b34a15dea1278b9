package actor

import (
	"context"
	"fmt"
	"sync"
	"sync/atomic"
	"time"

	"github.com/troupe-go/troupe/internal/workers"
)

// Health says how well an actor can do its work.
type Health struct {
	Level  HealthLevel
	Reason string // Why it is not healthy.
}

// HealthLevel is the level of a [Health]. A larger one is worse.
type HealthLevel uint8

// The levels of health.
const (
	Healthy   HealthLevel = iota
	Degraded              // It does its work, but not as it should.
	Unhealthy             // It does not.

	numHealthLevels = 3
)

// String returns the level's name in lower case.
func (l HealthLevel) String() string {
	if l < numHealthLevels {
		return [numHealthLevels]string{"healthy", "degraded", "unhealthy"}[l]
	}
	return fmt.Sprintf("HealthLevel(%d)", uint8(l))
}

// MarshalText returns the level's name, for JSON.
func (l HealthLevel) MarshalText() ([]byte, error) { return []byte(l.String()), nil }

// HealthChecker is implemented by an actor that knows how well it does. Health runs
// like a handler of the actor, between two messages, when somebody calls
// [System.Checkup]. A panic in it is a failure of the actor.
type HealthChecker[M any] interface {
	Health(ctx *Context[M]) Health
}

// Diagnosis is what a [System.Checkup] has found of one actor.
type Diagnosis struct {
	PID  PID
	Path string // See Ref.Path.
	Health
}

// defaultCheckup is how long a checkup waits if its context has no deadline:
// what supervisors of processes grant to a probe.
const defaultCheckup = time.Second

// checkup is an examination of all patients at one time.
type checkup struct {
	left   atomic.Int64 // How many have not answered.
	waiter workers.Waiter
	mu     sync.Mutex
	found  map[*proc]Health
}

// Checkup asks all actors of the system that are a [HealthChecker] how well they do,
// at the same time, and returns what they say, in no order. It waits until all
// have answered, or ctx ends, but a second at most if ctx has no deadline. An
// actor that has not answered by then is Unhealthy: a handler of it takes too
// long. An actor that is held or stopping is Unhealthy, too. Actors that are no HealthChecker are left
// out.
//
// It costs a look at every actor, and a system message for each patient.
func (s *System) Checkup(ctx context.Context) []Diagnosis {
	if s.missing() {
		return nil
	}
	ctx = orBackground(ctx)
	if _, ok := ctx.Deadline(); !ok {
		var cancel context.CancelFunc
		ctx, cancel = context.WithTimeout(ctx, defaultCheckup)
		defer cancel()
	}
	begin := s.clock.Now()
	patients := s.patients()
	c := &checkup{found: map[*proc]Health{}}
	c.left.Store(int64(len(patients)))
	c.waiter.Arm(ctx, s.scheduler)
	waiter := c.waiter
	defer waiter.Disarm()
	for _, p := range patients {
		p.post(workers.Current(ctx), sysMessage{kind: sysCheckup, checkup: c})
	}
	for c.left.Load() > 0 && waiter.Wait(ctx) {
	}
	return c.diagnose(patients, s.clock.Now().Sub(begin))
}

// patients returns the actors that can be asked.
func (s *System) patients() (all []*proc) {
	s.eachProc(func(p *proc) {
		p.mu.Lock()
		is := p.traits&isHealthChecker != 0
		p.mu.Unlock()
		if is {
			all = append(all, p)
		}
	})
	return all
}

// diagnose returns what is known of the patients after some time.
func (c *checkup) diagnose(patients []*proc, after time.Duration) []Diagnosis {
	c.mu.Lock()
	defer c.mu.Unlock()
	all := make([]Diagnosis, 0, len(patients))
	for _, p := range patients {
		h, ok := c.found[p]
		switch {
		case !ok && p.stopped.Load():
			continue
		case !ok:
			h = Health{Unhealthy, fmt.Sprintf("no answer within %v", after)}
		}
		all = append(all, Diagnosis{p.pid, p.path(), h})
	}
	return all
}

// answer takes down what a patient says.
func (c *checkup) answer(f *workers.Fiber, p *proc, h Health) {
	c.mu.Lock()
	c.found[p] = h
	c.mu.Unlock()
	if c.left.Add(-1) == 0 {
		c.waiter.Wake(f, workers.Critical)
	}
}

// examine asks the actor.
func (a *activation) examine(c *checkup) {
	x := a.ctx.Load()
	switch phase := a.phase.Load(); {
	case phase == stopping:
		c.answer(a.f, a.proc, Health{Unhealthy, "it is stopping"})
		return
	case phase > draining || !x.has(onCheckup):
		c.answer(a.f, a.proc, Health{Unhealthy, "it has failed, and waits to be restarted"})
		return
	}
	o, returned := &occasion{hook: onCheckup}, false
	defer func() {
		if !returned {
			c.answer(nil, a.proc, Health{Unhealthy, ErrGoexit.Error()})
		}
	}()
	err := a.call(x.kindOfHook(onCheckup), func() error { return x.tell(o) })
	if returned = true; err != nil {
		c.answer(a.f, a.proc, Health{Unhealthy, err.Error()})
		a.fail(err)
		return
	}
	c.answer(a.f, a.proc, o.health)
}
