package inspect

import (
	"errors"
	"fmt"
	"log/slog"
	"sync"
	"time"

	"github.com/troupe-go/troupe/actor"
	"github.com/troupe-go/troupe/inspect/internal/diagnosis"
	"github.com/troupe-go/troupe/inspect/internal/memory"
	"github.com/troupe-go/troupe/internal/workers"
)

// Config configures an [Inspector]. The zero value is a good one.
type Config struct {
	// Letters is how many dead letters are kept, the last ones. Defaults to 100; -1
	// means none.
	Letters int
	// Failures is for how many actors the last errors are kept, those that have
	// failed last. Defaults to 1000; -1 means none.
	Failures int
	// SampleEvery says that one message in so many is measured; see [actor.Probe].
	// Defaults to 64, and fewer where that were more than 10,000 a second of one
	// actor; -1 means that none is.
	SampleEvery int
	// SlowAfter is how long a handler may take until it is slow. Defaults to 10 ms;
	// -1 means that handlers are not watched.
	SlowAfter time.Duration
	// StuckAfter is how long a handler may take until it is stuck, which is a [Finding]. Handlers that wait for other
	// actors are not, but the last one of the chain is. It is found out every ScanEvery. Defaults to 5 s; -1 means never.
	StuckAfter time.Duration
	// ProbeEvery is how often it is measured, for each priority, how long work
	// waits for a worker. Defaults to 1 s; -1 means never.
	ProbeEvery time.Duration
	// StarvingAfter and CriticalAfter are waits from which on work starves: the
	// events are of the levels Warn and Error. Default to 100 ms and 1 s.
	StarvingAfter, CriticalAfter time.Duration
	// Stacks says that an event of starvation has the stacks of what holds the
	// workers. It stops the whole program for some us for each goroutine. Defaults
	// to false.
	Stacks bool
	// ScanEvery is how often mailboxes are looked at, up to 20,000 each time, and all that is wrong
	// is listed, see [Inspector.Findings]. Defaults to 1 s; -1 means never.
	ScanEvery time.Duration
	// Remember is for how long figures are kept, a row each second from the first [Inspector.Handler] on, whether a page
	// is open or not. With them are kept the findings that are over, and events by actor and cause. All of it takes 10 MB at
	// most, and usually some 100 KB. A row needs a look at all actors, for about 200 ns each; with more than 100,000 of
	// them there are fewer, for 2 % of a processor. Defaults to 15 minutes; at most 24 hours; -1 means that nothing is kept.
	Remember time.Duration
	// Watermark is the part of a lane's capacity from which on its mailbox is
	// reported; a lane that takes all counts as full with 10,000. Defaults to 0.8.
	Watermark float64
	// Logger gets all events, each with its level. Defaults to nil, which is
	// silence.
	Logger *slog.Logger
}

func (c Config) withDefaults() (Config, error) {
	for _, f := range []struct {
		name  string
		value *int
		usual int
	}{{"Letters", &c.Letters, 100}, {"Failures", &c.Failures, 1000}, {"SampleEvery", &c.SampleEvery, 64}} {
		switch {
		case *f.value < -1:
			return c, fmt.Errorf("inspect: Config.%s is %d; it must be positive, 0 for the default, or -1 for none", f.name, *f.value)
		case *f.value == 0:
			*f.value = f.usual
		}
	}
	for _, f := range []struct {
		name  string
		value *time.Duration
		usual time.Duration
		never bool
	}{
		{"SlowAfter", &c.SlowAfter, 10 * time.Millisecond, true},
		{"StuckAfter", &c.StuckAfter, 5 * time.Second, true},
		{"ProbeEvery", &c.ProbeEvery, time.Second, true},
		{"ScanEvery", &c.ScanEvery, time.Second, true},
		{"Remember", &c.Remember, 15 * time.Minute, true},
		{"StarvingAfter", &c.StarvingAfter, 100 * time.Millisecond, false},
		{"CriticalAfter", &c.CriticalAfter, time.Second, false},
	} {
		switch {
		case *f.value == 0:
			*f.value = f.usual
		case *f.value < 0 && (!f.never || *f.value != -1):
			return c, fmt.Errorf("inspect: Config.%s is %v; it must be positive, or 0 for %v", f.name, *f.value, f.usual)
		}
	}
	switch {
	case c.CriticalAfter < c.StarvingAfter:
		return c, fmt.Errorf("inspect: Config.CriticalAfter is %v; it must not be less than StarvingAfter, which is %v", c.CriticalAfter, c.StarvingAfter)
	case c.Remember > maxRemember:
		return c, fmt.Errorf("inspect: Config.Remember is %v; it must be at most %v, 0 for 15m, or -1 for nothing", c.Remember, maxRemember)
	case c.Watermark == 0:
		c.Watermark = 0.8
	case !(c.Watermark > 0 && c.Watermark <= 1):
		return c, fmt.Errorf("inspect: Config.Watermark is %v; it must be above 0 and at most 1", c.Watermark)
	}
	return c, nil
}

const (
	// maxRemember bounds Config.Remember: a row takes 150 bytes.
	maxRemember = 24 * time.Hour
	// maxGroups bounds how many events of different causes are kept. Each takes up to 8 KB, and usually some 500 bytes.
	maxGroups = 1000
	// maxIncidents is how many findings are kept that are over.
	maxIncidents = 200
)

// sampleGap keeps the measuring of a busy actor's messages, at 200 ns each, below
// 0.2 % of its time.
const sampleGap = 100 * time.Microsecond

// Inspector looks into one system. Its methods are safe for concurrent use, and
// also work when the system has stopped.
type Inspector struct {
	cfg      Config
	sys      *actor.System
	began    time.Time
	hub      hub
	letters  letters
	failures failures
	counts   counts
	delays   [priorities]Histogram // Of the probes, by priority.
	starved  *starvation
	diagnose *diagnosis.Diagnosis
	wrong    memory.Incidents

	recorderMu sync.Mutex
	recorder   *Recorder

	unobserve func()
	close     sync.Once
	closing   chan struct{}
	running   sync.WaitGroup
}

// New returns an inspector of the system, which is at work until it is closed.
// It reports a configuration that makes no sense as an error. There may be
// several of one system.
func New(sys *actor.System, cfg Config) (*Inspector, error) {
	if sys == nil {
		return nil, errors.New("inspect: New was given a nil system")
	}
	gap := time.Duration(0)
	if cfg.SampleEvery == 0 {
		gap = sampleGap
	}
	cfg, err := cfg.withDefaults()
	if err != nil {
		return nil, err
	}
	i := &Inspector{cfg: cfg, sys: sys, began: time.Now(), closing: make(chan struct{})}
	i.hub.logger = cfg.Logger
	i.letters.limit, i.failures.limit = cfg.Letters, cfg.Failures
	i.diagnose, i.starved = diagnosis.New(sys, cfg.StuckAfter), newStarvation(i)
	if cfg.Remember > 0 {
		i.wrong.Limit, i.hub.groups.Limit = maxIncidents, maxGroups
	}
	if i.unobserve, err = sys.Observe(i.probe(gap)); err != nil {
		return nil, fmt.Errorf("inspect: %w", err)
	}
	i.run(cfg.ProbeEvery, i.starved.look)
	i.run(cfg.ScanEvery, newScan(i).look)
	return i, nil
}

// run calls look again and again until the inspector is closed.
func (i *Inspector) run(every time.Duration, look func()) {
	if every < 0 || (*workers.Scheduler)(i.sys.Scheduler()).Simulated() { // There, time passes as the simulation likes.
		return
	}
	i.running.Go(func() {
		ticker := time.NewTicker(every)
		defer ticker.Stop()
		for {
			select {
			case <-ticker.C:
				look()
			case <-i.closing:
				return
			}
		}
	})
}

// Close ends the inspector's work and all subscriptions. Snapshots can still be
// taken. It may be called more than once.
func (i *Inspector) Close() {
	i.close.Do(func() {
		i.unobserve()
		i.recorderMu.Lock() // From here on nobody begins to record.
		close(i.closing)
		i.recorderMu.Unlock()
		if r := i.Recorder(); r != nil {
			r.Close()
		}
		i.running.Wait()
		i.hub.end()
	})
}

// System returns the system that is inspected.
func (i *Inspector) System() *actor.System { return i.sys }

// probe is what the actors tell the inspector.
func (i *Inspector) probe(gap time.Duration) *actor.Probe {
	p := &actor.Probe{
		Yielded:    func(s actor.Subject) { i.counts.of(s.Kind).yields.Add(1) },
		Ended:      i.ended,
		Restarted:  i.restarted,
		DeadLetter: i.deadLetter,
		TimedOut:   i.timedOut,
	}
	if i.cfg.SampleEvery > 0 {
		p.SampleEvery, p.SampleGap = i.cfg.SampleEvery, gap
		p.Handled = i.counts.handled
	}
	if i.cfg.SlowAfter > 0 {
		p.SlowAfter, p.Slow, p.Blocked = i.cfg.SlowAfter, i.slow, i.blocked
	}
	return p
}
