package bench_test

import (
	"maps"
	"strings"
	"testing"
	"time"

	"github.com/troupe-go/troupe/internal/bench"
	"github.com/troupe-go/troupe/internal/bench/suite"
)

var (
	plain     = &suite.Workload{Name: "plain", Family: suite.Jobs}
	late      = &suite.Workload{Name: "late", Kind: suite.Latency, Percentiles: []float64{50, 99}}
	workloads = []*suite.Workload{plain, late}
	subjects  = []*suite.Subject{{Name: "x"}, {Name: "y"}, {Name: "z"}}
)

func TestSelection(t *testing.T) {
	for _, c := range []struct {
		names, who string
		workloads  int
		rows       map[string]bool
		subjects   int
	}{
		{"", "", 2, map[string]bool{"plain": true, "late-p50": true, "late-p99": true}, 3},
		{"late", "z x", 1, map[string]bool{"plain": false, "late-p50": true, "late-p99": true}, 2},
		{"late-p99 plain", "y y", 2, map[string]bool{"plain": true, "late-p50": false, "late-p99": true}, 1},
	} {
		e, err := bench.New(bench.Request{
			Workloads: strings.Fields(c.names), Subjects: strings.Fields(c.who), Rounds: 1, Limit: time.Second,
		}, workloads, subjects)
		if err != nil {
			t.Errorf("%q, %q: %v", c.names, c.who, err)
			continue
		}
		if len(e.Workloads) != c.workloads || !maps.Equal(e.Rows, c.rows) || len(e.Subjects) != c.subjects ||
			e.Named != (c.who != "") {
			t.Errorf("%q, %q: %+v, want %+v", c.names, c.who, e, c)
		}
	}
}

func TestBadRequests(t *testing.T) {
	good := bench.Request{Rounds: 1, Limit: time.Second}
	for want, change := range map[string]func(*bench.Request){
		"rounds is 0; it must be at least 1":  func(r *bench.Request) { r.Rounds = 0 },
		"rounds is -3; it must be at least 1": func(r *bench.Request) { r.Rounds = -3 },
		"limit is -1s; it must be positive":   func(r *bench.Request) { r.Limit = -time.Second },
		`unknown workload "late-p98"`:         func(r *bench.Request) { r.Workloads = []string{"plain", "late-p98"} },
		`unknown subject "w"`:                 func(r *bench.Request) { r.Subjects = []string{"x", "w"} },
	} {
		r := good
		change(&r)
		if _, err := bench.New(r, workloads, subjects); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("got %v, want an error with %q", err, want)
		}
	}
}

func TestQuickRunsAreShort(t *testing.T) {
	r := bench.Request{Rounds: 1, Limit: time.Second}
	long, err := bench.New(r, workloads, subjects)
	if err != nil {
		t.Fatal(err)
	}
	r.Quick = true
	short, err := bench.New(r, workloads, subjects)
	if err != nil {
		t.Fatal(err)
	}
	if short.Runner.Duration >= long.Runner.Duration {
		t.Errorf("a quick run takes %v, another %v", short.Runner.Duration, long.Runner.Duration)
	}
}
