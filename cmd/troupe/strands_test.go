package main_test

import (
	"bytes"
	"context"
	"encoding/json"
	"strings"
	"testing"

	main "github.com/troupe-go/troupe/cmd/troupe"
	"github.com/troupe-go/troupe/cmd/troupe/internal/strands"
)

func TestStrandsJSON(t *testing.T) {
	status, stdout, stderr := run(t, "strands", "--json", "--count", "2000", "--switches", "4000")
	if status != 0 || stderr != "" {
		t.Fatalf("the status is %d: %s", status, stderr)
	}
	var r strands.Report
	if err := json.Unmarshal([]byte(stdout), &r); err != nil {
		t.Fatalf("%v in %q", err, stdout)
	}
	if r.Count != 2000 || r.Partial || r.Strands.Among != 2000 {
		t.Errorf("the report is %+v", r)
	}
	for _, f := range []strands.Figures{r.Strands, r.Goroutines} {
		if f.SpawnSeconds <= 0 || f.EndSeconds <= 0 || f.BytesEach < 100 || f.SwitchTwo <= 0 || f.SwitchMany <= 0 {
			t.Errorf("the figures are %+v", f)
		}
	}
}

func TestStrandsText(t *testing.T) {
	status, stdout, stderr := run(t, "strands", "--count", "1", "--switches", "1", "--workers", "1")
	if status != 0 || !strings.Contains(stdout, "memory of each") {
		t.Errorf("the status is %d: %s%s", status, stdout, stderr)
	}
}

func TestStrandsWrongUse(t *testing.T) {
	for _, arg := range []string{"--count=0", "--count=99999999999", "--switches=0", "--workers=0", "--workers=-1", "--workers=100000", "extra"} {
		if status, _, stderr := run(t, "strands", arg); status != 2 || !strings.HasPrefix(stderr, "troupe: ") {
			t.Errorf("%s has status %d: %s", arg, status, stderr)
		}
	}
}

func TestStrandsInterrupt(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	var out, errs bytes.Buffer
	if status := main.Run(ctx, []string{"strands", "--json"}, &out, &errs); status != 130 || !strings.Contains(out.String(), `"partial":true`) {
		t.Errorf("the status is %d: %s%s", status, out.String(), errs.String())
	}
}
