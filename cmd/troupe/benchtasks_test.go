package main_test

import (
	"strings"
	"testing"

	"github.com/troupe-go/troupe/internal/lane"
)

func TestBenchTasksText(t *testing.T) {
	lane.Short(t)
	t.Parallel()
	status, stdout, stderr := run(t, "bench", "tasks", "--quick", "--workload", "spawn-join,first-success")
	if status != 0 || stderr != "" {
		t.Fatalf("the status is %d: %s", status, stderr)
	}
	for _, want := range []string{
		"  troupe ", "  goroutines ", "  errgroup ", "ratio at most 1 ", "ratio to errgroup at most 1 ", "at most 12 ms ",
		" of 3 reached:",
	} {
		if !strings.Contains(stdout, want) {
			t.Errorf("the report lacks %q:\n%s", want, stdout)
		}
	}
}

func TestBenchTasksList(t *testing.T) {
	status, stdout, _ := run(t, "bench", "tasks", "--list")
	for _, want := range []string{"spawn-join", "first-success", "cancel", "errgroup"} {
		if status != 0 || !strings.Contains(stdout, want) {
			t.Errorf("the list (status %d) lacks %q:\n%s", status, want, stdout)
		}
	}
	if status, _, stderr := run(t, "bench", "tasks", "--workload", "flat"); status != 2 || !strings.Contains(stderr, "flat") {
		t.Errorf("a workload of jobs has status %d: %s", status, stderr)
	}
}
