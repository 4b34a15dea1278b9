package main

import (
	"fmt"

	"github.com/spf13/cobra"

	"github.com/troupe-go/troupe/cmd/troupe/internal/strands"
)

const strandsHelp = `Strands starts very many strands that wait, all at the same time, and measures how long that takes,
how much memory each needs, and how long it takes to switch from one to another. Goroutines do the
same in the same run. Switches are timed on one worker, and one processor, as the best of three.

Exit status:
  0    all was measured
  1    something failed
  2    the command line is wrong
  130  interrupted by SIGINT or SIGTERM: the report has what was found so far and says partial`

const strandsExample = `  troupe strands                     half a million
  troupe strands --count 1000000     a million
  troupe strands --json | jq .strands.bytes_each`

func newStrands() *cobra.Command {
	config := strands.Config{}
	asJSON := false
	cmd := &cobra.Command{
		Use:     "strands",
		Short:   "Measure stackful coroutines beside goroutines",
		Long:    strandsHelp,
		Example: strandsExample,
		Args:    atMost(0, "no arguments"),
		RunE: func(cmd *cobra.Command, _ []string) error {
			switch {
			case config.Count < 1 || config.Count > strands.MaxCount:
				return usageError{fmt.Errorf("--count must be from 1 to %d, not %d", strands.MaxCount, config.Count)}
			case config.Switches < 1:
				return usageError{fmt.Errorf("--switches must be at least 1, not %d", config.Switches)}
			}
			if err := checkWorkers(cmd, config.Workers); err != nil {
				return usageError{err}
			}
			report, err := strands.Measure(cmd.Context(), config)
			if err != nil {
				return err
			}
			write := report.WriteText
			if asJSON {
				write = report.WriteJSON
			}
			if err := write(cmd.OutOrStdout()); err != nil {
				return fmt.Errorf("writing the report: %w", err)
			}
			if report.Partial {
				return errInterrupted
			}
			return nil
		},
	}
	set := cmd.Flags()
	set.SortFlags = false
	set.IntVar(&config.Count, "count", 500_000, "`number` of strands that wait at the same time; each takes some 3 KB")
	set.IntVar(&config.Switches, "switches", 2_000_000, "`number` of switches that are timed")
	set.IntVar(&config.Workers, "workers", 0, "`number` of the scheduler's workers (default GOMAXPROCS)")
	set.BoolVar(&asJSON, "json", false, "report as one JSON object")
	return cmd
}
