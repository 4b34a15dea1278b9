package terminal_test

import (
	"bytes"
	"context"
	"errors"
	"maps"
	"slices"
	"strings"
	"testing"

	"github.com/troupe-go/troupe/cmd/troupe/internal/terminal"
)

// figures returns figures that are all n, but for some.
func figures(n float64, other terminal.Figures) terminal.Figures {
	f := terminal.Figures{}
	for _, name := range terminal.Names {
		f[name] = n
	}
	maps.Copy(f, other)
	return f
}

func three(f func(round int) terminal.Figures) []terminal.Figures {
	return []terminal.Figures{f(0), f(1), f(2)}
}

func TestDecide(t *testing.T) {
	results := []terminal.Result{
		terminal.NewResult("a", three(func(int) terminal.Figures {
			return figures(100, terminal.Figures{"flood_p99_us": 10, "pty_large_mb_per_s": 10, "many_threads": 105})
		})...),
		terminal.NewResult("b", three(func(round int) terminal.Figures {
			// In one round it is as quick as a.
			return figures(100, terminal.Figures{"flood_p99_us": []float64{30, 9, 31}[round], "pty_large_mb_per_s": 200})
		})...),
		terminal.NewResult("c", three(func(int) terminal.Figures {
			return figures(100, terminal.Figures{"flood_p99_us": 40, "pty_large_mb_per_s": 150})
		})...),
	}
	got := map[string][]string{}
	factor := map[string]float64{}
	for _, d := range terminal.Decide(results) {
		got[d.Figure], factor[d.Figure] = d.Choose, d.Factor
	}
	for figure, want := range map[string][]string{
		"flood_p99_us":       {"a", "b"},
		"pty_large_mb_per_s": {"b"},
		"many_threads":       {"b", "c", "a"},
		"idle_p99_us":        {"a", "b", "c"},
	} {
		if !slices.Equal(got[figure], want) {
			t.Errorf("for %s choose %q, want %q", figure, got[figure], want)
		}
	}
	if factor["flood_p99_us"] != 4 || factor["pty_large_mb_per_s"] != 20 {
		t.Errorf("the factors are %v", factor)
	}
	text := terminal.Advice(terminal.Decide(results), results)
	for _, want := range []string{"b: best or as good in 8 of 8, alone for output in bulk. The choice", "a: best or as good in 7 of 8.\n"} {
		if !strings.Contains(text, want) {
			t.Errorf("the advice lacks %q: %s", want, text)
		}
	}
	if text := terminal.Advice(nil, results[:1]); !strings.Contains(text, "decides nothing") {
		t.Errorf("one subject: %s", text)
	}
	once := []terminal.Result{terminal.NewResult("a", figures(1, nil)), terminal.NewResult("b", figures(2, nil))}
	if text := terminal.Advice(terminal.Decide(once), once); !strings.Contains(text, "chance") {
		t.Errorf("one round: %s", text)
	}
}

func TestTargets(t *testing.T) {
	for _, c := range []struct {
		f    terminal.Figures
		want int
	}{
		{terminal.Figures{"flood_p50_us": 999, "flood_p99_us": 4999, "pty_large_mb_per_s": 150}, 3},
		{terminal.Figures{"flood_p50_us": 1000, "flood_p99_us": 5000, "pty_large_mb_per_s": 149}, 0},
	} {
		n := 0
		for _, reached := range terminal.NewResult("a", figures(1, c.f)).Targets {
			if reached {
				n++
			}
		}
		if n != c.want {
			t.Errorf("%v reaches %d targets, want %d", c.f, n, c.want)
		}
	}
}

func TestComplete(t *testing.T) {
	for _, e := range []terminal.Evaluation{{Rounds: -1}, {Rounds: terminal.MaxRounds + 1}, {Subjects: []string{"actor", "fiber"}}} {
		if err := e.Complete(); err == nil {
			t.Errorf("%+v makes sense", e)
		}
	}
	e := terminal.Evaluation{Quick: true}
	if err := e.Complete(); err != nil || e.Rounds != terminal.QuickRounds || len(e.Subjects) != len(terminal.Subjects) {
		t.Errorf("the defaults are %+v, %v", e, err)
	}
}

// TestRunFails: a run that fails, or has no figures, fails the evaluation.
func TestRunFails(t *testing.T) {
	for want, command := range map[string][]string{
		"no figures at all": {"sh", "-c", "echo no figures at all >&2; exit 3"},
		"is missing":        {"echo", "{}"},
		"measuring reader":  {"true"},
	} {
		e := terminal.Evaluation{Command: command}
		if command[0] == "echo" {
			e.Command = []string{"sh", "-c", "echo '{}'"}
		}
		if err := e.Complete(); err != nil {
			t.Fatal(err)
		}
		var out bytes.Buffer
		if err := e.Run(t.Context(), &out); err == nil || !strings.Contains(err.Error(), want) || out.Len() > 0 {
			t.Errorf("%q: %v and %q, want an error with %q", command, err, out.String(), want)
		}
	}
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	e := terminal.Evaluation{Command: []string{"true"}}
	_ = e.Complete()
	if err := e.Run(ctx, &bytes.Buffer{}); !errors.Is(err, terminal.ErrInterrupted) {
		t.Errorf("interrupted: %v", err)
	}
}
