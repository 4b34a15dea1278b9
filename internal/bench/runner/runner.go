// Package runner runs subjects in turns, round by round, each run in a process of
// its own, so that none profits from or suffers for what another left behind, and
// so that all see the same weather on the machine.
package runner

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"time"

	"github.com/troupe-go/troupe/internal/bench/suite"
)

// Config says how runs are made.
type Config struct {
	// Command starts a child; the order is added to it.
	Command []string
	// Env is added to the environment of the child. Defaults to nothing.
	Env    []string
	Rounds int
	// Duration is how long a run should take.
	Duration time.Duration
	// Limit ends a run that hangs.
	Limit time.Duration
	// Smoke makes runs as small as they get, to see that they work.
	Smoke bool
	// ProfileDir is where CPU profiles go. Defaults to "": none are made.
	ProfileDir string
	// Stderr receives failures as they happen.
	Stderr io.Writer
}

// Cell is what the rounds of one subject and workload brought.
type Cell struct {
	Subject *suite.Subject
	Cannot  string // Why it can't do the workload, or "".
	Failed  bool
	Procs   int
	Rounds  []map[string]suite.Figure // By row.
}

// Workload runs a workload with each subject that can do it. A cell that failed
// takes no part in later rounds. When ctx ends, the run that is under way is
// given up at once, and the cells have what there is.
func (c *Config) Workload(ctx context.Context, w *suite.Workload, subjects []*suite.Subject) []*Cell {
	cells := make([]*Cell, len(subjects))
	for i, s := range subjects {
		cells[i] = &Cell{Subject: s, Cannot: s.Cannot(w)}
	}
	for range c.Rounds {
		for _, cell := range cells {
			if cell.Cannot != "" || cell.Failed || ctx.Err() != nil {
				continue
			}
			r, err := c.run(ctx, w, cell.Subject)
			if err != nil && ctx.Err() == nil {
				cell.Failed = true
				_, _ = fmt.Fprintf(c.Stderr, "FAILED: workload %s, subject %s: %v\n", w.Name, cell.Subject.Name, err)
			}
			if err == nil {
				cell.add(r)
			}
		}
	}
	return cells
}

func (c *Cell) add(r result) {
	figures := map[string]suite.Figure{}
	for _, f := range r.Figures {
		figures[f.Row] = f
	}
	c.Procs, c.Rounds = r.Procs, append(c.Rounds, figures)
}

// run does one run in a process of its own.
func (c *Config) run(ctx context.Context, w *suite.Workload, s *suite.Subject) (r result, err error) {
	o := order{Workload: w.Name, Subject: s.Name, Duration: c.Duration, Smoke: c.Smoke}
	if c.ProfileDir != "" {
		o.Profile = filepath.Join(c.ProfileDir, w.Name+"."+s.Name+".pprof")
	}
	text, err := json.Marshal(o)
	if err != nil {
		return r, err
	}
	limited, cancel := context.WithTimeout(ctx, c.Limit)
	defer cancel()
	cmd := exec.CommandContext(limited, c.Command[0], append(c.Command[1:len(c.Command):len(c.Command)], string(text))...)
	var stdout, stderr bytes.Buffer
	cmd.Stdout, cmd.Stderr = &stdout, &stderr
	cmd.Env = append(os.Environ(), c.Env...)
	cmd.Cancel = func() error {
		if ctx.Err() != nil {
			return cmd.Process.Kill()
		}
		return cmd.Process.Signal(syscall.SIGQUIT) // It prints its goroutines.
	}
	cmd.WaitDelay = 3 * time.Second
	if _, err := cmd.StdinPipe(); err != nil { // It ends when this process does; see endWithParent.
		return r, err
	}
	err = cmd.Run()
	switch {
	case ctx.Err() != nil:
		return r, errors.New("interrupted")
	case limited.Err() != nil:
		return r, fmt.Errorf("it hangs: no result after %v\n%s", c.Limit, head(stderr.String()))
	case err != nil:
		return r, fmt.Errorf("%w\n%s", err, head(stderr.String()))
	}
	return parse(stdout.String())
}

func parse(stdout string) (r result, err error) {
	i := strings.LastIndex(stdout, "\n"+mark)
	if i < 0 {
		return r, errors.New("it printed no result")
	}
	line, _, _ := strings.Cut(stdout[i+1+len(mark):], "\n")
	return r, json.Unmarshal([]byte(line), &r)
}

// head returns the first lines of what a failed process printed.
func head(text string) string {
	const limit = 40
	lines := strings.SplitAfterN(strings.TrimSpace(text), "\n", limit+1)
	if len(lines) > limit {
		lines[limit] = "..."
	}
	return "  " + strings.ReplaceAll(strings.Join(lines, ""), "\n", "\n  ")
}
