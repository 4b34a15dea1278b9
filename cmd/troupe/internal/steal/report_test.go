package steal_test

import (
	"context"
	"encoding/json"
	"errors"
	"io"
	"strings"
	"testing"
	"time"

	"github.com/troupe-go/troupe/cmd/troupe/internal/steal"
	"github.com/troupe-go/troupe/internal/lane"
	"github.com/troupe-go/troupe/internal/patience"
)

func TestReportLine(t *testing.T) {
	before, now := busyScene().snap, busyScene().snap
	now.At, now.Total.Jobs, now.Note = 3*time.Second, before.Total.Jobs+2000, "a job blocks"
	now.Workers[0].From = map[int]uint64{0: 5, 1: 20}
	want := "3.0 s, adaptive, 14,345 jobs (1,000/s), 704 waiting, 678 stolen (0/s), 9 preempted, 1 blocked, 1 spares, " +
		"critical P50 7.0 µs P99 1.5 ms, a job blocks | 0 working on leaf 1065 queued 10/s from 1 | " +
		"1 blocked on leaf for 0.0 s | 2 stealing on leaf 9 queued\n"
	if got := steal.Line(&now, &before); got != want {
		t.Errorf("got\n%swant\n%s", got, want)
	}
}

func TestLineOfManyWorkers(t *testing.T) {
	s := busyScene().snap
	for range 10 {
		s.Workers = append(s.Workers, s.Workers[0])
	}
	if got := steal.Line(&s, &s); !strings.HasSuffix(got, "| and 5 more\n") || strings.Count(got, "\n") != 1 {
		t.Errorf("got %q", got)
	}
}

func TestReportEndsInTime(t *testing.T) {
	lane.Short(t)
	st := open(t, steal.Config{Workers: 1, Load: 0.5})
	var out strings.Builder
	if err := steal.Report(patience.Context(t), st, &out, 10*time.Millisecond, 200*time.Millisecond); err != nil {
		t.Fatal(err)
	}
	if !strings.Contains(out.String(), "jobs") || !strings.HasSuffix(out.String(), "\n") {
		t.Errorf("the report is %q", out.String())
	}
}

func TestReportEndsWithItsContext(t *testing.T) {
	st := open(t, steal.Config{Workers: 1})
	ctx, cancel := context.WithCancel(patience.Context(t))
	out := writerFunc(func(p []byte) (int, error) { cancel(); return len(p), nil })
	if err := steal.Report(ctx, st, out, 10*time.Millisecond, 0); err != nil {
		t.Error(err)
	}
	if !errors.Is(ctx.Err(), context.Canceled) {
		t.Error("it ended before its context")
	}
}

type writerFunc func(p []byte) (int, error)

func (f writerFunc) Write(p []byte) (int, error) { return f(p) }

func TestReportFailures(t *testing.T) {
	st := open(t, steal.Config{Workers: 1})
	broken := writerFunc(func([]byte) (int, error) { return 0, io.ErrClosedPipe })
	if err := steal.Report(patience.Context(t), st, broken, 10*time.Millisecond, 0); !errors.Is(err, io.ErrClosedPipe) {
		t.Errorf("error = %v, want that of the writer", err)
	}
	if err := steal.Report(patience.Context(t), st, io.Discard, time.Millisecond, 0); !errors.Is(err, steal.ErrInput) {
		t.Errorf("error = %v, want ErrInput", err)
	}
	sick, err := steal.Open(steal.Config{Workers: 1, Script: []steal.Act{99}, ScriptEvery: 10 * time.Millisecond})
	if err != nil {
		t.Fatal(err)
	}
	if err := steal.Report(t.Context(), sick, io.Discard, 10*time.Millisecond, 0); !errors.Is(err, steal.ErrInput) {
		t.Errorf("error = %v, want that of the stage", err)
	}
	if err := sick.Close(patience.Context(t)); !errors.Is(err, steal.ErrInput) {
		t.Errorf("error = %v, want that of the stage", err)
	}
}

func TestSummary(t *testing.T) {
	lane.Short(t)
	st := open(t, steal.Config{Workers: 2, Load: 0.5})
	perform(t, st, "cu+")
	sees(t, st, func(s *steal.Snapshot) bool { return s.Critical.Jobs >= 10 && s.Total.Jobs >= 10_000 })
	sum := st.Summary(true)
	var out strings.Builder
	if err := sum.WriteJSON(&out); err != nil {
		t.Fatal(err)
	}
	var got steal.Summary
	if err := json.Unmarshal([]byte(out.String()), &got); err != nil || strings.Count(out.String(), "\n") != 1 {
		t.Fatalf("%v: %s", err, out.String())
	}
	if got.Jobs < 10_000 || got.Critical.Jobs < 10 || got.Critical.P50 <= 0 || got.Critical.P99 < got.Critical.P50 ||
		got.Strategy != "adaptive" || !got.Interrupted || got.Workers != 2 || len(got.PerWorker) < 2 ||
		got.Acts["critical"] != 1 || got.Acts["more"] != 1 || got.Acts["pause"] != 0 || got.Load != 0.6 || got.Seconds <= 0 {
		t.Errorf("the summary is %s", out.String())
	}
	out.Reset()
	if err := sum.WriteText(&out); err != nil {
		t.Fatal(err)
	}
	for _, want := range []string{"2 workers, adaptive stealing", "(interrupted)", "stolen", "all", "critical jobs: "} {
		if !strings.Contains(out.String(), want) {
			t.Errorf("the summary lacks %q:\n%s", want, out.String())
		}
	}
}
