package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"strings"

	"github.com/spf13/cobra"

	"github.com/troupe-go/troupe/cmd/troupe/internal/demo"
	"github.com/troupe-go/troupe/cmd/troupe/internal/scaffold"
	"github.com/troupe-go/troupe/cmd/troupe/internal/steal"
)

// Exit statuses, as documented in the help.
const (
	statusDone        = 0
	statusFailed      = 1
	statusUsage       = 2
	statusInterrupted = 130 // As a shell reports a program that SIGINT ended.
)

// errInterrupted is returned when a signal ended the work. Its report has been written.
var errInterrupted = errors.New("interrupted; the report is partial")

// usageError is a mistake in the command line.
type usageError struct{ error }

func (e usageError) Unwrap() error { return e.error }

// run runs the command line and returns the exit status. When ctx ends, the command stops within a second.
func run(ctx context.Context, args []string, stdout, stderr io.Writer) int {
	root := newRoot()
	root.SetArgs(args)
	root.SetOut(stdout)
	root.SetErr(stderr)
	err := root.ExecuteContext(ctx)
	if err != nil {
		fmt.Fprintf(stderr, "troupe: %s\n", oneLine(err)) //nolint:errcheck // There is nowhere left to say so.
	}
	return status(err)
}

func status(err error) int {
	usage := usageError{}
	switch {
	case err == nil:
		return statusDone
	case errors.Is(err, errInterrupted):
		return statusInterrupted
	case errors.As(err, &usage), errors.Is(err, demo.ErrInput), errors.Is(err, steal.ErrInput), errors.Is(err, scaffold.ErrInput), errors.Is(err, errVet):
		return statusUsage
	}
	return statusFailed
}

func oneLine(err error) string {
	text := strings.TrimPrefix(strings.TrimPrefix(err.Error(), "demo: "), "steal: ")
	return strings.Join(strings.Fields(text), " ")
}

func newRoot() *cobra.Command {
	root := &cobra.Command{
		Use:   "troupe",
		Short: "Typed actors on a work-stealing scheduler, at work",
		Long: `Troupe is a concurrency platform for Go: typed actors on a work-stealing scheduler.
This command shows it at work on real input.`,
		Example:       "  troupe demo\n  troupe demo --verify --fault-rate 0.02 ~/src\n  troupe steal\n  troupe bench sched",
		Version:       version(),
		Args:          noSuchCommand,
		RunE:          func(cmd *cobra.Command, _ []string) error { return cmd.Help() },
		SilenceErrors: true,
		SilenceUsage:  true,

		SuggestionsMinimumDistance: 2,
	}
	root.SetVersionTemplate("{{.Version}}\n")
	root.SetFlagErrorFunc(func(cmd *cobra.Command, err error) error {
		return usageError{fmt.Errorf("%w; see %s --help", err, cmd.CommandPath())}
	})
	root.AddCommand(newDemo(), newSteal(), newStrands(), newEcho(), newTop(), newBench(), newJournal(), newNew(build()), newVet(), newVersion())
	return root
}

// noSuchCommand reports the first argument as an unknown command.
func noSuchCommand(cmd *cobra.Command, args []string) error {
	if len(args) == 0 {
		return nil
	}
	hint := ""
	if near := cmd.SuggestionsFor(args[0]); len(near) > 0 {
		hint = fmt.Sprintf(", did you mean %s?", strings.Join(near, " or "))
	}
	return usageError{fmt.Errorf("unknown command %q%s; see %s --help", args[0], hint, cmd.CommandPath())}
}

// atMost returns a check that a command has no more than n arguments, which are described by what.
func atMost(n int, what string) cobra.PositionalArgs {
	return func(cmd *cobra.Command, args []string) error {
		if len(args) <= n {
			return nil
		}
		return usageError{fmt.Errorf("%s takes %s, not %q; see %s --help", cmd.CommandPath(), what, args, cmd.CommandPath())}
	}
}
