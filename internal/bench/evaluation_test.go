package bench_test

import (
	"context"
	"encoding/json"
	"errors"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/troupe-go/troupe/internal/bench"
	"github.com/troupe-go/troupe/internal/bench/report"
	"github.com/troupe-go/troupe/internal/bench/suite"
	"github.com/troupe-go/troupe/internal/lane"
	"github.com/troupe-go/troupe/internal/patience"
)

// evaluation is of the planted workload, with runs as small as they get.
func evaluation(t *testing.T, stderr io.Writer, subjects ...*suite.Subject) *bench.Evaluation {
	t.Helper()
	e, err := bench.New(bench.Request{Rounds: 2, Limit: time.Minute}, []*suite.Workload{&planted}, subjects)
	if err != nil {
		t.Fatal(err)
	}
	if e.Runner.Command, err = bench.Self(); err != nil {
		t.Fatal(err)
	}
	e.Runner.Smoke, e.Runner.Stderr = true, stderr
	return e
}

func TestFailuresAreLoudAndOthersGoOn(t *testing.T) {
	var stdout, stderr strings.Builder
	e := evaluation(t, &stderr, slices.Delete(slices.Clone(plantedSubjects), 2, 3)...) // Not the one that hangs.
	e.JSON = true
	if err := e.Run(t.Context(), &stdout); !errors.Is(err, bench.ErrFailed) {
		t.Errorf("error = %v, want ErrFailed", err)
	}
	for _, want := range []string{
		"FAILED: workload planted, subject wrong: exit status 1\n  wrong result: got 0, want 1",
		"FAILED: workload planted, subject panicking: exit status 2\n  panic: a planted panic",
	} {
		if strings.Count(stderr.String(), want) != 1 {
			t.Errorf("standard error should have once %q:\n%s", want, stderr.String())
		}
	}
	seen := map[string]bool{}
	for text := range strings.Lines(stdout.String()) {
		var l report.Line
		if err := json.Unmarshal([]byte(text), &l); err != nil {
			t.Fatalf("%v: %s", err, text)
		}
		seen[l.Subject] = true
		if l.Workload != "planted" || l.Median <= 0 {
			t.Errorf("incomplete: %s", text)
		}
	}
	if len(seen) != 2 || !seen["right"] || !seen["talking"] {
		t.Errorf("want results of right and talking only:\n%s", stdout.String())
	}
}

func TestHangingRunIsEnded(t *testing.T) {
	lane.Short(t)
	var stdout, stderr strings.Builder
	e := evaluation(t, &stderr, plantedSubjects[2])
	e.Runner.Limit = time.Second
	if err := e.Run(t.Context(), &stdout); !errors.Is(err, bench.ErrFailed) {
		t.Errorf("error = %v, want ErrFailed", err)
	}
	// Its stacks follow, unless a slow machine has not even started it by then.
	if !strings.Contains(stderr.String(), "FAILED: workload planted, subject hanging: it hangs: no result after 1s\n") {
		t.Errorf("standard error is\n%s", stderr.String())
	}
}

func TestTablesAndSummary(t *testing.T) {
	var stdout, stderr strings.Builder
	e := evaluation(t, &stderr, plantedSubjects[0], plantedSubjects[4], plantedSubjects[5])
	if err := e.Run(t.Context(), &stdout); !errors.Is(err, bench.ErrFailed) {
		t.Errorf("error = %v, want ErrFailed", err)
	}
	for _, want := range [][]string{
		{"wrong", "FAILED"}, {"right", "1.00"}, {"unable", "cannot: it has nothing for this"}, {"Targets,", "1 of 1 reached"},
		{"planted", "right: ", "ratio at most 1.5", "✓"},
	} {
		if !hasLine(stdout.String(), want) {
			t.Errorf("no line begins with %q and has the rest of %q:\n%s", want[0], want, stdout.String())
		}
	}
}

// hasLine reports whether a line of text begins with the first part and has the
// others.
func hasLine(text string, parts []string) bool {
	for line := range strings.Lines(text) {
		has := strings.HasPrefix(strings.TrimSpace(line), parts[0])
		for _, part := range parts[1:] {
			has = has && strings.Contains(line, part)
		}
		if has {
			return true
		}
	}
	return false
}

func TestInterruptBeforeTheFirstRun(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	var stdout, stderr strings.Builder
	err := evaluation(t, &stderr, plantedSubjects...).Run(ctx, &stdout)
	if !errors.Is(err, bench.ErrInterrupted) || stdout.Len() > 0 || stderr.Len() > 0 {
		t.Errorf("error = %v with %q and %q, want ErrInterrupted and nothing else", err, stdout.String(), stderr.String())
	}
}

// TestInterruptedRunIsGivenUp interrupts a run that would never end, after
// another has brought a result.
func TestInterruptedRunIsGivenUp(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	var stdout, stderr strings.Builder
	e := evaluation(t, &stderr, plantedSubjects[4], plantedSubjects[2])
	e.Runner.Limit = time.Hour
	begun := filepath.Join(t.TempDir(), "begun")
	t.Setenv(hangs, begun)
	done := make(chan error, 1)
	go func() { done <- e.Run(ctx, &stdout) }()
	patience.Until(t, patience.Context(t), func() bool {
		_, err := os.Stat(begun)
		return err == nil
	})
	cancel()
	if err := <-done; !errors.Is(err, bench.ErrInterrupted) {
		t.Errorf("error = %v, want ErrInterrupted", err)
	}
	if stderr.Len() > 0 {
		t.Errorf("the interrupted run counts as failed:\n%s", stderr.String())
	}
	if !hasLine(stdout.String(), []string{"right", "1.00"}) || !hasLine(stdout.String(), []string{"hanging", "not run"}) {
		t.Errorf("want the result of right, and hanging as not run:\n%s", stdout.String())
	}
}

// TestOrphanEnds lets go of the standard input of a run that would never end, as
// the end of its parent does.
func TestOrphanEnds(t *testing.T) {
	self, err := bench.Self()
	if err != nil {
		t.Fatal(err)
	}
	begun := filepath.Join(t.TempDir(), "begun")
	cmd := exec.CommandContext(patience.Context(t), self[0], self[1], `{"Workload":"planted","Subject":"hanging","Smoke":true}`)
	cmd.Env = append(os.Environ(), hangs+"="+begun)
	input, err := cmd.StdinPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	patience.Until(t, patience.Context(t), func() bool {
		_, err := os.Stat(begun)
		return err == nil
	})
	if err := input.Close(); err != nil {
		t.Fatal(err)
	}
	if _ = cmd.Wait(); cmd.ProcessState.ExitCode() != 1 {
		t.Errorf("it ended with %v, want status 1", cmd.ProcessState)
	}
}

type brokenWriter struct{}

func (brokenWriter) Write([]byte) (int, error) { return 0, io.ErrClosedPipe }

func TestBrokenOutput(t *testing.T) {
	var stderr strings.Builder
	err := evaluation(t, &stderr, plantedSubjects[4]).Run(t.Context(), brokenWriter{})
	if !errors.Is(err, io.ErrClosedPipe) {
		t.Errorf("error = %v, want that of the writer", err)
	}
}

func TestList(t *testing.T) {
	var out strings.Builder
	if err := bench.List(&out, workloads, subjects); err != nil {
		t.Fatal(err)
	}
	for _, want := range []string{"plain", "late", "x", "z"} {
		if !hasLine(out.String(), []string{want}) {
			t.Errorf("the list lacks %s:\n%s", want, out.String())
		}
	}
	if err := bench.List(brokenWriter{}, workloads, subjects); !errors.Is(err, io.ErrClosedPipe) {
		t.Errorf("error = %v, want that of the writer", err)
	}
}
