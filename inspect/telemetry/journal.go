package telemetry

import (
	"context"
	"errors"
	"fmt"
	"maps"

	"github.com/prometheus/client_golang/prometheus"
	"go.opentelemetry.io/otel/metric"

	"github.com/troupe-go/troupe/journal"
)

// Journals are the journals of a program, and what follows them, by names. The names are
// labels, so there should be few of them.
type Journals struct {
	Journals map[string]*journal.Journal
	// Projections are projections and outboxes.
	Projections map[string]Lagging
}

// Lagging is a [journal.Projection] or a [journal.Outbox].
type Lagging interface{ Lag() journal.Lag }

// The figures of a journal.
var (
	commits     = figure{"journal.made", "commits", "Commits of the store.", true, []string{"journal"}}
	notMade     = figure{"journal.failed", "commits", "Commits that returned an error.", true, []string{"journal"}}
	storeWrites = figure{"journal.stored", "writes", "Writes in the commits.", true, []string{"journal"}}
	storeEvents = figure{"journal.stored", "events", "Events in the commits.", true, []string{"journal"}}
	inQueue     = figure{"journal.queued", "writes", "Writes that wait for their commit.", false, []string{"journal"}}
	sourced     = figure{"journal.live", "actors", "Event-sourced actors that have recovered and have not ended.", false, []string{"journal"}}
	recovered   = figure{"journal.made", "recoveries", "Actors that have read their state.", true, []string{"journal"}}
	lagging     = figure{"journal.projection.waiting", "events", "Events that the projection has seen and has not handled.", false, []string{"projection"}}
	behind      = figure{"journal.projection.behind", "milliseconds", "The age of the oldest of these events.", false, []string{"projection"}}

	ofJournals = []*figure{&commits, &notMade, &storeWrites, &storeEvents, &inQueue, &sourced, &recovered, &lagging, &behind}
)

// The distributions of a journal. Times are in us.
var (
	commitTimes   = figure{"journal.commit.duration", "s", "Time that a commit of the store took.", true, []string{"journal"}}
	queueTimes    = figure{"journal.queue.duration", "s", "Time that a write has waited for the beginning of its commit.", true, []string{"journal"}}
	recoveryTimes = figure{"journal.recovery.duration", "s", "Time that an actor took to read its state.", true, []string{"journal"}}
	commitEvents  = figure{"journal.commit", "events", "Events in a commit.", true, []string{"journal"}}
	replayed      = figure{"journal.recovery", "events", "Events that an actor has read for its state.", true, []string{"journal"}}

	timesOfJournals = []*figure{&commitTimes, &queueTimes, &recoveryTimes}
	sizesOfJournals = []*figure{&commitEvents, &replayed}
)

func (a *Journals) observe(emit func(f *figure, value uint64, labels ...string)) {
	for name, j := range a.Journals {
		s := j.Stats()
		emit(&commits, s.Commits, name)
		emit(&notMade, s.Failed, name)
		emit(&storeWrites, s.Writes, name)
		emit(&storeEvents, s.Events, name)
		emit(&inQueue, uint64(s.Queue), name)
		emit(&sourced, uint64(s.Living), name)
		emit(&recovered, s.RecoveryTimes.Count, name)
	}
	for name, p := range a.Projections {
		lag := p.Lag()
		emit(&lagging, uint64(lag.Waiting), name)
		emit(&behind, uint64(lag.Behind.Milliseconds()), name)
	}
}

// distributions emits the distributions, each with how many parts of its values one unit has.
func (a *Journals) distributions(emit func(f *figure, d journal.Distribution, parts float64, name string)) {
	for name, j := range a.Journals {
		s := j.Stats()
		emit(&commitTimes, s.CommitTimes, 1e6, name)
		emit(&queueTimes, s.QueueTimes, 1e6, name)
		emit(&recoveryTimes, s.RecoveryTimes, 1e6, name)
		emit(&commitEvents, s.CommitEvents, 1, name)
		emit(&replayed, s.Replayed, 1, name)
	}
}

// copied returns the journals with maps of their own, or an error if one is nil.
func (a Journals) copied() (*Journals, error) {
	for name, j := range a.Journals {
		if j == nil {
			return nil, fmt.Errorf("telemetry: the journal %q is nil", name)
		}
	}
	for name, p := range a.Projections {
		if p == nil {
			return nil, fmt.Errorf("telemetry: the projection %q is nil", name)
		}
	}
	return &Journals{maps.Clone(a.Journals), maps.Clone(a.Projections)}, nil
}

// JournalCollector returns the figures of journals for a registry of Prometheus, with the
// names as the labels "journal" and "projection": among them histograms of commit latency, of the wait for a commit, of
// recoveries, and of the events in a commit. Later changes of the maps have no effect. It returns an
// error if a journal or a projection is nil.
func JournalCollector(a Journals) (prometheus.Collector, error) {
	of, err := a.copied()
	if err != nil {
		return nil, err
	}
	c := &journalCollector{of: of, descs: map[*figure]*prometheus.Desc{}}
	for _, f := range ofJournals {
		name := f.prometheusName() + "_" + f.unit
		if f.counter {
			name += "_total"
		}
		c.descs[f] = prometheus.NewDesc(name, f.help, f.labels, nil)
	}
	for _, f := range timesOfJournals {
		c.descs[f] = prometheus.NewDesc(f.prometheusName()+"_seconds", f.help, f.labels, nil)
	}
	for _, f := range sizesOfJournals {
		c.descs[f] = prometheus.NewDesc(f.prometheusName()+"_"+f.unit, f.help, f.labels, nil)
	}
	return c, nil
}

type journalCollector struct {
	of    *Journals
	descs map[*figure]*prometheus.Desc
}

// Describe says what there is.
func (c *journalCollector) Describe(to chan<- *prometheus.Desc) {
	for _, d := range c.descs {
		to <- d
	}
}

// Collect looks at the journals.
func (c *journalCollector) Collect(to chan<- prometheus.Metric) {
	c.of.observe(func(f *figure, value uint64, labels ...string) {
		kind := prometheus.GaugeValue
		if f.counter {
			kind = prometheus.CounterValue
		}
		to <- prometheus.MustNewConstMetric(c.descs[f], kind, float64(value), labels...)
	})
	c.of.distributions(func(f *figure, d journal.Distribution, parts float64, name string) {
		to <- c.histogram(f, d, parts, name)
	})
}

// histogram returns a distribution whose values are parts of the unit.
func (c *journalCollector) histogram(f *figure, d journal.Distribution, parts float64, name string) prometheus.Metric {
	buckets := map[float64]uint64{}
	sum := uint64(0)
	for n, limit := range limits(d, parts) {
		sum += d.Buckets[n]
		buckets[limit] = sum
	}
	return prometheus.MustNewConstHistogram(c.descs[f], d.Count, float64(d.Sum)/parts, buckets, name)
}

// InstrumentJournals makes the counts of journals instruments of the provider's meter
// "github.com/troupe-go/troupe", until the returned function is called. The names are the
// attributes "troupe.journal" and "troupe.projection"; later changes of the maps have no effect. It returns an
// error for a nil provider, and if a journal or a projection is nil. OpenTelemetry's meters have no histograms that are
// observed: the distributions are in [JournalProducer].
func InstrumentJournals(a Journals, p metric.MeterProvider) (stop func() error, err error) {
	if p == nil {
		return nil, errors.New("telemetry: InstrumentJournals needs a meter provider")
	}
	of, err := a.copied()
	if err != nil {
		return nil, err
	}
	meter := p.Meter(scope)
	instruments, list, err := observables(meter, ofJournals)
	if err != nil {
		return nil, err
	}
	registration, err := meter.RegisterCallback(func(_ context.Context, to metric.Observer) error {
		of.observe(func(f *figure, value uint64, labels ...string) {
			to.ObserveInt64(instruments[f], int64(value), f.attributes(labels))
		})
		return nil
	}, list...)
	if err != nil {
		return nil, fmt.Errorf("telemetry: %w", err)
	}
	return registration.Unregister, nil
}
