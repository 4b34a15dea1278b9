package telemetry

import (
	"context"
	"errors"
	"fmt"

	"go.opentelemetry.io/otel/attribute"
	"go.opentelemetry.io/otel/metric"

	"github.com/troupe-go/troupe/actor"
	"github.com/troupe-go/troupe/inspect"
)

// scope names the instruments' origin.
const scope = "github.com/troupe-go/troupe"

// kindKey is the attribute of figures and of spans that says which kind of actor they are about.
const kindKey = "troupe.actor.kind"

// bounds are the buckets of histograms, in seconds: OpenTelemetry's own begin
// with 5 ms, which is where it gets slow here.
var bounds = []float64{1e-6, 4e-6, 16e-6, 64e-6, 256e-6, 1e-3, 4e-3, 16e-3, 64e-3, 256e-3, 1, 4, 16, 64}

// Instrument makes the inspector's figures instruments of the provider's meter
// "github.com/troupe-go/troupe", until the returned function is called. Counts
// are observed when the provider collects, for about 200 ns an actor. The
// histograms of latency and duration are recorded as messages are measured, one
// in sampleEvery; see [actor.Probe], whose default 0 means.
func Instrument(i *inspect.Inspector, p metric.MeterProvider, sampleEvery int) (stop func() error, err error) {
	if i == nil || p == nil {
		return nil, errors.New("telemetry: Instrument needs an inspector and a meter provider")
	}
	meter := p.Meter(scope)
	instruments, list, err := observables(meter, all)
	if err != nil {
		return nil, err
	}
	gauges := map[*figure]metric.Float64Observable{}
	for _, f := range ages {
		g, err := meter.Float64ObservableGauge("troupe."+f.name, metric.WithUnit(f.unit), metric.WithDescription(f.help))
		if err != nil {
			return nil, fmt.Errorf("telemetry: %s: %w", f.name, err)
		}
		gauges[f] = g
		list = append(list, g)
	}
	registration, err := meter.RegisterCallback(func(_ context.Context, to metric.Observer) error {
		m := i.Metrics()
		observeAges(m, func(f *figure, seconds float64, labels ...string) {
			to.ObserveFloat64(gauges[f], seconds, f.attributes(labels))
		})
		observe(m, i.Workers(), func(f *figure, value uint64, labels ...string) {
			to.ObserveInt64(instruments[f], int64(value), f.attributes(labels))
		})
		return nil
	}, list...)
	if err != nil {
		return nil, fmt.Errorf("telemetry: %w", err)
	}
	unobserve, err := record(i.System(), meter, sampleEvery)
	if err != nil {
		return nil, errors.Join(err, registration.Unregister())
	}
	return func() error {
		unobserve()
		return registration.Unregister()
	}, nil
}

// observables returns an instrument for each figure.
func observables(meter metric.Meter, figures []*figure) (map[*figure]metric.Int64Observable, []metric.Observable, error) {
	instruments, list := make(map[*figure]metric.Int64Observable, len(figures)), make([]metric.Observable, 0, len(figures))
	for _, f := range figures {
		o, err := f.observable(meter)
		if err != nil {
			return nil, nil, fmt.Errorf("telemetry: %s: %w", f.name, err)
		}
		instruments[f] = o
		list = append(list, o)
	}
	return instruments, list, nil
}

func (f *figure) observable(meter metric.Meter) (metric.Int64Observable, error) {
	name, unit := "troupe."+f.name, "{"+f.unit[:len(f.unit)-1]+"}"
	switch f.name {
	case "actor", "sched", "sched.worker", "actor.throughput": // The unit completes the name.
		name += "." + f.unit
	case "actor.dead", "actor.slow", "actor.stuck", "actor.late", "actor.ask", "actor.forgotten", "actor.dropped", "sched.overdue", "journal.made", "journal.failed", "journal.stored": // Without what is counted it would say something else.
		name += "_" + f.unit
	}
	if f.counter {
		return meter.Int64ObservableCounter(name, metric.WithUnit(unit), metric.WithDescription(f.help))
	}
	return meter.Int64ObservableUpDownCounter(name, metric.WithUnit(unit), metric.WithDescription(f.help))
}

func (f *figure) attributes(values []string) metric.ObserveOption {
	attrs := make([]attribute.KeyValue, 0, len(values))
	for n, v := range values {
		key := "troupe." + f.labels[n]
		if f.labels[n] == "kind" {
			key = kindKey
		}
		attrs = append(attrs, attribute.String(key, v))
	}
	return metric.WithAttributes(attrs...)
}

// record records the messages that are measured.
func record(sys *actor.System, meter metric.Meter, sampleEvery int) (stop func(), err error) {
	histogram := func(f *figure) metric.Float64Histogram {
		h, failed := meter.Float64Histogram("troupe."+f.name, metric.WithUnit(f.unit), metric.WithDescription(f.help),
			metric.WithExplicitBucketBoundaries(bounds...))
		err = errors.Join(err, failed)
		return h
	}
	waits, takes := histogram(&latency), histogram(&duration)
	if err != nil {
		return nil, fmt.Errorf("telemetry: %w", err)
	}
	return sys.Observe(&actor.Probe{SampleEvery: sampleEvery, Handled: func(s actor.Sample) {
		kind := metric.WithAttributes(attribute.String(kindKey, s.Kind))
		if s.Latency >= 0 {
			waits.Record(context.Background(), s.Latency.Seconds(), kind)
		}
		takes.Record(context.Background(), s.Duration.Seconds(), kind, metric.WithAttributes(attribute.String("troupe.handler", s.Handler)))
	}})
}
