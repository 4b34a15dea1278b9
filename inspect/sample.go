package inspect

import (
	"cmp"
	"slices"
	"sync"
	"time"

	"github.com/troupe-go/troupe/inspect/internal/memory"
)

// Sample says what a system did in an interval, and how it is at its end.
type Sample struct {
	Time time.Time `json:"time"`
	// IntervalSeconds is since the sample before, or 0 in the first one, whose
	// rates and quantiles are 0.
	IntervalSeconds float64 `json:"interval_seconds"`

	Actors  int `json:"actors"`
	Mailbox int `json:"mailbox"` // Messages that wait, in all lanes.
	Senders int `json:"senders"` // Senders that wait for room.
	Waits   int `json:"waits"`   // Handlers that wait for other actors.
	InCycle int `json:"in_cycle"`
	Ghosts  int `json:"ghosts"`

	HandledPerSecond float64 `json:"handled_per_second"`
	DeadPerSecond    float64 `json:"dead_letters_per_second"`
	DeadLetters      uint64  `json:"dead_letters"`
	Restarts         uint64  `json:"restarts"`
	SlowHandlers     uint64  `json:"slow_handlers"`
	Timeouts         uint64  `json:"timeouts"`
	// SlowPerSecond and RestartsPerSecond are of the interval, while SlowHandlers and Restarts count from the beginning.
	SlowPerSecond     float64 `json:"slow_per_second"`
	RestartsPerSecond float64 `json:"restarts_per_second"`
	// LongestHandlerSeconds is for how long the oldest handler that has not returned has been under way, and
	// OldestMessageSeconds is for how long the oldest message has waited, both as of the last look at findings.
	LongestHandlerSeconds float64 `json:"longest_handler_seconds"`
	OldestMessageSeconds  float64 `json:"oldest_message_seconds"`
	// Findings is how many there are; see [Inspector.Findings].
	Findings int `json:"findings"`

	// The quantiles are of what was measured in the interval, rounded up to the
	// next bound of a [Histogram]. As one message in many is measured, an
	// interval may have none; then they are from the last interval that had some, for 10 s.
	// That goes for each kind, for all of them together, and for each priority.
	LatencyP50Seconds  float64 `json:"latency_p50_seconds"`
	LatencyP99Seconds  float64 `json:"latency_p99_seconds"`
	DurationP50Seconds float64 `json:"duration_p50_seconds"`
	DurationP99Seconds float64 `json:"duration_p99_seconds"`
	DelayP99Seconds    float64 `json:"delay_p99_seconds"` // Of work, for a worker.

	Queued  map[string]int `json:"queued"` // Work, by priority.
	Awake   int            `json:"awake"`
	Jobs    int            `json:"jobs"`
	Workers []WorkerSample `json:"workers"`
	// Kinds are those with the most messages handled; 50 at most.
	Kinds []KindSample `json:"kinds"`
}

// WorkerSample says what a worker did in an interval.
type WorkerSample struct {
	ID        int    `json:"id"`
	Spare     bool   `json:"spare,omitempty"`
	State     string `json:"state"`
	Queued    int    `json:"queued"`
	Ran       uint64 `json:"ran"`
	Stolen    uint64 `json:"stolen"`
	Parked    uint64 `json:"parked"`
	Preempted uint64 `json:"preempted"`
	Yielded   uint64 `json:"yielded"`
	Blocked   uint64 `json:"blocked"`
}

// KindSample says what the actors of a kind did in an interval.
type KindSample struct {
	Kind               string  `json:"kind"`
	Actors             int     `json:"actors"`
	Mailbox            int     `json:"mailbox"`
	Senders            int     `json:"senders"`
	HandledPerSecond   float64 `json:"handled_per_second"`
	LatencyP99Seconds  float64 `json:"latency_p99_seconds"`
	DurationP99Seconds float64 `json:"duration_p99_seconds"`
	Restarts           uint64  `json:"restarts"`
	Failed             uint64  `json:"failed"` // Ends, since the beginning.
}

const (
	// maxKinds bounds a sample.
	maxKinds = 50
	// history is how many samples are kept: two minutes at the usual rate.
	history = 240
	// pause is for how long nobody has looked when what was before is not compared
	// any more.
	pause = 15 * time.Second
)

// sampler takes samples for all who look, when they do: it has no goroutine.
type sampler struct {
	i      *Inspector
	before *sampler // It has looked before this one began, or is nil.

	mu      sync.Mutex
	last    []Sample
	metrics Metrics
	workers map[int]Worker
	shown   map[[2]string]*shown // The keys are the figure, and the kind or priority.
}

// keepShown is for how long quantiles are shown where nothing new is measured.
const keepShown = 10 * time.Second

// shown is what was measured in the last interval that had something.
type shown struct {
	HistogramSnapshot
	at time.Time
}

// update takes what was measured in an interval, and returns what is to be shown.
func (s *shown) update(measured HistogramSnapshot, now time.Time) HistogramSnapshot {
	if measured.Count > 0 || now.Sub(s.at) > keepShown {
		s.HistogramSnapshot, s.at = measured, now
	}
	return s.HistogramSnapshot
}

// show is update for what has that name.
func (s *sampler) show(what, of string, measured HistogramSnapshot, now time.Time) HistogramSnapshot {
	key := [2]string{what, of}
	one := s.shown[key]
	if one == nil {
		if s.shown == nil {
			s.shown = map[[2]string]*shown{}
		}
		one = &shown{}
		s.shown[key] = one
	}
	return one.update(measured, now)
}

// take returns a sample. It may be the sample of another caller if that is fresh.
func (s *sampler) take(fresh time.Duration) Sample {
	s.mu.Lock()
	defer s.mu.Unlock()
	now := time.Now()
	interval := time.Duration(0)
	if n := len(s.last); n == 0 || now.Sub(s.last[n-1].Time) > pause {
		s.before.lend(s)
	}
	if n := len(s.last); n > 0 {
		interval = now.Sub(s.last[n-1].Time)
		if interval < fresh {
			return s.last[n-1]
		}
		if interval > pause {
			interval, s.last, s.shown = 0, nil, nil
		}
	}
	sample := s.compare(now, interval.Seconds())
	sample.Time = now
	s.last = append(s.last, sample)
	if len(s.last) > history {
		s.last = slices.Delete(s.last, 0, len(s.last)-history)
	}
	return sample
}

// lend has another sampler begin behind the last sample of this one, so that its first sample has rates. The other one's mu is held.
func (s *sampler) lend(to *sampler) {
	if s == nil {
		return
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	if n := len(s.last); n > 0 {
		to.last, to.metrics, to.workers, to.shown = []Sample{s.last[n-1]}, s.metrics, s.workers, nil
	}
}

// past returns the samples so far, the oldest first.
func (s *sampler) past() []Sample {
	s.mu.Lock()
	defer s.mu.Unlock()
	return slices.Clone(s.last)
}

// compare looks at the system, and says what is different from the last time.
func (s *sampler) compare(now time.Time, seconds float64) Sample {
	m, graph := s.i.Metrics(), graphOf(s.i.Waits())
	sample := Sample{
		IntervalSeconds: seconds, Actors: m.Actors, Waits: graph.Total, InCycle: graph.InCycle, Ghosts: m.Ghosts,
		DeadLetters: m.DeadLetters, SlowHandlers: m.SlowHandlers, Timeouts: m.Timeouts,
		DeadPerSecond: rate(m.DeadLetters, s.metrics.DeadLetters, seconds),
		SlowPerSecond: rate(m.SlowHandlers, s.metrics.SlowHandlers, seconds), LongestHandlerSeconds: m.LongestHandlerSeconds,
	}
	for _, n := range m.Findings {
		sample.Findings += n
	}
	s.addKinds(&sample, m, now)
	for name, d := range m.Delay {
		if seconds > 0 {
			d = s.show("delay", name, d.minus(s.metrics.Delay[name]), now)
			sample.DelayP99Seconds = max(sample.DelayP99Seconds, d.Quantile(.99).Seconds())
		}
	}
	s.addWorkers(&sample)
	s.metrics = m
	return sample
}

func (s *sampler) addKinds(sample *Sample, m Metrics, now time.Time) {
	seconds := sample.IntervalSeconds
	before := map[string]KindMetrics{}
	for _, k := range s.metrics.Kinds {
		before[k.Kind] = k
	}
	var latency, duration HistogramSnapshot
	for _, k := range m.Kinds {
		b := before[k.Kind]
		one := KindSample{
			Kind: k.Kind, Actors: k.Actors, Mailbox: k.Mailbox, Senders: k.Senders, Restarts: k.Restarts,
			Failed: k.Exits["failed"], HandledPerSecond: rate(k.Handled, b.Handled, seconds),
		}
		if seconds > 0 {
			l, d := k.Latency.minus(b.Latency), k.Duration.minus(b.Duration)
			latency, duration = latency.plus(l), duration.plus(d)
			l, d = s.show("latency", k.Kind, l, now), s.show("duration", k.Kind, d, now)
			one.LatencyP99Seconds, one.DurationP99Seconds = l.Quantile(.99).Seconds(), d.Quantile(.99).Seconds()
		}
		sample.Mailbox += k.Mailbox
		sample.Senders += k.Senders
		sample.Restarts += k.Restarts
		sample.RestartsPerSecond += rate(k.Restarts, b.Restarts, seconds)
		sample.OldestMessageSeconds = max(sample.OldestMessageSeconds, k.OldestMessageSeconds)
		sample.HandledPerSecond += one.HandledPerSecond
		sample.Kinds = append(sample.Kinds, one)
	}
	if seconds > 0 {
		latency, duration = s.show("latency of all", "", latency, now), s.show("duration of all", "", duration, now)
	}
	sample.LatencyP50Seconds, sample.LatencyP99Seconds = latency.Quantile(.5).Seconds(), latency.Quantile(.99).Seconds()
	sample.DurationP50Seconds, sample.DurationP99Seconds = duration.Quantile(.5).Seconds(), duration.Quantile(.99).Seconds()
	slices.SortStableFunc(sample.Kinds, func(a, b KindSample) int { return cmp.Compare(b.HandledPerSecond, a.HandledPerSecond) })
	sample.Kinds = sample.Kinds[:min(len(sample.Kinds), maxKinds)]
}

func (s *sampler) addWorkers(sample *Sample) {
	w := s.i.Workers()
	sample.Queued, sample.Awake, sample.Jobs = w.Queued, w.Awake, w.Jobs
	now := map[int]Worker{}
	for _, one := range w.Workers {
		now[one.ID] = one
		b, known := s.workers[one.ID]
		if sample.IntervalSeconds == 0 || !known {
			b = one
		}
		queued := 0
		for _, n := range one.Queued {
			queued += n
		}
		sample.Workers = append(sample.Workers, WorkerSample{
			ID: one.ID, Spare: one.Spare, State: one.State, Queued: queued, Ran: since(one.Ran, b.Ran), Stolen: since(one.Stolen, b.Stolen),
			Parked: since(one.Parked, b.Parked), Preempted: since(one.Preempted, b.Preempted), Yielded: since(one.Yielded, b.Yielded),
			Blocked: since(one.Blocked, b.Blocked),
		})
	}
	s.workers = now
}

// since returns how much a counter has grown. One that begins again has not.
func since(now, before uint64) uint64 {
	if now < before {
		return 0
	}
	return now - before
}

func rate(now, before uint64, seconds float64) float64 {
	if seconds <= 0 {
		return 0
	}
	return float64(since(now, before)) / seconds
}

// minus returns what was counted since the given snapshot.
func (s HistogramSnapshot) minus(before HistogramSnapshot) (d HistogramSnapshot) {
	d.SumSeconds = s.SumSeconds - before.SumSeconds
	for n := range s.Buckets {
		d.Buckets[n] = since(s.Buckets[n], before.Buckets[n])
		d.Count += d.Buckets[n]
	}
	return d
}

// plus returns what either has counted.
func (s HistogramSnapshot) plus(other HistogramSnapshot) HistogramSnapshot {
	s.Count += other.Count
	s.SumSeconds += other.SumSeconds
	for n := range s.Buckets {
		s.Buckets[n] += other.Buckets[n]
	}
	return s
}

// rememberEvery is the time between two rows of the past.
const rememberEvery = time.Second

// remembered are the figures that are kept, by their names in the JSON of a Sample.
var remembered = []struct {
	name string
	of   func(*Sample) float64
}{
	{"handled_per_second", func(s *Sample) float64 { return s.HandledPerSecond }},
	{"latency_p50_seconds", func(s *Sample) float64 { return s.LatencyP50Seconds }},
	{"latency_p99_seconds", func(s *Sample) float64 { return s.LatencyP99Seconds }},
	{"duration_p50_seconds", func(s *Sample) float64 { return s.DurationP50Seconds }},
	{"duration_p99_seconds", func(s *Sample) float64 { return s.DurationP99Seconds }},
	{"longest_handler_seconds", func(s *Sample) float64 { return s.LongestHandlerSeconds }},
	{"oldest_message_seconds", func(s *Sample) float64 { return s.OldestMessageSeconds }},
	{"mailbox", func(s *Sample) float64 { return float64(s.Mailbox) }},
	{"senders", func(s *Sample) float64 { return float64(s.Senders) }},
	{"delay_p99_seconds", func(s *Sample) float64 { return s.DelayP99Seconds }},
	{"waits", func(s *Sample) float64 { return float64(s.Waits) }},
	{"in_cycle", func(s *Sample) float64 { return float64(s.InCycle) }},
	{"dead_letters_per_second", func(s *Sample) float64 { return s.DeadPerSecond }},
	{"slow_per_second", func(s *Sample) float64 { return s.SlowPerSecond }},
	{"restarts_per_second", func(s *Sample) float64 { return s.RestartsPerSecond }},
	{"actors", func(s *Sample) float64 { return float64(s.Actors) }},
	{"findings", func(s *Sample) float64 { return float64(s.Findings) }},
}

// past is what a page remembers, also while it is not open. A goroutine of the inspector takes a sample each second, and keeps
// the figures of it.
type past struct {
	sampler sampler // Its own, since the samples of open pages have other intervals.
	figures *memory.Series
	due     time.Time // The next look. Used by the goroutine alone.
}

// newPast returns the past of an inspector, which is empty, and grows until the inspector is closed.
func newPast(i *Inspector) *past {
	var names []string
	for _, r := range remembered {
		names = append(names, r.name)
	}
	p := &past{sampler: sampler{i: i}}
	if i.cfg.Remember < 0 {
		p.figures = memory.NewSeries(0, names...)
		return p
	}
	p.figures = memory.NewSeries(max(2, int(i.cfg.Remember/rememberEvery)), names...)
	i.recorderMu.Lock()
	defer i.recorderMu.Unlock()
	select {
	case <-i.closing: // From here on nobody begins.
	default:
		i.run(rememberEvery, p.look)
	}
	return p
}

// look adds a row. Its cost bounds how often that happens, as with a page.
func (p *past) look() {
	began := time.Now()
	if began.Before(p.due) {
		return
	}
	s := p.sampler.take(0)
	p.due = began.Add(min(costFactor*time.Since(began), maxWait)).Add(-rememberEvery / 2) // The ticker comes a little early at times.
	p.sampler.forget()
	if s.IntervalSeconds == 0 {
		return // It has no rates.
	}
	row := make([]float64, 0, len(remembered))
	for _, r := range remembered {
		row = append(row, r.of(&s))
	}
	p.figures.Add(s.Time, row...)
}

// forget leaves nothing but the last sample.
func (s *sampler) forget() {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.last = append([]Sample{}, s.last[max(0, len(s.last)-1):]...)
}
