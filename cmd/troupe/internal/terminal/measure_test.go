package terminal_test

import (
	"context"
	"errors"
	"os/exec"
	"path/filepath"
	"testing"

	"github.com/creack/pty"

	"github.com/troupe-go/troupe/cmd/troupe/internal/terminal"
	"github.com/troupe-go/troupe/internal/lane"
	"github.com/troupe-go/troupe/internal/patience"
)

func needTerminals(t *testing.T) {
	t.Helper()
	master, slave, err := pty.Open()
	if err != nil {
		t.Skipf("no pseudo-terminals here: %v", err)
	}
	_, _ = master.Close(), slave.Close()
}

func TestMeasure(t *testing.T) {
	lane.Check(t)
	needTerminals(t)
	plan := terminal.Quick
	plan.Keys, plan.Large, plan.File = 5, 1, 1
	for _, subject := range terminal.Subjects {
		t.Run(subject, func(t *testing.T) {
			temporary := t.TempDir()
			t.Setenv("TMPDIR", temporary)
			f, err := plan.Measure(patience.Context(t), subject)
			if err != nil {
				t.Fatal(err)
			}
			for _, name := range terminal.Names {
				if v, ok := f[name]; !ok || v < 0 {
					t.Errorf("%s is %v (%v)", name, v, ok)
				}
			}
			if len(f) != len(terminal.Names) {
				t.Errorf("there are %d figures, want %d", len(f), len(terminal.Names))
			}
			if f["idle_p50_us"] <= 0 || f["flood_p50_us"] > f["flood_p99_us"] || f["flood_mb_per_s"] <= 0 {
				t.Errorf("the figures make no sense: %v", f)
			}
			if threads := f["many_threads"]; subject == terminal.Thread && threads < float64(plan.Terminals) {
				t.Errorf("%d terminals with a thread each have %v threads", plan.Terminals, threads)
			}
			if left, _ := filepath.Glob(filepath.Join(temporary, "*")); len(left) > 0 {
				t.Errorf("the files %q are left", left)
			}
		})
	}
}

func TestMeasureInterrupted(t *testing.T) {
	needTerminals(t)
	ctx, cancel := context.WithCancelCause(t.Context())
	over := errors.New("over")
	cancel(over)
	if _, err := terminal.Quick.Measure(ctx, terminal.Actor); !errors.Is(err, over) {
		t.Errorf("the error is %v, want the cause of the context", err)
	}
}

func TestMeasureWithoutCat(t *testing.T) {
	lane.Short(t)
	needTerminals(t)
	t.Setenv("PATH", t.TempDir())
	if _, err := terminal.Quick.Measure(patience.Context(t), terminal.Actor); !errors.Is(err, exec.ErrNotFound) {
		t.Errorf("the error is %v, want one about cat", err)
	}
}
