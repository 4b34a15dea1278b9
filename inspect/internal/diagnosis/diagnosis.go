package diagnosis

import (
	"slices"
	"sync"
	"time"

	"github.com/troupe-go/troupe/actor"
	"github.com/troupe-go/troupe/sched"
)

const (
	// window is for how long failures, rings and lost messages are remembered.
	window = time.Minute
	// maxFindings bounds a list: nobody reads more.
	maxFindings = 100
	// maxKnown bounds how many culprits of each kind are remembered.
	maxKnown = 1000
)

// Load is what the scheduler's probes say.
type Load struct {
	Priority sched.Priority // Of the work that has waited longest for a worker.
	Waited   time.Duration
	Limit    time.Duration // Work that has waited for so long starves.
}

// Diagnosis looks into one system, again and again. Its methods are safe for concurrent use, but for Mailbox and Look, which
// belong to one goroutine.
type Diagnosis struct {
	sys        *actor.System
	stuckAfter time.Duration // Negative if handlers are not judged.
	mail       map[actor.PID]*mailbox
	stacks     stackCache
	refused    uint64 // sched.Stats.SpareLimitReached at the last look.

	mu       sync.Mutex
	failed   history[failureKey]
	rings    history[string]
	lost     history[lostKey]
	since    map[string]time.Time // When each finding of the last look was first seen, by ID.
	forgot   map[string]recent
	findings []Finding
	figures  Figures
}

// recent is a finding that was there a moment ago.
type recent struct {
	Finding
	at time.Time
}

// keep is for how long a forgotten reply is shown after its ask has ended: the next ask will wait in vain, too.
const keep = 10 * time.Second

// remembered returns the forgotten replies that were found a moment ago, and are not found now.
func (d *Diagnosis) remembered(found []Finding, now time.Time) (old []Finding) {
	for _, f := range found {
		if f.Kind == Forgotten {
			if was, ok := d.forgot[f.ID]; ok {
				f.Since = was.Since
			}
			d.forgot[f.ID] = recent{f, now}
		}
	}
	for id, f := range d.forgot {
		switch {
		case now.Sub(f.at) > keep:
			delete(d.forgot, id)
		case f.at != now:
			old = append(old, f.Finding)
		}
	}
	return old
}

// Figures are what a look has measured.
type Figures struct {
	StuckHandlers  int
	LongestHandler time.Duration               // The oldest handler that is under way, victims included.
	OldestMessage  map[string]time.Duration    // By kind of actor, where messages have waited for more than the time between two looks.
	Oldest         map[actor.PID]time.Duration // By actor, where messages have waited for a second; 1,000 at most.
	SparesHeld     int                         // Spare workers that are held by handlers and other work that blocks.
}

// New returns a diagnosis of the system, in which handlers are stuck from a time on, or never if that is negative.
func New(sys *actor.System, stuckAfter time.Duration) *Diagnosis {
	return &Diagnosis{
		sys: sys, stuckAfter: stuckAfter, mail: map[actor.PID]*mailbox{}, since: map[string]time.Time{}, forgot: map[string]recent{},
		refused: sys.Scheduler().Stats().SpareLimitReached,
	}
}

// Findings returns what was wrong at the last look, the worst first.
func (d *Diagnosis) Findings() []Finding {
	d.mu.Lock()
	defer d.mu.Unlock()
	return slices.Clone(d.findings)
}

// Figures returns what the last look has measured.
func (d *Diagnosis) Figures() Figures {
	d.mu.Lock()
	defer d.mu.Unlock()
	return d.figures
}

// Look judges what is known.
func (d *Diagnosis) Look(now time.Time, load Load) {
	s := d.scene(now)
	found := s.stuck()
	found = append(found, s.waiting()...)
	found = append(found, s.starving(load)...)
	found = append(found, s.backlogs()...)
	found = append(found, s.orphaned()...)

	d.mu.Lock()
	defer d.mu.Unlock()
	found = append(found, d.failing(now)...)
	found = append(found, d.ringing(now)...)
	found = append(found, d.losing(now)...)
	found = append(found, d.remembered(found, now)...)
	since := map[string]time.Time{}
	for n := range found {
		f := &found[n]
		if f.Since.IsZero() {
			if f.Since = d.since[f.ID]; f.Since.IsZero() {
				f.Since = now
			}
		}
		since[f.ID], f.Seconds = f.Since, now.Sub(f.Since).Seconds()
	}
	slices.SortFunc(found, worse)
	d.since, d.findings, d.figures = since, found[:min(len(found), maxFindings)], s.figures
}
