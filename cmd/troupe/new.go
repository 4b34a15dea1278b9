package main

import (
	"fmt"
	"regexp"
	"strings"

	"github.com/spf13/cobra"

	"github.com/troupe-go/troupe/cmd/troupe/internal/scaffold"
)

const newHelp = `New writes a program to begin with into the new folder NAME: actors below a supervisor, health, metrics, the live page,
a test under simulated schedules, a Dockerfile FROM scratch, and a unit for systemd.

The kinds are
  service   answers HTTP requests
  tcp       serves connections, each by an actor of its own
  pipeline  a source, a pool of workers and a sink, each waiting for the next when that is full

Exit status:
  0  written
  1  something failed, as when the disk is full; nothing is left behind
  2  the command line is wrong, or the folder exists`

const newExample = `  troupe new shop
  troupe new --kind tcp --module example.com/gate gate
  cd shop && go mod tidy && go test . && go run .`

// The versions of releases, and those that the go command makes of commits.
var (
	released = regexp.MustCompile(`^v\d+\.\d+\.\d+(-[0-9A-Za-z.-]+)?$`)
	pseudo   = regexp.MustCompile(`[-.]\d{14}-[0-9a-f]{12}$`)
)

// nextVersion is the release that this source becomes. A test compares it with go.mod.
const nextVersion = "v0.1.0"

// newNew makes the command. Build is its own version.
func newNew(build string) *cobra.Command {
	var cfg scaffold.Config
	cmd := &cobra.Command{
		Use:     "new NAME",
		Short:   "Write a program to begin with",
		Long:    newHelp,
		Example: newExample,
		RunE: func(cmd *cobra.Command, args []string) error {
			if len(args) != 1 {
				return fmt.Errorf("%w: %s takes the name of the program, not %q; see %s --help", scaffold.ErrInput, cmd.CommandPath(), args, cmd.CommandPath())
			}
			cfg.Name, cfg.Version = args[0], moduleVersion(build)
			files, err := scaffold.Write(cfg)
			if err != nil {
				return err
			}
			_, err = fmt.Fprintf(cmd.OutOrStdout(), "%s: %s\n\n  cd %s\n  go mod tidy\n  go test .\n  go run .\n",
				cfg.Name, strings.Join(files, ", "), cfg.Name)
			return err
		},
	}
	cmd.Flags().StringVar(&cfg.Kind, "kind", scaffold.Service, "`kind` of program: "+strings.Join(scaffold.Kinds, ", "))
	cmd.Flags().StringVar(&cfg.Module, "module", "", "`path` of the new module (default NAME)")
	return cmd
}

// moduleVersion is the version of Troupe that a new program needs, made by a command of the given version.
func moduleVersion(build string) string {
	if released.MatchString(build) && !pseudo.MatchString(build) {
		return build
	}
	return nextVersion
}
