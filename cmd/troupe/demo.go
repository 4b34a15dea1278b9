package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"math/rand/v2"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/troupe-go/troupe/cmd/troupe/internal/demo"
)

const demoHelp = `Demo indexes the identifiers in the text files below DIR with a supervised troupe of actors. DIR is
by default the source of the installed Go: $(go env GOROOT)/src.

A walker sends the files to a pool of tokenizers, which send what they count to the shards of an
index. All the while a query actor is asked every few milliseconds, on the Control lane, for the
most frequent identifiers: what it takes to be answered under load stands in the report beside what
it takes when there is nothing else to do.

With --fault-rate tokenizers panic at random. Their supervisor restarts them, the files are tried
again, and the result is the same: --verify proves it.

An identifier is a run of letters, digits and underscores that does not start with a digit. Files
that are binary, too large, irregular (symbolic links, pipes, devices), unreadable or gone when
their turn comes are counted by reason. The report goes to standard output, progress to standard
error.

With --http the system can be watched in a browser meanwhile, and by troupe top: the address goes to
standard error. When the work is done, a shop goes on in the same system until you interrupt, in which mail piles
up and drains, the bank is slow now and then, and an importer panics; --linger=false leaves it out. With --record
the last events of each worker are written to a file, which the live page and ui.perfetto.dev open.

Exit status:
  0    all is indexed and, with --verify, right
  1    the recount differs, or something failed
  2    the command line is wrong, or DIR can't be listed
  130  interrupted by SIGINT or SIGTERM: the report has what was found so far and says partial`

const demoExample = `  troupe demo                          index the source of the installed Go
  troupe demo --verify                 and compare with a sequential recount
  troupe demo --fault-rate 0.02 ~/src  with a tokenizer dying for two files in a hundred
  troupe demo --json | jq .mb_per_s    with the report as one JSON object
  troupe demo --http :0                with a live page, on any free port, that goes on`

type demoFlags struct {
	config      demo.Config
	maxFileSize size
	json        bool
	page        livePage
}

func newDemo() *cobra.Command {
	flags := &demoFlags{maxFileSize: demo.DefaultMaxFileSize}
	cmd := &cobra.Command{
		Use:     "demo [DIR]",
		Short:   "Index a directory tree with actors, and measure it",
		Long:    demoHelp,
		Example: demoExample,
		Args:    atMost(1, "at most one directory"),
		RunE: func(cmd *cobra.Command, args []string) error {
			if err := flags.complete(cmd, args); err != nil {
				return err
			}
			return flags.run(cmd.Context(), cmd.OutOrStdout(), cmd.ErrOrStderr())
		},
	}
	flags.define(cmd.Flags())
	return cmd
}

func (f *demoFlags) define(set *pflag.FlagSet) {
	set.SortFlags = false
	set.IntVar(&f.config.Workers, "workers", 0, "`number` of the scheduler's workers (default GOMAXPROCS)")
	set.IntVar(&f.config.Tokenizers, "tokenizers", 0, "`number` of tokenizers (default two for each worker)")
	set.IntVar(&f.config.Shards, "shards", 0, "`number` of index shards (default two for each worker)")
	set.IntVar(&f.config.Top, "top", demo.DefaultTop, "`number` of identifiers to list")
	set.Var(&f.maxFileSize, "max-file-size", "longest file that is indexed")
	set.Float64Var(&f.config.FaultRate, "fault-rate", 0, "`probability`, from 0 to below 1, that a tokenizer panics on a file")
	set.Uint64Var(&f.config.Seed, "seed", 0, "`number` that chooses the faults (default random, and reported)")
	set.BoolVar(&f.config.Verify, "verify", false, "recount sequentially and compare every total")
	set.StringVar(&f.page.addr, "http", "", "`address` of the live page, such as 127.0.0.1:8080 or :0 (default none)")
	set.StringVar(&f.page.token, "token", "", "`secret` for the live page, needed unless it is on loopback (default $TROUPE_TOKEN)")
	set.BoolVar(&f.page.linger, "linger", true, "with --http, go on with a shop when the work is done")
	set.StringVar(&f.page.record, "record", "", "`file` for what the workers did last (default none)")
	set.BoolVar(&f.json, "json", false, "report as one JSON object")
}

// complete checks what the flags' types don't say and fills in the defaults that are not constant.
func (f *demoFlags) complete(cmd *cobra.Command, args []string) error {
	for _, name := range []string{"workers", "tokenizers", "shards", "max-file-size"} {
		if flag := cmd.Flag(name); flag.Changed && !f.positive(name) {
			return usageError{fmt.Errorf("--%s must be at least 1, not %s", name, flag.Value)}
		}
	}
	if cmd.Flag("linger").Changed && f.page.linger && f.page.addr == "" {
		return usageError{errors.New("--linger needs --http")}
	}
	f.config.MaxFileSize = int64(f.maxFileSize)
	if !cmd.Flag("seed").Changed {
		f.config.Seed = uint64(rand.Uint32()) // Short enough to be typed, and for any JSON reader.
	}
	if len(args) > 0 {
		f.config.Dir = args[0]
		return nil
	}
	dir, err := goSource(cmd.Context())
	f.config.Dir = dir
	return err
}

func (f *demoFlags) positive(name string) bool {
	return map[string]bool{
		"workers":       f.config.Workers > 0,
		"tokenizers":    f.config.Tokenizers > 0,
		"shards":        f.config.Shards > 0,
		"max-file-size": f.maxFileSize > 0,
	}[name]
}

func (f *demoFlags) run(ctx context.Context, stdout, stderr io.Writer) error {
	if err := f.config.Validate(); err != nil {
		return err
	}
	newDisplay(stderr).attach(&f.config)
	if f.config.FaultRate > 0 {
		fmt.Fprintf(stderr, "troupe: injecting faults at rate %g with seed %d\n", f.config.FaultRate, f.config.Seed) //nolint:errcheck // As with progress.
	}
	f.page.seed = f.config.Seed
	if err := f.page.attach(&f.config, stderr); err != nil {
		return err
	}
	defer f.page.close()
	report, err := demo.Run(ctx, f.config)
	if err != nil {
		return err
	}
	if err := f.page.save(stderr); err != nil {
		return err
	}
	write := report.WriteText
	if f.json {
		write = report.WriteJSON
	}
	if err := write(stdout); err != nil {
		return fmt.Errorf("writing the report: %w", err)
	}
	if report.Partial {
		return errInterrupted
	}
	if err := f.page.stay(ctx, stderr); err != nil {
		return err
	}
	return report.Check()
}
