package simtest

import (
	"fmt"
	"regexp"
	"strings"
)

// Failure is a schedule under which a program fails, made as simple as could be.
type Failure struct {
	// Messages says what failed: the failures of the body, or what was detected.
	Messages []string
	// When says how the failure was found.
	When string
	// Schedules is how many schedules were run before, this one and the natural one
	// included. It is 0 where there was no search.
	Schedules int
	// Seed and Schedule say how to replay it; see [Replay]. The schedule was repeated,
	// and each run had the same trace. It is empty if that was not so.
	Seed     uint64
	Schedule string
	// Command replays it from the shell. It is empty if Schedule is.
	Command string
	// Differs says where two runs of the schedule part, if they do: the program is
	// not deterministic.
	Differs string
	// Trace is what happened, one line for each event: the virtual time since the
	// beginning, what kind of event it is, and what it concerns. The report shows the first
	// and the last lines of a long one.
	Trace []string
	// File is the file to which [Run] has written the whole trace, if the report leaves lines
	// out. It is left behind in the directory for temporary files.
	File string

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
		b.WriteString(excerpt(f.Trace))
	}
	if f.File != "" {
		fmt.Fprintf(&b, "The whole of it, %s lines, is in %s\n", grouped(len(f.Trace)), f.File)
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
	c := r.confirm(seed, r.shrink(seed, o.choices(), o), kind(o))
	if c.differs != "" {
		// The simpler schedule may have failed by chance, and the one that was found may not.
		if whole := r.confirm(seed, o.choices(), kind(o)); whole.differs == "" || c.failed == 0 {
			c = whole
		}
	}
	return r.explain(o, c, seed, when)
}

// explain is a failed run with its trace, and the way to replay it if c has done so.
func (r *runner) explain(found *outcome, c *confirmed, seed uint64, when string) *Failure {
	if c.failed == 0 && !c.stuck { // There is nothing to show but how it failed first.
		c.outcome = &outcome{failures: found.failures, trace: &trace{}, steps: found.steps}
	}
	f := &Failure{Messages: c.failures, When: when, Seed: seed, steps: c.steps}
	if c.stuck {
		return f
	}
	f.Trace = upToFailure(c.trace.lines())
	f.deviations = deviations(c.outcome.choices())
	if c.differs != "" {
		f.Differs = c.differs
		f.Messages = append(c.failures[:len(c.failures):len(c.failures)], c.notDeterministic())
		return f
	}
	f.Schedule = encodeToken(seed, c.choices)
	f.Command = fmt.Sprintf("%s=%s go test -run %s .", envReplay, f.Schedule, quoted(pattern(r.t.Name())))
	return f
}

// notDeterministic says that the schedule can't be replayed, and why.
func (c *confirmed) notDeterministic() string {
	return fmt.Sprintf("not deterministic, so there is no replay: of %d runs of one schedule %d failed in this way; %s.\n%s",
		c.runs, c.failed, c.differs, usualCauses)
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

// quoted is a word for the shell.
func quoted(word string) string { return "'" + strings.ReplaceAll(word, "'", `'\''`) + "'" }

// pattern is the argument of -run that selects a test by its name.
func pattern(name string) string {
	parts := strings.Split(name, "/")
	for i, part := range parts {
		parts[i] = "^" + regexp.QuoteMeta(part) + "$"
	}
	return strings.Join(parts, "/")
}
