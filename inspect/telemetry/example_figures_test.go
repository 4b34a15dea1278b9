package telemetry_test

import (
	"bufio"
	"context"
	"fmt"
	"log"
	"net/http/httptest"
	"strings"

	"github.com/prometheus/client_golang/prometheus"
	"go.opentelemetry.io/otel/sdk/metric"
	"go.opentelemetry.io/otel/sdk/metric/metricdata"

	"github.com/troupe-go/troupe/actor"
	"github.com/troupe-go/troupe/inspect"
	"github.com/troupe-go/troupe/inspect/telemetry"
)

// counter is an actor that counts.
type counter struct{ sum int }

func (c *counter) Receive(_ *actor.Context[int], n int) error {
	c.sum += n
	return nil
}

// busySystem returns an inspected system whose actor has handled three messages, and what ends both.
func busySystem() (i *inspect.Inspector, end func()) {
	ctx := context.Background()
	sys, err := actor.NewSystem(actor.Config{})
	if err != nil {
		log.Fatal(err)
	}
	if i, err = inspect.New(sys, inspect.Config{SampleEvery: 1}); err != nil {
		log.Fatal(err)
	}
	ref, err := actor.Spawn(sys, actor.Actor[int](&counter{}))
	if err != nil {
		log.Fatal(err)
	}
	for n := range 3 {
		if err := ref.Send(ctx, n); err != nil {
			log.Fatal(err)
		}
	}
	if err := ref.Drain(ctx); err != nil {
		log.Fatal(err)
	}
	return i, func() {
		i.Close()
		if err := sys.Stop(ctx); err != nil {
			log.Fatal(err)
		}
	}
}

// Prometheus scrapes the figures from a path of the program's own server.
func ExampleHandler() {
	i, end := busySystem()
	defer end()
	scrape := httptest.NewRecorder() // In a program: http.Handle("/metrics", telemetry.Handler(i)).
	telemetry.Handler(i).ServeHTTP(scrape, httptest.NewRequest("GET", "/metrics", nil))
	for lines := bufio.NewScanner(scrape.Body); lines.Scan(); {
		if strings.HasPrefix(lines.Text(), "troupe_actor_handled") || strings.HasPrefix(lines.Text(), "troupe_actor_handler_duration_seconds_count") {
			fmt.Println(lines.Text())
		}
	}
	// Output:
	// troupe_actor_handled_messages_total{kind="telemetry_test.counter"} 3
	// troupe_actor_handler_duration_seconds_count{handler="send",kind="telemetry_test.counter"} 3
}

// A program with a registry of its own adds the figures to it.
func ExampleCollector() {
	i, end := busySystem()
	defer end()
	registry := prometheus.NewRegistry()
	if err := registry.Register(telemetry.Collector(i)); err != nil {
		log.Fatal(err)
	}
	families, err := registry.Gather()
	if err != nil {
		log.Fatal(err)
	}
	for _, f := range families {
		if f.GetName() == "troupe_actor_exits_total" {
			for _, m := range f.GetMetric() {
				if m.GetCounter().GetValue() > 0 {
					fmt.Println(m.GetLabel()[0].GetValue(), m.GetCounter().GetValue())
				}
			}
		}
	}
	// Output: normal 1
}

// A meter provider of OpenTelemetry collects the figures with all others of the program.
func ExampleInstrument() {
	ctx := context.Background()
	i, end := busySystem()
	defer end()
	reader := metric.NewManualReader() // In a program: one that exports them somewhere.
	stop, err := telemetry.Instrument(i, metric.NewMeterProvider(metric.WithReader(reader)), 0)
	if err != nil {
		log.Fatal(err)
	}
	var got metricdata.ResourceMetrics
	if err := reader.Collect(ctx, &got); err != nil {
		log.Fatal(err)
	}
	for _, m := range got.ScopeMetrics[0].Metrics {
		if handled, ok := m.Data.(metricdata.Sum[int64]); ok && m.Name == "troupe.actor.handled" {
			fmt.Println(m.Name, handled.DataPoints[0].Value)
		}
	}
	fmt.Println(stop())
	// Output:
	// troupe.actor.handled 3
	// <nil>
}
