package terminal_test

import (
	"bytes"
	"encoding/json"
	"errors"
	"math"
	"os/exec"
	"strings"
	"testing"

	"github.com/troupe-go/troupe/cmd/troupe/internal/terminal"
)

// An evaluation with a gate fails after its report if an emulator is too far behind the
// thread, and else it does not. The reader, which is no emulator, does not count.
func TestGate(t *testing.T) {
	sh, err := exec.LookPath("sh")
	if err != nil {
		t.Skip("there is no sh")
	}
	line := func(p99 float64) string {
		text, err := json.Marshal(figures(1, terminal.Figures{"flood_p99_us": p99, "idle_p99_us": 100 * p99}))
		if err != nil {
			t.Fatal(err)
		}
		return "echo '" + string(text) + "'"
	}
	for _, tc := range []struct {
		actor float64
		gate  terminal.Gate
		want  string
	}{
		{2000, 2, ""},
		{2001, 2, "more than 2 times that of thread: actor has 2001 µs, and thread 1000 µs"},
		{2001, 2.5, ""},
		{9000, 0, ""},
	} {
		script := "case $0 in actor) " + line(tc.actor) + ";; reader) " + line(50000) + ";; *) " + line(1000) + ";; esac"
		e := &terminal.Evaluation{Rounds: 2, Gate: tc.gate, Command: []string{sh, "-c", script}}
		if err := e.Complete(); err != nil {
			t.Fatal(err)
		}
		var report bytes.Buffer
		err := e.Run(t.Context(), &report)
		var exceeded *terminal.GateError
		switch {
		case tc.want == "" && err != nil, tc.want != "" && (!errors.As(err, &exceeded) || !strings.Contains(err.Error(), tc.want)):
			t.Errorf("with %v µs and the gate %v, the error is %v, want %q", tc.actor, tc.gate, err, tc.want)
		case !strings.Contains(report.String(), "actor"):
			t.Errorf("the report is %s", report.String())
		}
	}
}

func TestBadGate(t *testing.T) {
	for _, tc := range []struct {
		gate     terminal.Gate
		subjects []string
		want     string
	}{
		{0.5, nil, "the gate must be a number from 1 on, such as 2, not 0.5"},
		{-2, nil, "not -2"},
		{terminal.Gate(math.NaN()), nil, "not NaN"},
		{terminal.Gate(math.Inf(1)), nil, "not +Inf"},
		{2, []string{terminal.Actor, terminal.Pool}, "compares with the subject thread, which is not among the subjects actor, pool"},
	} {
		e := &terminal.Evaluation{Gate: tc.gate, Subjects: tc.subjects}
		if err := e.Complete(); err == nil || !strings.Contains(err.Error(), tc.want) {
			t.Errorf("the gate %v of %q: %v, want %q", tc.gate, tc.subjects, err, tc.want)
		}
	}
}
