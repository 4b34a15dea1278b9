package telemetry

import (
	"context"
	"slices"
	"time"

	"go.opentelemetry.io/otel/attribute"
	"go.opentelemetry.io/otel/sdk/instrumentation"
	sdk "go.opentelemetry.io/otel/sdk/metric"
	"go.opentelemetry.io/otel/sdk/metric/metricdata"

	"github.com/troupe-go/troupe/journal"
)

// JournalProducer returns the histograms of journals for a reader of OpenTelemetry's SDK, which takes
// it by metric.WithProducer: of commit latency, of the wait for a commit, of recoveries, and of the events in a commit
// and in a recovery. They are what [JournalCollector] gives to Prometheus; the counts come by [InstrumentJournals].
// The histograms are cumulative, since JournalProducer was called. The attribute "troupe.journal" is the journal's name.
// Later changes of the map have no effect. It returns an error if a journal is nil.
func JournalProducer(a Journals) (sdk.Producer, error) {
	of, err := a.copied()
	if err != nil {
		return nil, err
	}
	return &producer{of: of, since: time.Now()}, nil
}

type producer struct {
	of    *Journals
	since time.Time
}

// Produce looks at the journals.
func (p *producer) Produce(context.Context) ([]metricdata.ScopeMetrics, error) {
	now := time.Now()
	points := map[*figure][]metricdata.HistogramDataPoint[float64]{}
	p.of.distributions(func(f *figure, d journal.Distribution, parts float64, name string) {
		point := metricdata.HistogramDataPoint[float64]{
			Attributes: attribute.NewSet(attribute.String("troupe."+f.labels[0], name)), StartTime: p.since, Time: now,
			Count: d.Count, Sum: float64(d.Sum) / parts, Bounds: limits(d, parts), BucketCounts: slices.Clone(d.Buckets[:]),
		}
		points[f] = append(points[f], point)
	})
	metrics := make([]metricdata.Metrics, 0, len(points))
	add := func(f *figure, name, unit string) {
		if len(points[f]) > 0 {
			data := metricdata.Histogram[float64]{DataPoints: points[f], Temporality: metricdata.CumulativeTemporality}
			metrics = append(metrics, metricdata.Metrics{Name: "troupe." + name, Description: f.help, Unit: unit, Data: data})
		}
	}
	for _, f := range timesOfJournals {
		add(f, f.name, f.unit)
	}
	for _, f := range sizesOfJournals {
		add(f, f.name+"."+f.unit, "{event}")
	}
	return []metricdata.ScopeMetrics{{Scope: instrumentation.Scope{Name: scope}, Metrics: metrics}}, nil
}

// limits returns the upper bounds of all buckets but the last one, which has none, in the unit of the figure.
func limits(d journal.Distribution, parts float64) []float64 {
	list := make([]float64, len(d.Buckets)-1)
	for n := range list {
		list[n] = float64(uint64(1)<<n) / parts
	}
	return list
}
