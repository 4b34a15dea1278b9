package main

import (
	"fmt"

	"github.com/spf13/cobra"

	"github.com/troupe-go/troupe/cmd/troupe/internal/demo"
)

// checkWorkers says what is wrong with the flag for a number of workers, if it is given.
func checkWorkers(cmd *cobra.Command, n int) error {
	switch {
	case !cmd.Flag("workers").Changed:
		return nil
	case n < 1:
		return fmt.Errorf("--workers must be at least 1, not %d", n)
	case n > demo.MaxWorkers:
		return fmt.Errorf("--workers must be at most %d, not %d", demo.MaxWorkers, n)
	}
	return nil
}
