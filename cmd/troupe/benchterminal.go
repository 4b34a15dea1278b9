package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"

	"github.com/spf13/cobra"

	"github.com/troupe-go/troupe/cmd/troupe/internal/terminal"
	"github.com/troupe-go/troupe/internal/bench"
)

const benchTerminalHelp = `Terminal evaluates three ways to run a terminal emulator behind a real pseudo-terminal:

  thread  an actor with a thread of its own
  actor   an actor on the scheduler
  pool    the tasks of a work pool, those of one screen in order

and beside them, for the measure of what they can reach at best,

  reader  no emulator: output is thrown away, and only the answers to keys are looked for

Each emulator parses the output of a program with its escape sequences, keeps a screen, and passes keystrokes
on. Keystrokes are timed until the screen shows the program's answer, at rest and while cat writes a
large file as fast as it can; throughput is measured with 1 MB and with 64 MB, in chunks of 4,096
bytes. A pipeline of four stages, in one process and without a pseudo-terminal, shows what handing a
key on costs: its latency, and the context switches of the process for each message. Every run is a
process of its own, and its screens are compared with a sequential parse.
The last tables say what to choose for what, from the figures alone, and which targets were reached.
It takes about two minutes. It needs Linux or macOS, and the command cat.

Exit status:
  0    all runs were made, whatever the figures are, unless there is a --gate
  1    a run failed: a wrong screen, a key that was not shown, no pseudo-terminals; or, with --gate 2, a
       subject's P99 of keystrokes under flood is more than twice that of thread
  2    the command line is wrong
  130  interrupted by SIGINT or SIGTERM: the tables have what there was until then`

const benchTerminalExample = `  troupe bench terminal                          everything
  troupe bench terminal --rounds 9 --subject thread,actor
  troupe bench terminal --json | jq -c 'select(.need) | [.need, .choose]'
  troupe bench terminal --gate 2                 status 1 if an emulator is that far behind thread
  troupe bench terminal --quick                  to see that all works; the figures mean little`

func newBenchTerminal() *cobra.Command {
	e := &terminal.Evaluation{}
	inProcess := false
	cmd := &cobra.Command{
		Use:     "terminal",
		Short:   "Measure terminal emulators: threads, actors and a pool",
		Long:    benchTerminalHelp,
		Example: benchTerminalExample,
		Args:    atMost(0, "no arguments; subjects are chosen with --subject"),
		RunE: func(cmd *cobra.Command, _ []string) error {
			switch changed := cmd.Flag("rounds").Changed; {
			case !changed:
				e.Rounds = 0 // The default, which is another one for quick runs.
			case e.Rounds == 0:
				return usageError{fmt.Errorf("--rounds must be from 1 to %d, not 0", terminal.MaxRounds)}
			}
			if cmd.Flag("gate").Changed && e.Gate == 0 {
				return usageError{errors.New("--gate must be from 1 on, such as 2, not 0")}
			}
			if err := e.Complete(); err != nil {
				return usageError{err}
			}
			if inProcess {
				return measureTerminal(cmd.Context(), e, cmd.OutOrStdout())
			}
			return runTerminal(cmd.Context(), e, cmd.OutOrStdout())
		},
	}
	set := cmd.Flags()
	set.SortFlags = false
	set.StringSliceVar(&e.Subjects, "subject", nil, "comma-separated `names` of subjects (default all)")
	set.IntVar(&e.Rounds, "rounds", terminal.DefaultRounds, "`number` of turns of each subject; with --quick the default is 1")
	set.BoolVar(&e.Quick, "quick", false, "short runs: to see that all works, not to measure")
	set.BoolVar(&e.JSON, "json", false, "one JSON object a line for each subject, then one for each decision")
	set.Float64Var((*float64)(&e.Gate), "gate", 0, "status 1 if P99 under flood is more than this `factor` times that of thread")
	set.BoolVar(&inProcess, "in-process", false, "one run of one subject in this process")
	_ = set.MarkHidden("in-process") // It is for the command's own processes; the flag exists.
	return cmd
}

func runTerminal(ctx context.Context, e *terminal.Evaluation, stdout io.Writer) error {
	self, err := bench.Self()
	if err != nil {
		return err
	}
	e.Command = append(self[:1:1], "bench", "terminal", "--in-process")
	if e.Quick {
		e.Command = append(e.Command, "--quick")
	}
	e.Command = append(e.Command, "--subject")
	err = e.Run(ctx, stdout)
	if errors.Is(err, terminal.ErrInterrupted) {
		return errInterrupted
	}
	return err
}

// measureTerminal makes one run, and writes its figures as one JSON object.
func measureTerminal(ctx context.Context, e *terminal.Evaluation, stdout io.Writer) error {
	if len(e.Subjects) != 1 {
		return usageError{fmt.Errorf("--in-process needs one --subject, not %d", len(e.Subjects))}
	}
	plan := terminal.Full
	if e.Quick {
		plan = terminal.Quick
	}
	f, err := plan.Measure(ctx, e.Subjects[0])
	if err != nil {
		return err
	}
	return json.NewEncoder(stdout).Encode(f)
}
