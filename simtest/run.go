package simtest

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"runtime/debug"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/troupe-go/troupe/actor"
	"github.com/troupe-go/troupe/internal/sim"
)

// runner runs one program under many schedules.
type runner struct {
	t    *testing.T
	cfg  Config
	body func(s *Sim)
	// natural is the first run of the natural schedule, if it passed.
	natural *outcome
	climb   climb
	begun   time.Time
}

// outcome is what one run has come to.
type outcome struct {
	failures []string
	made     decisions
	steps    int
	trace    *trace
	seed     uint64
	target   *time.Duration // See Sim.Target.
	leaky    bool           // Goroutines of its bubble are blocked for ever.
	stuck    bool           // The run was given up from outside, and goes on somewhere.
}

func (o *outcome) failed() bool { return len(o.failures) > 0 }

func (o *outcome) choices() []int {
	choices := make([]int, len(o.made))
	for i, d := range o.made {
		choices[i] = d.chosen
	}
	return choices
}

// once runs the program under the schedule that c chooses. It returns when the
// run is over, or when a step hangs in real time.
func (r *runner) once(c sim.Chooser, seed uint64, traced bool) *outcome {
	o := &outcome{seed: seed}
	rec := &recorder{inner: c}
	if traced {
		o.trace = &trace{}
	}
	var engine *sim.Engine
	bubble := 0
	ready, done := make(chan struct{}), make(chan struct{})
	var mu sync.Mutex
	var s *Sim
	go func() {
		defer close(done)
		defer func() {
			if v := recover(); v != nil {
				mu.Lock()
				defer mu.Unlock()
				o.leaky = true
				if o.failures = s.failures; len(o.failures) == 0 {
					o.failures = []string{bubbleFailure(v, bubble)}
				}
			}
		}()
		synctest.Test(r.t, func(t *testing.T) {
			var add func(kind, text string)
			if traced {
				o.trace.begun = time.Now()
				add = o.trace.add
			}
			engine = sim.New(rec, synctest.Wait, r.cfg.Steps, add)
			bubble = currentBubble()
			s = &Sim{TB: t, engine: engine, random: rand.New(rand.NewPCG(seed, 1)), logged: &mu, forbid: r.cfg.Forbid, probes: map[actor.PID]bool{}}
			close(ready)
			r.play(s)
			mu.Lock()
			defer mu.Unlock()
			o.failures, o.steps, o.target = s.failures, engine.Steps(), s.target
		})
	}()
	<-ready
	if what := watch(engine, bubble, done); what != "" {
		mu.Lock()
		defer mu.Unlock()
		return &outcome{failures: []string{what}, stuck: true}
	}
	o.made = rec.made
	return o
}

// bubbleFailure says what it means that the bubble could not end.
func bubbleFailure(v any, bubble int) string {
	text := fmt.Sprint(v)
	switch {
	case strings.Contains(text, "main bubble goroutine has exited"):
		return "goroutines that the program has started are blocked, and nothing can wake them any more:\n" + stacksIn(bubble)
	case strings.Contains(text, "deadlock"):
		return "deadlock: the body is blocked in an operation outside the simulation, such as a channel, and nothing can wake it any more"
	}
	return "panic: " + text
}

// play runs stepper and body in the bubble, and ends what is left.
func (r *runner) play(s *Sim) {
	ctx, cancel := context.WithCancel(context.Background())
	defer cancel()
	s.ctx = ctx
	s.engine.AfterEach(s.check)
	bodyDone := make(chan struct{})
	go func() {
		defer close(bodyDone)
		sim.Enter(s.engine)
		defer sim.Leave()
		s.runBody(r.body)
	}()
	stepped := make(chan error, 1)
	go func() { stepped <- s.engine.Run() }()
	var err error
	select {
	case <-bodyDone:
		s.engine.Close()
		err = <-stepped // Not nil if the body has ended because the stepper gave up.
	case err = <-stepped:
	}
	if err != nil {
		r.giveUp(s, err)
	}
	if s.engine.Away() {
		synctest.Wait() // Steps that were blocked end now, beside nothing else.
	}
	left := s.engine.CloseHosts()
	if len(left) > 0 && !s.Failed() && !r.cfg.Leaks {
		s.fail("leaked: " + strings.Join(left, "\n        "))
	}
	<-bodyDone
}

// giveUp reports why the stepper ended before the body.
func (r *runner) giveUp(s *Sim, err error) {
	var limit sim.ErrStepLimit
	if errors.As(err, &limit) {
		s.fail(fmt.Sprintf("livelock: %v; if the program needs more, raise Config.Steps", err))
		return
	}
	text := "deadlock: "
	var stalled sim.ErrStalled
	if errors.As(err, &stalled) && len(stalled.Blocked) > 0 {
		text += strings.Join(stalled.Blocked, "\n") + "\n"
	}
	text += err.Error()
	if len(stalled.Waits) > 0 {
		text += "\n    " + strings.Join(stalled.Waits, "\n    ")
	}
	s.fail(text)
}

// runBody calls the body and its cleanups, also when one of them fails.
func (s *Sim) runBody(body func(*Sim)) {
	defer s.contain()
	defer s.lookForDeadLetters()
	defer s.runCleanups()
	defer s.contain() // Panics before the cleanups, so that those see it as failed.
	body(s)
	s.lookForLeftovers()
}

func (s *Sim) contain() {
	if v := recover(); v != nil {
		s.fail(fmt.Sprintf("panic: %v\n%s", v, debug.Stack()))
	}
}

func (s *Sim) runCleanups() {
	for len(s.cleanups) > 0 {
		last := len(s.cleanups) - 1
		f := s.cleanups[last]
		s.cleanups = s.cleanups[:last]
		func() {
			defer s.contain()
			f()
		}()
	}
}

// check makes the checks of Always. A failure ends the run.
func (s *Sim) check() {
	for _, check := range s.checks {
		if err := check(); err != nil {
			s.checks = nil
			s.fail(err.Error())
			s.engine.Abort()
			return
		}
	}
}
