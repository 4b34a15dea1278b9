package main

import (
	"errors"
	"fmt"
	"os"
	"os/exec"
	"slices"
	"strings"

	"github.com/spf13/cobra"
	"golang.org/x/tools/go/analysis/unitchecker"

	"github.com/troupe-go/troupe/vet"
)

const vetHelp = `Vet finds mistakes in programs of actors before they run: a Reply that a path forgets, a Context that is kept, a thread that stays
locked, a method that is nearly a hook, the error of a Send that is dropped, a message that leads to the actor's own state.

The arguments are packages, as for go vet, and "./..." without any. Go vet runs the analysis, once for each package that has changed.
The command is also a tool for it: go vet -vettool=$(which troupe) ./...

A comment silences a line, or the line below it, and gives the reason:
  //troupe:ignore reply: the gateway has answered

Exit status:
  0  nothing was found
  1  something was found, or a package does not compile
  2  the command line is wrong`

const vetExample = `  troupe vet
  troupe vet ./desk ./market
  troupe vet --only reply,sharedstate ./...`

// errFound is returned when go vet has said what it found.
var errFound = errors.New("vet has found mistakes, or packages that do not compile")

// errVet is wrapped by mistakes in the command line.
var errVet = errors.New("wrong command line")

// isVetTool reports whether go vet has started the process as its tool, with these arguments.
func isVetTool(args []string) bool {
	return len(args) > 0 && (args[0] == "-V=full" || args[0] == "-flags" || strings.HasSuffix(args[len(args)-1], ".cfg"))
}

// vetTool is the tool. It does not return.
func vetTool() { unitchecker.Main(vet.Analyzers()...) }

func newVet() *cobra.Command {
	var only []string
	cmd := &cobra.Command{
		Use:     "vet [PACKAGES]",
		Short:   "Find mistakes in programs of actors",
		Long:    vetHelp,
		Example: vetExample,
		RunE: func(cmd *cobra.Command, packages []string) error {
			args, err := vetArgs(only, packages)
			if err != nil {
				return err
			}
			self, err := os.Executable()
			if err != nil {
				return err
			}
			run := exec.CommandContext(cmd.Context(), "go", append([]string{"vet", "-vettool=" + self}, args...)...)
			run.Stdout, run.Stderr = cmd.OutOrStdout(), cmd.ErrOrStderr()
			err = run.Run()
			if exit := (*exec.ExitError)(nil); errors.As(err, &exit) {
				return errFound
			}
			return err
		},
	}
	cmd.Flags().StringSliceVar(&only, "only", nil, "`names` of the analyzers to run (default all)")
	return cmd
}

// vetArgs returns what go vet is to be told.
func vetArgs(only, packages []string) (args []string, err error) {
	var names []string
	for _, a := range vet.Analyzers() {
		names = append(names, a.Name)
	}
	for _, name := range only {
		if !slices.Contains(names, name) {
			return nil, fmt.Errorf("%w: there is no analyzer %q; use %s", errVet, name, strings.Join(names, ", "))
		}
		args = append(args, "-"+name)
	}
	if len(packages) == 0 {
		packages = []string{"./..."}
	}
	for _, p := range packages {
		if strings.HasPrefix(p, "-") || p == "" {
			return nil, fmt.Errorf("%w: %q is no package", errVet, p)
		}
	}
	return append(args, packages...), nil
}
