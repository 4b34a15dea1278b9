package telemetry_test

import (
	"context"
	"io"
	"net/http/httptest"
	"strings"
	"testing"

	"github.com/prometheus/client_golang/prometheus"
	"github.com/prometheus/client_golang/prometheus/testutil"
	"go.opentelemetry.io/otel/sdk/metric"
	"go.opentelemetry.io/otel/sdk/metric/metricdata"

	"github.com/troupe-go/troupe/actor"
	"github.com/troupe-go/troupe/inspect"
	"github.com/troupe-go/troupe/inspect/telemetry"
	"github.com/troupe-go/troupe/internal/leak"
	"github.com/troupe-go/troupe/internal/patience"
)

func TestMain(m *testing.M) { leak.Main(m) }

type sink struct{}

func (sink) Receive(*actor.Context[int], int) error { return nil }

// observed returns an inspected system.
func observed(t *testing.T) (*actor.System, *inspect.Inspector) {
	t.Helper()
	sys, err := actor.NewSystem(actor.Config{})
	wantNoErr(t, err)
	patience.StopAtEnd(t, sys)
	i, err := inspect.New(sys, inspect.Config{SampleEvery: 1, ProbeEvery: -1})
	wantNoErr(t, err)
	t.Cleanup(i.Close)
	return sys, i
}

// work has an actor handle 20 messages and be gone.
func work(t *testing.T, sys *actor.System) {
	t.Helper()
	ctx := patience.Context(t)
	ref, err := actor.Spawn(sys, actor.Actor[int](sink{}))
	wantNoErr(t, err)
	for range 20 {
		wantNoErr(t, ref.Send(ctx, 1))
	}
	wantNoErr(t, ref.Drain(ctx))
	if ref.Send(ctx, 1) == nil {
		t.Error("an actor that is gone takes a message")
	}
}

func wantNoErr(t *testing.T, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}

func TestHandler(t *testing.T) {
	sys, i := observed(t)
	work(t, sys)
	w := httptest.NewRecorder()
	telemetry.Handler(i).ServeHTTP(w, httptest.NewRequest("GET", "/metrics", nil))
	body, err := io.ReadAll(w.Result().Body)
	wantNoErr(t, err)
	for _, line := range []string{
		`troupe_actor_handled_messages_total{kind="telemetry_test.sink"} 20`,
		`troupe_actor_dead_letters_total{kind="telemetry_test.sink"} 1`,
		`troupe_actor_exits_total{exit="normal",kind="telemetry_test.sink"} 1`,
		`troupe_actor_live_actors{kind="telemetry_test.sink"} 0`,
		`troupe_actor_handler_duration_seconds_count{handler="send",kind="telemetry_test.sink"} 20`,
		`troupe_actor_dropped_messages_total{kind="telemetry_test.sink",lane="data"} 0`,
		`troupe_actor_handler_timeouts_total{action="cancel",kind="telemetry_test.sink"} 0`,
		`troupe_actor_slow_handlers_total{kind="telemetry_test.sink"} 0`,
		`troupe_findings{finding="stuck_handler"} 0`,
		`troupe_actor_stuck_handlers 0`,
		`troupe_actor_handler_oldest_seconds 0`,
		`troupe_actor_message_oldest_seconds{kind="telemetry_test.sink"} 0`,
		`troupe_sched_queued_nodes{priority="normal"} 0`,
		`troupe_sched_worker_runs_total{worker="0"} `,
	} {
		if !strings.Contains(string(body), line) {
			t.Errorf("%s is missing", line)
		}
	}
	if t.Failed() {
		t.Logf("%s", body)
	}
}

// Names, helps and units are as Prometheus would have them.
func TestNamesFollowPrometheus(t *testing.T) {
	sys, i := observed(t)
	work(t, sys)
	r := prometheus.NewPedanticRegistry()
	wantNoErr(t, r.Register(telemetry.Collector(i)))
	problems, err := testutil.GatherAndLint(r)
	wantNoErr(t, err)
	for _, p := range problems {
		t.Errorf("%s: %s", p.Metric, p.Text)
	}
}

func TestInstrument(t *testing.T) {
	ctx := context.Background()
	sys, i := observed(t)
	reader := metric.NewManualReader()
	provider := metric.NewMeterProvider(metric.WithReader(reader))
	stop, err := telemetry.Instrument(i, provider, 1)
	wantNoErr(t, err)
	work(t, sys)
	var got metricdata.ResourceMetrics
	wantNoErr(t, reader.Collect(ctx, &got))
	found := map[string]metricdata.Aggregation{}
	for _, s := range got.ScopeMetrics {
		for _, m := range s.Metrics {
			if _, twice := found[m.Name]; twice || m.Description == "" || m.Unit == "" {
				t.Errorf("%s is there twice, or has no description or unit", m.Name)
			}
			found[m.Name] = m.Data
		}
	}
	handled, ok := found["troupe.actor.handled"].(metricdata.Sum[int64])
	if !ok || !handled.IsMonotonic || len(handled.DataPoints) != 1 || handled.DataPoints[0].Value != 20 {
		t.Errorf("what was handled is %+v", found["troupe.actor.handled"])
	}
	took, ok := found["troupe.actor.handler.duration"].(metricdata.Histogram[float64])
	if !ok || len(took.DataPoints) != 1 || took.DataPoints[0].Count != 20 {
		t.Errorf("the durations are %+v", found["troupe.actor.handler.duration"])
	}
	// Figures and spans have the kind under the same name, and a name says what it is of.
	if kind, ok := handled.DataPoints[0].Attributes.Value("troupe.actor.kind"); !ok || kind.AsString() != "telemetry_test.sink" {
		t.Errorf("the attributes are %v", handled.DataPoints[0].Attributes.ToSlice())
	}
	if ok := took.DataPoints[0].Attributes.HasValue("troupe.actor.kind"); !ok {
		t.Errorf("the attributes are %v", took.DataPoints[0].Attributes.ToSlice())
	}
	if handler, ok := took.DataPoints[0].Attributes.Value("troupe.handler"); !ok || handler.AsString() != "send" {
		t.Errorf("the attributes are %v", took.DataPoints[0].Attributes.ToSlice())
	}
	for _, name := range []string{
		"troupe.findings", "troupe.actor.stuck_handlers", "troupe.actor.handler.oldest",
		"troupe.actor.dropped_messages", "troupe.actor.handler", "troupe.actor.live", "troupe.actor.dead_letters", "troupe.actor.slow_handlers", "troupe.actor.late_replies", "troupe.actor.ask_timeouts", "troupe.actor.forgotten_replies", "troupe.actor.restarts",
		"troupe.actor.throughput.yields", "troupe.sched.overdue_jobs", "troupe.sched.worker.steals", "troupe.actor.message.latency",
	} {
		if found[name] == nil {
			t.Errorf("there is no %s", name)
		}
	}
	wantNoErr(t, stop())
	work(t, sys)
	got = metricdata.ResourceMetrics{}
	wantNoErr(t, reader.Collect(ctx, &got))
	for _, s := range got.ScopeMetrics {
		for _, m := range s.Metrics {
			if h, ok := m.Data.(metricdata.Histogram[float64]); ok && m.Name == "troupe.actor.handler.duration" && h.DataPoints[0].Count != 20 {
				t.Errorf("after the stop it is %+v", h)
			}
		}
	}
	wantNoErr(t, provider.Shutdown(ctx))
}

func TestInstrumentNonsense(t *testing.T) {
	_, i := observed(t)
	if _, err := telemetry.Instrument(i, nil, 0); err == nil {
		t.Error("a nil provider was accepted")
	}
	if _, err := telemetry.Instrument(i, metric.NewMeterProvider(), -1); err == nil {
		t.Error("a negative sample was accepted")
	}
}
