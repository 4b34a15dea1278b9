package telemetry_test

import (
	"encoding/json"
	"os"
	"os/exec"
	"regexp"
	"strings"
	"testing"

	"github.com/prometheus/client_golang/prometheus"

	"github.com/troupe-go/troupe/inspect/telemetry"
)

var (
	metricName = regexp.MustCompile(`\btroupe_[a-z_]+\b`)
	ofFinding  = regexp.MustCompile(`troupe_findings\{finding="(\w+)"\} > 0`)
)

// exported has the names of all series that a program exports.
func exported(t *testing.T) map[string]bool {
	t.Helper()
	sys, i := observed(t)
	work(t, sys)
	r := prometheus.NewRegistry()
	wantNoErr(t, r.Register(telemetry.Collector(i)))
	families, err := r.Gather()
	wantNoErr(t, err)
	names := map[string]bool{}
	for _, f := range families {
		names[f.GetName()] = true
		if f.GetType().String() == "HISTOGRAM" {
			for _, part := range []string{"_bucket", "_sum", "_count"} {
				names[f.GetName()+part] = true
			}
		}
	}
	return names
}

func read(t *testing.T, name string) string {
	t.Helper()
	text, err := os.ReadFile(name)
	wantNoErr(t, err)
	return string(text)
}

// The alerts and the dashboard ask for what a program exports.
func TestQueriesAreOfExportedMetrics(t *testing.T) {
	names := exported(t)
	for _, file := range []string{"alerts.yml", "dashboard.json"} {
		found := metricName.FindAllString(read(t, file), -1)
		if len(found) < 10 {
			t.Errorf("%s has %d queries", file, len(found))
		}
		for _, name := range found {
			if !names[name] {
				t.Errorf("%s asks for %s, which is not exported", file, name)
			}
		}
	}
}

// Each kind of finding has an alert.
func TestEachFindingHasAnAlert(t *testing.T) {
	_, i := observed(t)
	alerts := map[string]int{}
	for _, match := range ofFinding.FindAllStringSubmatch(read(t, "alerts.yml"), -1) {
		alerts[match[1]]++
	}
	for kind := range i.Metrics().Findings {
		if alerts[kind] != 1 {
			t.Errorf("the finding %s has %d alerts", kind, alerts[kind])
		}
		delete(alerts, kind)
	}
	for kind := range alerts {
		t.Errorf("there is an alert for %s, which is no finding", kind)
	}
}

// The rules are what Prometheus accepts, as its own tool says.
func TestRulesAreAccepted(t *testing.T) {
	promtool, err := exec.LookPath("promtool")
	if err != nil {
		t.Skip("no promtool in the PATH; on Debian: apt-get install prometheus")
	}
	if out, err := exec.CommandContext(t.Context(), promtool, "check", "rules", "alerts.yml").CombinedOutput(); err != nil {
		t.Errorf("%v: %s", err, out)
	}
}

// The dashboard is JSON, no two panels are in one place, and each has a query.
func TestDashboard(t *testing.T) {
	var board struct {
		Title  string
		Panels []struct {
			ID      int
			Title   string
			GridPos struct{ X, Y, W, H int }
			Targets []struct{ Expr string }
		}
	}
	wantNoErr(t, json.Unmarshal([]byte(read(t, "dashboard.json")), &board))
	taken := map[[2]int]string{}
	ids := map[int]bool{}
	for _, p := range board.Panels {
		if ids[p.ID] || len(p.Targets) == 0 || p.Title == "" {
			t.Errorf("the panel %d %q has no query, or no title, or another one's id", p.ID, p.Title)
		}
		ids[p.ID] = true
		for _, q := range p.Targets {
			if strings.Count(q.Expr, "(") != strings.Count(q.Expr, ")") || !strings.Contains(q.Expr, "troupe_") {
				t.Errorf("the panel %q asks for %q", p.Title, q.Expr)
			}
		}
		for x := p.GridPos.X; x < p.GridPos.X+p.GridPos.W; x++ {
			for y := p.GridPos.Y; y < p.GridPos.Y+p.GridPos.H; y++ {
				if other, is := taken[[2]int{x, y}]; is || x >= 24 {
					t.Errorf("the panels %q and %q are in one place, or beyond the edge", p.Title, other)
				}
				taken[[2]int{x, y}] = p.Title
			}
		}
	}
	if board.Title != "Troupe" || len(board.Panels) < 10 {
		t.Errorf("the dashboard %q has %d panels", board.Title, len(board.Panels))
	}
}
