package terminal

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"slices"
	"strings"
	"time"
)

// Defaults and limits of an Evaluation.
const (
	DefaultRounds = 3
	QuickRounds   = 1
	MaxRounds     = 100
)

// ErrInterrupted is returned when the context of an evaluation has ended. Results
// up to then have been reported.
var ErrInterrupted = errors.New("terminal: interrupted")

// Evaluation measures subjects side by side: each run is a process of its own, and
// in each round every subject takes its turn.
type Evaluation struct {
	Subjects []string // Defaults to all.
	Rounds   int      // Defaults to DefaultRounds, or to QuickRounds if Quick.
	Quick    bool     // Shows that all works; the figures mean little.
	JSON     bool     // One object a line, in place of tables.
	Gate     Gate     // Defaults to none.
	// Command makes a process that writes the figures of one run to its standard
	// output, as JSON. The subject is added to it.
	Command []string
}

// Complete sets the defaults, and returns an error for what makes no sense.
func (e *Evaluation) Complete() error {
	if len(e.Subjects) == 0 {
		e.Subjects = Subjects
	}
	if e.Rounds == 0 {
		e.Rounds = DefaultRounds
		if e.Quick {
			e.Rounds = QuickRounds
		}
	}
	if e.Rounds < 1 || e.Rounds > MaxRounds {
		return fmt.Errorf("the number of rounds must be from 1 to %d, not %d", MaxRounds, e.Rounds)
	}
	if err := check(e.Subjects); err != nil {
		return err
	}
	return e.Gate.check(e.Subjects)
}

// Run measures, and writes the report to w. It returns a [*GateError] if a subject exceeds the gate.
func (e *Evaluation) Run(ctx context.Context, w io.Writer) error {
	results := make([]Result, len(e.Subjects))
	for i, name := range e.Subjects {
		results[i].Subject = name
	}
	for round := range e.Rounds {
		for i := range results {
			// No subject always follows the same one.
			r := &results[(i+round)%len(results)]
			f, err := e.measure(ctx, r.Subject)
			if ctx.Err() != nil {
				return errors.Join(ErrInterrupted, e.report(w, results))
			}
			if err != nil {
				return err
			}
			r.rounds = append(r.rounds, f)
		}
	}
	if err := e.report(w, results); err != nil {
		return err
	}
	return e.Gate.judge(results)
}

func (e *Evaluation) report(w io.Writer, results []Result) error {
	results = slices.DeleteFunc(results, func(r Result) bool { return len(r.rounds) == 0 })
	for i := range results {
		results[i].sum()
	}
	write := writeText
	if e.JSON {
		write = writeJSON
	}
	if err := write(w, results); err != nil {
		return fmt.Errorf("writing the report: %w", err)
	}
	return nil
}

// measure makes one run in a process of its own.
func (e *Evaluation) measure(ctx context.Context, subject string) (Figures, error) {
	args := append(slices.Clone(e.Command[1:]), subject)
	var out, errs bytes.Buffer
	child := exec.CommandContext(ctx, e.Command[0], args...)
	child.Stdout, child.Stderr = &out, &errs
	child.Cancel = func() error { return child.Process.Signal(os.Interrupt) } // So that it removes its file.
	child.WaitDelay = 5 * time.Second
	if err := child.Run(); err != nil {
		return nil, fmt.Errorf("measuring %s: %w: %s", subject, err, strings.TrimSpace(errs.String()))
	}
	var f Figures
	if err := json.Unmarshal(out.Bytes(), &f); err != nil {
		return nil, fmt.Errorf("measuring %s: %w", subject, err)
	}
	for _, name := range names {
		if _, ok := f[name]; !ok {
			return nil, fmt.Errorf("measuring %s: the figure %q is missing", subject, name)
		}
	}
	return f, nil
}

// Result is what was measured of one subject, over all rounds.
type Result struct {
	Subject string            `json:"subject"`
	Rounds  int               `json:"rounds"`
	Figures map[string]Spread `json:"figures"`
	Targets map[string]bool   `json:"targets"` // Whether each was reached.

	rounds []Figures
}

// sum finds the medians of the rounds, and which targets they reach.
func (r *Result) sum() {
	r.Rounds, r.Figures, r.Targets = len(r.rounds), map[string]Spread{}, map[string]bool{}
	for _, name := range names {
		values := make([]float64, len(r.rounds))
		for i, f := range r.rounds {
			values[i] = f[name]
		}
		slices.Sort(values)
		n := len(values)
		r.Figures[name] = Spread{Median: (values[(n-1)/2] + values[n/2]) / 2, Min: values[0], Max: values[n-1]}
	}
	for _, t := range targets {
		r.Targets[t.name] = t.reached(r.Figures[t.figure].Median)
	}
}
