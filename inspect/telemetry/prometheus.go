package telemetry

import (
	"net/http"
	"slices"
	"strings"

	"github.com/prometheus/client_golang/prometheus"
	"github.com/prometheus/client_golang/prometheus/promhttp"

	"github.com/troupe-go/troupe/inspect"
)

// Handler returns a handler of scrapes by Prometheus, in its text format or
// OpenMetrics. A scrape looks at all actors, for about 200 ns each; two at a time
// at most are served, others get status 503. To use a
// registry of your own, see [Collector].
func Handler(i *inspect.Inspector) http.Handler {
	r := prometheus.NewRegistry()
	r.MustRegister(Collector(i))
	return promhttp.HandlerFor(r, promhttp.HandlerOpts{MaxRequestsInFlight: 2, EnableOpenMetrics: true})
}

// Collector returns the figures of the inspector for a registry of Prometheus.
func Collector(i *inspect.Inspector) prometheus.Collector {
	c := &collector{i: i, descs: map[*figure]*prometheus.Desc{}}
	for _, f := range all {
		name := f.prometheusName()
		if f.name != f.unit {
			name += "_" + f.unit
		}
		if f.counter {
			name += "_total"
		}
		c.descs[f] = prometheus.NewDesc(name, f.help, f.labels, nil)
	}
	for _, f := range slices.Concat(measured, ages) {
		c.descs[f] = prometheus.NewDesc(f.prometheusName()+"_seconds", f.help, f.labels, nil)
	}
	return c
}

func (f *figure) prometheusName() string { return "troupe_" + strings.ReplaceAll(f.name, ".", "_") }

type collector struct {
	i     *inspect.Inspector
	descs map[*figure]*prometheus.Desc
}

// Describe says what there is.
func (c *collector) Describe(to chan<- *prometheus.Desc) {
	for _, d := range c.descs {
		to <- d
	}
}

// Collect looks at the system.
func (c *collector) Collect(to chan<- prometheus.Metric) {
	m, w := c.i.Metrics(), c.i.Workers()
	observe(m, w, func(f *figure, value uint64, labels ...string) {
		kind := prometheus.GaugeValue
		if f.counter {
			kind = prometheus.CounterValue
		}
		to <- prometheus.MustNewConstMetric(c.descs[f], kind, float64(value), labels...)
	})
	observeAges(m, func(f *figure, seconds float64, labels ...string) {
		to <- prometheus.MustNewConstMetric(c.descs[f], prometheus.GaugeValue, seconds, labels...)
	})
	for _, k := range m.Kinds {
		to <- c.histogram(&latency, k.Latency, k.Kind)
		for handler, h := range k.Durations {
			to <- c.histogram(&duration, h, k.Kind, handler)
		}
	}
	for priority, h := range m.Delay {
		to <- c.histogram(&delay, h, priority)
	}
}

func (c *collector) histogram(f *figure, h inspect.HistogramSnapshot, labels ...string) prometheus.Metric {
	buckets := map[float64]uint64{}
	sum := uint64(0)
	for n, count := range h.Buckets {
		sum += count
		// A series for each doubling is enough for a store that keeps them for months.
		if bound, ok := h.Bound(n); ok && n%inspect.BucketsPerDoubling == 0 {
			buckets[bound] = sum
		}
	}
	return prometheus.MustNewConstHistogram(c.descs[f], h.Count, h.SumSeconds, buckets, labels...)
}
