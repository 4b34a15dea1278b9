package telemetry_test

import (
	"bufio"
	"context"
	"fmt"
	"net"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"github.com/prometheus/client_golang/prometheus"
	"github.com/prometheus/client_golang/prometheus/promhttp"
	"go.opentelemetry.io/otel/sdk/metric"
	"go.opentelemetry.io/otel/sdk/metric/metricdata"

	"github.com/troupe-go/troupe/actor"
	"github.com/troupe-go/troupe/inspect/telemetry"
	"github.com/troupe-go/troupe/internal/patience"
	"github.com/troupe-go/troupe/netio"
)

// TestListeners has the figures of a listener read by Prometheus and by OpenTelemetry, after
// one line has been echoed.
func TestListeners(t *testing.T) {
	ctx := patience.Context(t)
	sys, err := actor.NewSystem(actor.Config{})
	if err != nil {
		t.Fatal(err)
	}
	patience.StopAtEnd(t, sys)
	l, err := netio.Listen(ctx, sys, netio.ListenerConfig[string, string]{
		Codec: netio.Lines{},
		New: func(c *netio.Conn[string]) actor.Actor[string] {
			return actor.Func(func(ctx *actor.Context[string], line string) error { return c.Send(ctx, line) })
		},
	})
	if err != nil {
		t.Fatal(err)
	}
	c, err := net.Dial("tcp", l.Addr().String())
	if err != nil {
		t.Fatal(err)
	}
	defer c.Close() //nolint:errcheck // It is of no use any more.
	if _, err := fmt.Fprintln(c, "1234567"); err != nil {
		t.Fatal(err)
	}
	if _, err := bufio.NewReader(c).ReadString('\n'); err != nil {
		t.Fatal(err)
	}

	listeners := map[string]*netio.Listener{"echo": l}
	registry := prometheus.NewRegistry()
	registry.MustRegister(telemetry.ListenerCollector(listeners))
	handler := promhttp.HandlerFor(registry, promhttp.HandlerOpts{})
	want := []string{
		`troupe_netio_open_connections{listener="echo"} 1`, `troupe_netio_paused_connections{listener="echo"} 0`,
		`troupe_netio_buffered_bytes{listener="echo"} 0`, `troupe_netio_accepted_connections_total{listener="echo"} 1`,
		`troupe_netio_failed_connections_total{listener="echo"} 0`, `troupe_netio_cut_connections_total{listener="echo"} 0`,
		`troupe_netio_received_bytes_total{listener="echo"} 8`, `troupe_netio_sent_bytes_total{listener="echo"} 8`,
	}
	patience.Until(t, ctx, func() bool { // Bytes are counted after they were written.
		w := httptest.NewRecorder()
		handler.ServeHTTP(w, httptest.NewRequest(http.MethodGet, "/", nil))
		for _, line := range want {
			if !strings.Contains(w.Body.String(), line+"\n") {
				return false
			}
		}
		return true
	})

	reader := metric.NewManualReader()
	stop, err := telemetry.InstrumentListeners(listeners, metric.NewMeterProvider(metric.WithReader(reader)))
	if err != nil {
		t.Fatal(err)
	}
	got := sums(t, ctx, reader)
	for name, n := range map[string]int64{"troupe.netio.open": 1, "troupe.netio.accepted": 1, "troupe.netio.received": 8, "troupe.netio.sent": 8, "troupe.netio.cut": 0} {
		if v, ok := got[name]; !ok || v != n {
			t.Errorf("%s is %d, %v, want %d", name, v, ok, n)
		}
	}
	if err := stop(); err != nil {
		t.Error(err)
	}
	if got := sums(t, ctx, reader); len(got) != 0 {
		t.Errorf("after the stop there are %v", got)
	}
	if _, err := telemetry.InstrumentListeners(map[string]*netio.Listener{"none": nil}, metric.NewMeterProvider()); err == nil {
		t.Error("a nil listener is accepted")
	}
	if _, err := telemetry.InstrumentListeners(listeners, nil); err == nil {
		t.Error("a nil provider is accepted")
	}
}

// sums collects all sums that have the attribute of the listener.
func sums(tb testing.TB, ctx context.Context, reader *metric.ManualReader) map[string]int64 {
	tb.Helper()
	var rm metricdata.ResourceMetrics
	if err := reader.Collect(ctx, &rm); err != nil {
		tb.Fatal(err)
	}
	all := map[string]int64{}
	for _, scope := range rm.ScopeMetrics {
		for _, m := range scope.Metrics {
			if s, ok := m.Data.(metricdata.Sum[int64]); ok {
				for _, p := range s.DataPoints {
					if v, _ := p.Attributes.Value("troupe.listener"); v.AsString() == "echo" {
						all[m.Name] = p.Value
					}
				}
			}
		}
	}
	return all
}
