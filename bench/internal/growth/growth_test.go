package growth_test

import (
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/troupe-go/troupe/bench/internal/growth"
	"github.com/troupe-go/troupe/internal/bench/report"
	"github.com/troupe-go/troupe/internal/leak"
)

func TestMain(m *testing.M) { leak.Main(m) }

func TestDrawingOfGrowth(t *testing.T) {
	var lines []report.Line
	for _, w := range []string{"grow-message-10", "grow-message-1000", "grow-message-100"} {
		for _, subject := range []string{"troupe", "channels"} {
			lines = append(lines, report.Line{Workload: w, Subject: subject, Procs: 2, Unit: "ns/message", Median: 50})
		}
	}
	lines = append(lines, report.Line{Workload: "ping-pong", Subject: "troupe", Procs: 2, Median: 1})
	dir := filepath.Join(t.TempDir(), "new")
	if err := growth.Draw(lines, dir); err != nil {
		t.Fatal(err)
	}
	text, err := os.ReadFile(filepath.Join(dir, "grow-message.svg"))
	if err != nil {
		t.Fatal(err)
	}
	for _, want := range []string{"<svg", "troupe, 2 procs", "channels, 2 procs", "ns/message"} {
		if !strings.Contains(string(text), want) {
			t.Errorf("the drawing lacks %q", want)
		}
	}
	if files, err := os.ReadDir(dir); err != nil || len(files) != 1 {
		t.Errorf("%d files, %v, want the one that there are points for", len(files), err)
	}
}

func TestNothingToDraw(t *testing.T) {
	lines := []report.Line{{Workload: "ping-pong", Subject: "troupe", Median: 1}, {Workload: "grow-message-x", Median: 1}}
	if err := growth.Draw(lines, t.TempDir()); !errors.Is(err, growth.ErrNothing) {
		t.Errorf("error = %v, want ErrNothing", err)
	}
}

func TestTables(t *testing.T) {
	lines := []report.Line{
		{Workload: "grow-actor-100", Subject: "troupe", Procs: 1, Unit: "ns/actor", Median: 12345},
		{Workload: "grow-actor-10", Subject: "troupe", Procs: 1, Unit: "ns/actor", Median: 5},
		{Workload: "grow-actor-10", Subject: "troupe", Procs: 2, Unit: "ns/actor", Median: 6},
		{Workload: "ping-pong", Subject: "troupe", Procs: 2, Unit: "ns/message", Median: 7},
	}
	grown, others := growth.Split(lines)
	if len(grown) != 3 || len(others) != 1 {
		t.Errorf("split into %d and %d, want 3 and 1", len(grown), len(others))
	}
	var out strings.Builder
	if err := growth.Tables(&out, grown); err != nil {
		t.Fatal(err)
	}
	want := "\n### grow-actor, ns/actor\n\n| actors | troupe, 1 | troupe, 2 |\n|---:|---:|---:|\n| 10 | 5 | 6 |\n| 100 | 12345 | |\n"
	if out.String() != want {
		t.Errorf("got\n%s\nwant\n%s", out.String(), want)
	}
}
