package simtest

import (
	"fmt"
	"strings"
)

// Failure is a schedule under which a program fails, made as simple as could be.
type Failure struct {
	// Messages says what failed: the failures of the body, or what was detected.
	Messages []string
	// When says how the failure was found.
	When string
	// Schedules is how many schedules were run before, this one included.
	Schedules int
	// Seed and Schedule say how to replay it; see [Replay].
	Seed     uint64
	Schedule string
	// Command replays it from the shell.
	Command string
	// Trace is what happened, one line for each event: the virtual time since the
	// beginning, what kind of event it is, and what it concerns.
	Trace []string

	steps, deviations int
}

// String is the whole report.
func (f *Failure) String() string {
	var b strings.Builder
	fmt.Fprintf(&b, "simtest: the program fails %s:\n", f.When)
	for _, m := range f.Messages {
		b.WriteString("    " + strings.ReplaceAll(m, "\n", "\n    ") + "\n")
	}
	if len(f.Trace) > 0 {
		fmt.Fprintf(&b, "What happened (%d steps, %d choices other than the oldest work):\n", f.steps, f.deviations)
		b.WriteString(ending(f.Trace))
	}
	if f.Command != "" {
		b.WriteString("To replay it, in this package:\n    " + f.Command)
	}
	return strings.TrimRight(b.String(), "\n")
}

// failure explains what has failed in o, by a simpler schedule if there is one.
func (r *runner) failure(seed uint64, o *outcome, when string) *Failure {
	if o.stuck { // A program that hangs would hang again.
		return &Failure{Messages: o.failures, When: when, Seed: seed}
	}
	simple := r.shrink(seed, o.choices(), o)
	final := r.once(&replayer{choices: simple}, seed, true)
	if !final.failed() {
		messages := append(o.failures[:len(o.failures):len(o.failures)],
			"not deterministic: the same schedule does not fail again. "+usualCauses)
		return &Failure{Messages: messages, When: when, Seed: seed}
	}
	return r.explain(final, seed, simple, when)
}

// explain is a failed run with its trace.
func (r *runner) explain(o *outcome, seed uint64, choices []int, when string) *Failure {
	f := &Failure{Messages: o.failures, When: when, Seed: seed, steps: o.steps}
	if o.stuck {
		return f
	}
	f.Trace = upToFailure(o.trace.lines())
	f.deviations = deviations(o.choices())
	f.Schedule = encodeToken(seed, choices)
	f.Command = fmt.Sprintf("%s=%s go test -run '%s' .", envReplay, f.Schedule, pattern(r.t.Name()))
	return f
}

// upToFailure leaves out what came after the failure, as the body's clearing up.
func upToFailure(lines []string) []string {
	for i := len(lines) - 1; i >= 0; i-- {
		if strings.Contains(lines[i], "  FAILED   ") {
			return lines[:i+1]
		}
	}
	return lines
}

// pattern is the argument of -run that selects a test by its name.
func pattern(name string) string {
	parts := strings.Split(name, "/")
	for i, part := range parts {
		parts[i] = "^" + part + "$"
	}
	return strings.Join(parts, "/")
}
