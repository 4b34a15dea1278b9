package inspect

import (
	"fmt"
	"log/slog"
	"sync"
	"sync/atomic"
	"time"

	"github.com/troupe-go/troupe/internal/workers"
	"github.com/troupe-go/troupe/sched"
)

// starvation finds out how long work waits for a worker, by work that does
// nothing: one piece for each priority is always under way, or was. Its wait is
// what is measured. While it has not been run, no other is sent after it, so
// that a scheduler that is stuck does not fill up with probes.
//
// Critical work is not probed: it would push aside what it measures.
type starvation struct {
	i       *Inspector
	probes  [priorities]probe
	refused uint64 // Stats.SpareLimitReached at the last look.
}

// probe is the work of one priority. It is queued at most once at a time.
type probe struct {
	node     workers.Node
	priority sched.Priority
	i        *Inspector

	mu    sync.Mutex
	sent  time.Time // Zero while it is not under way.
	level slog.Level
	ran   atomic.Uint64
}

func newStarvation(i *Inspector) *starvation {
	s := &starvation{i: i, refused: i.sys.Scheduler().Stats().SpareLimitReached}
	for p := range s.probes {
		s.probes[p].priority, s.probes[p].i = sched.Priority(p), i
		s.probes[p].node.Init(&s.probes[p])
	}
	return s
}

// String names the probe, should it hold a worker.
func (p *probe) String() string { return fmt.Sprintf("probe of %v work", p.priority) }

// Run ends the wait.
func (p *probe) Run(*workers.Fiber, sched.Priority) {
	p.mu.Lock()
	waited := time.Since(p.sent)
	p.sent = time.Time{}
	p.mu.Unlock()
	p.ran.Add(1)
	p.i.delays[p.priority].add(waited)
	p.judge(waited)
}

// send queues the probe unless it is under way.
func (p *probe) send() {
	p.mu.Lock()
	underWay := !p.sent.IsZero()
	if !underWay {
		p.sent, p.level = time.Now(), slog.LevelInfo
	}
	p.mu.Unlock()
	if !underWay && (*workers.Scheduler)(p.i.sys.Scheduler()).Submit(&p.node, p.priority) != nil {
		p.mu.Lock()
		p.sent = time.Time{} // The scheduler has stopped.
		p.mu.Unlock()
	}
}

// waited returns how long the probe has been under way, or 0.
func (p *probe) waited() time.Duration {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.sent.IsZero() {
		return 0
	}
	return time.Since(p.sent)
}

// judge reports a wait that is too long, once for each level.
func (p *probe) judge(waited time.Duration) {
	level := slog.LevelInfo
	switch {
	case waited >= p.i.cfg.CriticalAfter:
		level = slog.LevelError
	case waited >= p.i.cfg.StarvingAfter:
		level = slog.LevelWarn
	}
	p.mu.Lock()
	worse := level > p.level
	p.level = max(p.level, level)
	p.mu.Unlock()
	if !worse {
		return
	}
	s := p.i.sys.Scheduler()
	held := s.Held()
	if p.i.cfg.Stacks {
		held = s.HeldStacks()
	}
	p.i.hub.tell(Event{
		Kind: Starvation, Level: level, Priority: p.priority.String(), Seconds: waited.Seconds(), Holders: holdersOf(p.i.sys, held),
		Text: fmt.Sprintf("%v work has waited %v for a worker; %d workers are held", p.priority, waited.Round(time.Microsecond), len(held)),
	})
}

// look sends the probes, and waits for them, as far as it takes to report those
// that do not come back.
func (s *starvation) look() {
	for p := range s.probes {
		if sched.Priority(p) != sched.Critical {
			s.probes[p].send()
		}
	}
	for _, limit := range []time.Duration{s.i.cfg.StarvingAfter, s.i.cfg.CriticalAfter} {
		if limit > s.i.cfg.ProbeEvery || !s.await(limit) {
			break
		}
	}
	for p := range s.probes {
		s.probes[p].judge(s.probes[p].waited())
	}
	if n := s.i.sys.Scheduler().Stats().SpareLimitReached; n > s.refused {
		s.i.hub.tell(Event{
			Kind: SpareLimit, Level: slog.LevelWarn, Count: n - s.refused,
			Text: fmt.Sprintf("%d blocked workers could not be replaced, as Config.MaxSpares were started already", n-s.refused),
		})
		s.refused = n
	}
}

// await waits until every probe has come back or has been under way for so long,
// and reports those. It returns false if all are back, or the inspector is
// closed.
func (s *starvation) await(limit time.Duration) bool {
	longest := time.Duration(0)
	back := true
	for p := range s.probes {
		if w := s.probes[p].waited(); w > 0 {
			longest, back = max(longest, w), false
		}
	}
	if back {
		return false
	}
	if longest < limit {
		timer := time.NewTimer(limit - longest)
		defer timer.Stop()
		select {
		case <-timer.C:
		case <-s.i.closing:
			return false
		}
	}
	for p := range s.probes {
		s.probes[p].judge(s.probes[p].waited())
	}
	return true
}

func priorityName(p int) string { return sched.Priority(p).String() }
