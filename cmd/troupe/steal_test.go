package main_test

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"io"
	"strings"
	"testing"

	main "github.com/troupe-go/troupe/cmd/troupe"
	"github.com/troupe-go/troupe/cmd/troupe/internal/steal"
	"github.com/troupe-go/troupe/internal/lane"
)

func TestStealJSON(t *testing.T) {
	lane.Short(t)
	status, stdout, stderr := run(t, "steal", "--json", "--workers", "2", "--load", "0.2", "--keys", "cc",
		"--interval", "50ms", "--duration", "300ms")
	if status != 0 {
		t.Fatalf("the status is %d: %s", status, stderr)
	}
	var s steal.Summary
	d := json.NewDecoder(strings.NewReader(stdout))
	if err := d.Decode(&s); err != nil {
		t.Fatalf("%v in %q", err, stdout)
	}
	if _, err := d.Token(); !errors.Is(err, io.EOF) {
		t.Errorf("there is more than one object in %q", stdout)
	}
	if s.Workers != 2 || s.Interrupted || s.Acts["critical"] != 2 || s.Critical.Jobs < 10 || s.Jobs == 0 || len(s.PerWorker) < 2 {
		t.Errorf("the summary is %+v", s)
	}
	if !strings.Contains(stderr, "submitted 10 critical jobs") {
		t.Errorf("the lines lack the act:\n%s", stderr)
	}
}

func TestStealText(t *testing.T) {
	lane.Short(t)
	status, stdout, stderr := run(t, "steal", "--interval", "20ms", "--duration", "200ms", "--load", "0.1")
	if status != 0 || stderr != "" {
		t.Fatalf("the status is %d: %s", status, stderr)
	}
	for _, want := range []string{" stolen (", "| 0 ", "adaptive stealing", "critical jobs:"} {
		if !strings.Contains(stdout, want) {
			t.Errorf("the report lacks %q:\n%s", want, stdout)
		}
	}
}

func TestStealInterrupt(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	var out, errs bytes.Buffer
	status := main.Run(ctx, []string{"steal", "--json"}, &out, &errs)
	var s steal.Summary
	if err := json.Unmarshal(out.Bytes(), &s); err != nil || !s.Interrupted {
		t.Errorf("the summary %q (%v) does not say interrupted", out.String(), err)
	}
	if status != 130 || !strings.Contains(errs.String(), "interrupted") {
		t.Errorf("the status is %d with %q, want 130", status, errs.String())
	}
}

func TestStealBrokenOutput(t *testing.T) {
	for _, args := range [][]string{{"--interval", "10ms"}, {"--interval", "10ms", "--duration", "20ms", "--json"}} {
		var errs bytes.Buffer
		if status := main.Run(t.Context(), append([]string{"steal"}, args...), brokenWriter{}, &errs); status != 1 {
			t.Errorf("%q: the status is %d, want 1: %s", args, status, errs.String())
		}
		if !strings.Contains(errs.String(), "writing the ") {
			t.Errorf("%q: the message is %q", args, errs.String())
		}
	}
}
