package telemetry_test

import (
	"context"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"github.com/prometheus/client_golang/prometheus"
	"github.com/prometheus/client_golang/prometheus/promhttp"
	"go.opentelemetry.io/otel/sdk/metric"
	"go.opentelemetry.io/otel/sdk/metric/metricdata"

	"github.com/troupe-go/troupe/inspect/telemetry"
	"github.com/troupe-go/troupe/journal"
	"github.com/troupe-go/troupe/journal/memory"
)

// lag is a projection that is behind.
type lag journal.Lag

func (l lag) Lag() journal.Lag { return journal.Lag(l) }

// scrape returns what Prometheus would read.
func scrape(c prometheus.Collector) string {
	registry := prometheus.NewRegistry()
	registry.MustRegister(c)
	w := httptest.NewRecorder()
	promhttp.HandlerFor(registry, promhttp.HandlerOpts{}).ServeHTTP(w, httptest.NewRequest(http.MethodGet, "/", nil))
	return w.Body.String()
}

// journals returns a journal with a commit of two events, and a projection that is behind.
func journals(tb testing.TB) telemetry.Journals {
	tb.Helper()
	j := journal.New(memory.New())
	e := journal.Encoded{Type: "opened", Schema: 1, Codec: "json", Data: []byte("{}")}
	if err := j.Append(context.Background(), &journal.Write{Stream: "account/1", Events: []journal.Encoded{e, e}}); err != nil {
		tb.Fatal(err)
	}
	return telemetry.Journals{
		Journals:    map[string]*journal.Journal{"bank": j},
		Projections: map[string]telemetry.Lagging{"totals": lag{Waiting: 3, Behind: 1500 * time.Millisecond}},
	}
}

// TestJournals has the figures of a journal read by Prometheus and by OpenTelemetry.
func TestJournals(t *testing.T) {
	of := journals(t)
	c, err := telemetry.JournalCollector(of)
	if err != nil {
		t.Fatal(err)
	}
	text := scrape(c)
	for _, want := range []string{
		`troupe_journal_made_commits_total{journal="bank"} 1`, `troupe_journal_failed_commits_total{journal="bank"} 0`,
		`troupe_journal_stored_writes_total{journal="bank"} 1`, `troupe_journal_stored_events_total{journal="bank"} 2`,
		`troupe_journal_queued_writes{journal="bank"} 0`, `troupe_journal_live_actors{journal="bank"} 0`,
		`troupe_journal_made_recoveries_total{journal="bank"} 0`, `troupe_journal_projection_waiting_events{projection="totals"} 3`,
		`troupe_journal_projection_behind_milliseconds{projection="totals"} 1500`,
		`troupe_journal_commit_duration_seconds_count{journal="bank"} 1`, `troupe_journal_queue_duration_seconds_count{journal="bank"} 1`,
		`troupe_journal_recovery_duration_seconds_count{journal="bank"} 0`, `troupe_journal_commit_events_sum{journal="bank"} 2`,
		`troupe_journal_commit_events_bucket{journal="bank",le="1"} 0`, `troupe_journal_commit_events_bucket{journal="bank",le="2"} 1`,
		`troupe_journal_commit_duration_seconds_bucket{journal="bank",le="+Inf"} 1`,
	} {
		if !strings.Contains(text, want+"\n") {
			t.Errorf("there is no %s in\n%s", want, text)
		}
	}

	reader := metric.NewManualReader()
	stop, err := telemetry.InstrumentJournals(of, metric.NewMeterProvider(metric.WithReader(reader)))
	if err != nil {
		t.Fatal(err)
	}
	got := sumsOfJournals(t, reader)
	for name, n := range map[string]int64{
		"troupe.journal.made_commits": 1, "troupe.journal.failed_commits": 0, "troupe.journal.stored_writes": 1, "troupe.journal.stored_events": 2,
		"troupe.journal.queued": 0, "troupe.journal.live": 0, "troupe.journal.made_recoveries": 0, "troupe.journal.projection.waiting": 3,
		"troupe.journal.projection.behind": 1500,
	} {
		if v, ok := got[name]; !ok || v != n {
			t.Errorf("%s is %d, %v, want %d, of %v", name, v, ok, n, got)
		}
	}
	if err := stop(); err != nil {
		t.Error(err)
	}
	if got := sumsOfJournals(t, reader); len(got) != 0 {
		t.Errorf("after the stop there are %v", got)
	}
}

// TestJournalProducer has a reader of OpenTelemetry's SDK collect the histograms, which are what Prometheus reads.
func TestJournalProducer(t *testing.T) {
	producer, err := telemetry.JournalProducer(journals(t))
	if err != nil {
		t.Fatal(err)
	}
	reader := metric.NewManualReader(metric.WithProducer(producer))
	provider := metric.NewMeterProvider(metric.WithReader(reader))
	defer func() {
		if err := provider.Shutdown(context.Background()); err != nil {
			t.Error(err)
		}
	}()
	var rm metricdata.ResourceMetrics
	if err := reader.Collect(context.Background(), &rm); err != nil {
		t.Fatal(err)
	}
	got := map[string]metricdata.HistogramDataPoint[float64]{}
	for _, scope := range rm.ScopeMetrics {
		for _, m := range scope.Metrics {
			h, ok := m.Data.(metricdata.Histogram[float64])
			if !ok || len(h.DataPoints) != 1 || h.Temporality != metricdata.CumulativeTemporality {
				t.Fatalf("%s is no cumulative histogram of one journal: %+v", m.Name, m.Data)
			}
			got[m.Name+" "+m.Unit] = h.DataPoints[0]
		}
	}
	for name, count := range map[string]uint64{
		"troupe.journal.commit.duration s": 1, "troupe.journal.queue.duration s": 1, "troupe.journal.recovery.duration s": 0,
		"troupe.journal.commit.events {event}": 1, "troupe.journal.recovery.events {event}": 0,
	} {
		p, ok := got[name]
		if !ok || p.Count != count || len(p.BucketCounts) != len(p.Bounds)+1 {
			t.Errorf("%s has %+v, want %d values, and a bucket more than bounds", name, p, count)
		}
		if v, ok := p.Attributes.Value("troupe.journal"); !ok || v.AsString() != "bank" {
			t.Errorf("%s has the attributes %v, want the journal's name", name, p.Attributes)
		}
	}
	sizes := got["troupe.journal.commit.events {event}"]
	if sizes.Sum != 2 || sizes.Bounds[0] != 1 || sizes.BucketCounts[0] != 0 || sizes.BucketCounts[1] != 1 {
		t.Errorf("a commit of two events is counted as %+v", sizes)
	}
}

func TestBadJournals(t *testing.T) {
	for _, a := range []telemetry.Journals{
		{Journals: map[string]*journal.Journal{"none": nil}}, {Projections: map[string]telemetry.Lagging{"none": nil}},
	} {
		_, scraped := telemetry.JournalCollector(a)
		_, observed := telemetry.InstrumentJournals(a, metric.NewMeterProvider())
		_, produced := telemetry.JournalProducer(a)
		for _, err := range []error{scraped, observed, produced} {
			if err == nil || !strings.Contains(err.Error(), `"none" is nil`) {
				t.Errorf("got %v, want that none is nil", err)
			}
		}
	}
	if _, err := telemetry.InstrumentJournals(telemetry.Journals{}, nil); err == nil {
		t.Error("a nil provider is accepted")
	}
}

// sumsOfJournals collects all sums.
func sumsOfJournals(tb testing.TB, reader *metric.ManualReader) map[string]int64 {
	tb.Helper()
	var rm metricdata.ResourceMetrics
	if err := reader.Collect(context.Background(), &rm); err != nil {
		tb.Fatal(err)
	}
	all := map[string]int64{}
	for _, scope := range rm.ScopeMetrics {
		for _, m := range scope.Metrics {
			if s, ok := m.Data.(metricdata.Sum[int64]); ok {
				for _, p := range s.DataPoints {
					all[m.Name] = p.Value
				}
			}
		}
	}
	return all
}
