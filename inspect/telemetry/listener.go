package telemetry

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"slices"

	"github.com/prometheus/client_golang/prometheus"
	"go.opentelemetry.io/otel/metric"

	"github.com/troupe-go/troupe/netio"
)

// The figures of a listener.
var (
	open      = figure{"netio.open", "connections", "Connections that are open.", false, []string{"listener"}}
	pausedNow = figure{"netio.paused", "connections", "Connections from which nothing is read, for want of memory.", false, []string{"listener"}}
	buffered  = figure{"netio.buffered", "bytes", "Memory of connections that counts for MaxBufferedTotal.", false, []string{"listener"}}
	accepted  = figure{"netio.accepted", "connections", "Connections that were accepted.", true, []string{"listener"}}
	failed    = figure{"netio.failed", "connections", "Connections that have ended with an error.", true, []string{"listener"}}
	cutOff    = figure{"netio.cut", "connections", "Connections that were ended since others needed their memory.", true, []string{"listener"}}
	received  = figure{"netio.received", "bytes", "Bytes that peers have sent.", true, []string{"listener"}}
	written   = figure{"netio.sent", "bytes", "Bytes that were sent to peers.", true, []string{"listener"}}

	ofListeners = []*figure{&open, &pausedNow, &buffered, &accepted, &failed, &cutOff, &received, &written}
)

func observeListener(name string, l *netio.Listener, emit func(f *figure, value uint64, labels ...string)) {
	st := l.Stats()
	emit(&open, uint64(st.Open), name)
	emit(&pausedNow, uint64(st.Paused), name)
	emit(&buffered, uint64(max(0, st.Buffered)), name)
	emit(&accepted, st.Accepted, name)
	emit(&failed, st.Failed, name)
	emit(&cutOff, st.CutOff, name)
	emit(&received, st.Traffic.BytesIn, name)
	emit(&written, st.Traffic.BytesOut, name)
}

// ListenerCollector returns the figures of listeners for a registry of Prometheus, with the
// names of the map as the label "listener". Later changes of the map have no effect. A
// scrape looks at each open connection. A nil listener shows zeros.
func ListenerCollector(listeners map[string]*netio.Listener) prometheus.Collector {
	c := &listenerCollector{listeners: maps.Clone(listeners), descs: map[*figure]*prometheus.Desc{}}
	for _, f := range ofListeners {
		name := f.prometheusName() + "_" + f.unit
		if f.counter {
			name += "_total"
		}
		c.descs[f] = prometheus.NewDesc(name, f.help, f.labels, nil)
	}
	return c
}

type listenerCollector struct {
	listeners map[string]*netio.Listener
	descs     map[*figure]*prometheus.Desc
}

// Describe says what there is.
func (c *listenerCollector) Describe(to chan<- *prometheus.Desc) {
	for _, d := range c.descs {
		to <- d
	}
}

// Collect looks at the listeners.
func (c *listenerCollector) Collect(to chan<- prometheus.Metric) {
	for name, l := range c.listeners {
		observeListener(name, l, func(f *figure, value uint64, labels ...string) {
			kind := prometheus.GaugeValue
			if f.counter {
				kind = prometheus.CounterValue
			}
			to <- prometheus.MustNewConstMetric(c.descs[f], kind, float64(value), labels...)
		})
	}
}

// InstrumentListeners makes the figures of listeners instruments of the provider's meter
// "github.com/troupe-go/troupe", until the returned function is called. The names of
// the map are the attribute "troupe.listener"; later changes of it have no effect. It
// returns an error for a nil provider, and if a listener is nil. A collection looks at
// each open connection.
func InstrumentListeners(listeners map[string]*netio.Listener, p metric.MeterProvider) (stop func() error, err error) {
	if p == nil {
		return nil, errors.New("telemetry: InstrumentListeners needs a meter provider")
	}
	listeners = maps.Clone(listeners)
	for _, name := range slices.Sorted(maps.Keys(listeners)) {
		if listeners[name] == nil {
			return nil, fmt.Errorf("telemetry: the listener %q is nil", name)
		}
	}
	meter := p.Meter(scope)
	instruments, list, err := observables(meter, ofListeners)
	if err != nil {
		return nil, err
	}
	registration, err := meter.RegisterCallback(func(_ context.Context, to metric.Observer) error {
		for name, l := range listeners {
			observeListener(name, l, func(f *figure, value uint64, labels ...string) {
				to.ObserveInt64(instruments[f], int64(value), f.attributes(labels))
			})
		}
		return nil
	}, list...)
	if err != nil {
		return nil, fmt.Errorf("telemetry: %w", err)
	}
	return registration.Unregister, nil
}
