package main_test

import (
	"encoding/json"
	"slices"
	"strings"
	"testing"

	"github.com/troupe-go/troupe/internal/bench/report"
	"github.com/troupe-go/troupe/internal/lane"
	"github.com/troupe-go/troupe/internal/pgserver"
)

func TestBenchJournal(t *testing.T) {
	lane.Check(t)
	t.Parallel()
	status, stdout, stderr := run(t, "bench", "journal", "--quick", "--json")
	if status != 0 || stderr != "" {
		t.Fatalf("the status is %d: %s", status, stderr)
	}
	var got []string
	for text := range strings.Lines(stdout) {
		var l report.Line
		if err := json.Unmarshal([]byte(text), &l); err != nil || l.Median <= 0 {
			t.Errorf("%v: %s", err, text)
		}
		got = append(got, l.Workload+" "+l.Subject)
	}
	want := []string{
		"journal-sqlite troupe", "journal-sqlite raw", "journal-sqlite single", "journal-postgres troupe", "journal-postgres raw",
		"journal-recover troupe", "journal-recover raw", "journal-persist-p50 troupe", "journal-persist-p50 raw",
		"journal-persist-p99 troupe", "journal-persist-p99 raw", "journal-commits-p50 troupe", "journal-commits-p99 troupe",
		"journal-many-p50 troupe", "journal-many-p50 raw", "journal-many-p99 troupe", "journal-many-p99 raw",
	}
	if _, err := pgserver.Find(); err != nil {
		want = slices.DeleteFunc(want, func(row string) bool { return strings.HasPrefix(row, "journal-postgres") })
	}
	if !slices.Equal(got, want) {
		t.Errorf("the rows are %q, want %q", got, want)
	}
}

func TestBenchJournalList(t *testing.T) {
	status, stdout, _ := run(t, "bench", "journal", "--list")
	for _, want := range []string{"journal-sqlite", "journal-postgres", "journal-recover", "journal-persist", "journal-many", "raw", "single"} {
		if status != 0 || !strings.Contains(stdout, want) {
			t.Errorf("the list (status %d) lacks %q:\n%s", status, want, stdout)
		}
	}
}
