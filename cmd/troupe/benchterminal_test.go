package main_test

import (
	"encoding/json"
	"runtime"
	"strings"
	"testing"

	"github.com/troupe-go/troupe/internal/lane"
)

func TestBenchTerminalJSON(t *testing.T) {
	lane.Check(t)
	t.Parallel()
	skipMeasuresInRace(t)
	if runtime.GOOS != "linux" && runtime.GOOS != "darwin" {
		t.Skip("no pseudo-terminals here")
	}
	status, stdout, stderr := run(t, "bench", "terminal", "--quick", "--json")
	if status != 0 || stderr != "" {
		t.Fatalf("the status is %d: %s", status, stderr)
	}
	var subjects, needs []string
	for text := range strings.Lines(stdout) {
		var line struct {
			Subject string
			Rounds  int
			Figures map[string]struct{ Median, Min, Max float64 }
			Targets map[string]bool
			Need    string
			Choose  []string
		}
		if err := json.Unmarshal([]byte(text), &line); err != nil {
			t.Fatalf("%v in %q", err, text)
		}
		if line.Need != "" {
			if needs = append(needs, line.Need); len(line.Choose) == 0 {
				t.Errorf("nothing is chosen in %s", text)
			}
			continue
		}
		subjects = append(subjects, line.Subject)
		if f := line.Figures["flood_p99_us"]; f.Median <= 0 || f.Min != f.Max || line.Rounds != 1 || len(line.Targets) != 3 {
			t.Errorf("the line is %s", text)
		}
	}
	if strings.Join(subjects, " ") != "reader thread actor pool" || len(needs) != 8 {
		t.Errorf("the subjects are %q, the needs %q", subjects, needs)
	}
}

func TestBenchTerminalText(t *testing.T) {
	lane.Check(t)
	t.Parallel()
	skipMeasuresInRace(t)
	if runtime.GOOS != "linux" && runtime.GOOS != "darwin" {
		t.Skip("no pseudo-terminals here")
	}
	status, stdout, stderr := run(t, "bench", "terminal", "--quick", "--subject", "actor,pool")
	if status != 0 || stderr != "" {
		t.Fatalf("the status is %d: %s", status, stderr)
	}
	for _, want := range []string{"under flood", "if you need", "many terminals", "may be chance", "P99 under flood below 5 ms"} {
		if !strings.Contains(stdout, want) {
			t.Errorf("the report lacks %q:\n%s", want, stdout)
		}
	}
}
