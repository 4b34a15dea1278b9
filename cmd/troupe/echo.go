package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"os"
	"time"

	"github.com/spf13/cobra"

	"github.com/troupe-go/troupe/cmd/troupe/internal/echo"
	"github.com/troupe-go/troupe/strand"
)

const echoHelp = `Echo is a server that sends back each line that it is sent. It is written as plain sequential code:
each connection is a strand that reads, and writes, and waits without holding a thread.

A line that is longer than --max-line is answered with an error, and passed over. With --raw bytes
are sent back as they come. With --stdin there is no server: lines go from standard input to
standard output, until the input ends.

Where it listens is written to standard error, a report to standard output when it has ended.

Exit status:
  0    ended after --duration, or at the end of the input
  1    something failed, as when the address is in use
  2    the command line is wrong
  130  ended by SIGINT or SIGTERM; the report is written nevertheless`

const echoExample = `  troupe echo                               on 127.0.0.1:7007
  troupe echo --listen :0 --idle 30s        on any free port, for peers that don't fall asleep
  troupe echo load --clients 64             put it under load
  printf 'a\nb\n' | troupe echo --stdin     without a network`

const echoAddress = "127.0.0.1:7007"

type echoFlags struct {
	config   echo.Config
	listen   string
	maxLine  size
	duration time.Duration
	stdin    bool
	json     bool
}

func newEcho() *cobra.Command {
	flags := &echoFlags{maxLine: strand.DefaultLineLimit}
	cmd := &cobra.Command{
		Use:     "echo",
		Short:   "Echo lines over TCP with a strand for each connection",
		Long:    echoHelp,
		Example: echoExample,
		Args:    noSuchCommand,
		RunE: func(cmd *cobra.Command, _ []string) error {
			if err := flags.check(cmd); err != nil {
				return usageError{err}
			}
			return flags.run(cmd.Context(), cmd.InOrStdin(), cmd.OutOrStdout(), cmd.ErrOrStderr())
		},

		SuggestionsMinimumDistance: 2,
	}
	set := cmd.Flags()
	set.SortFlags = false
	set.StringVar(&flags.listen, "listen", echoAddress, "`address` to listen at; port 0 is any free one")
	set.BoolVar(&flags.stdin, "stdin", false, "echo standard input to standard output instead")
	set.BoolVar(&flags.config.Raw, "raw", false, "bytes as they come, rather than lines")
	set.Var(&flags.maxLine, "max-line", "longest line that is echoed")
	set.DurationVar(&flags.config.Idle, "idle", 0, "`time` after which a connection is closed that has not sent a whole line (default never)")
	set.DurationVar(&flags.duration, "duration", 0, "`time` to serve (default until a signal)")
	set.IntVar(&flags.config.Workers, "workers", 0, "`number` of the scheduler's workers (default GOMAXPROCS)")
	set.BoolVar(&flags.json, "json", false, "report as one JSON object; with --stdin to standard error")
	cmd.AddCommand(newEchoLoad())
	return cmd
}

func (f *echoFlags) check(cmd *cobra.Command) error {
	const mostLine = 1 << 30
	switch {
	case f.maxLine < 1 || f.maxLine > mostLine:
		return fmt.Errorf("--max-line must be from 1 byte to 1 GiB, not %s", f.maxLine.String())
	case f.config.Idle < 0:
		return fmt.Errorf("--idle must be positive, not %v", f.config.Idle)
	case f.duration < 0:
		return fmt.Errorf("--duration must be positive, not %v", f.duration)
	}
	if err := checkWorkers(cmd, f.config.Workers); err != nil {
		return err
	}
	if f.stdin && cmd.Flag("listen").Changed {
		return errors.New("--listen is for a server, and with --stdin there is none")
	}
	if _, err := net.ResolveTCPAddr("tcp", f.listen); err != nil {
		return fmt.Errorf("--listen: %w", err)
	}
	f.config.MaxLine = int(f.maxLine)
	return nil
}

func (f *echoFlags) run(ctx context.Context, stdin io.Reader, stdout, stderr io.Writer) error {
	serving, reports := ctx, stdout
	if f.duration > 0 {
		var cancel context.CancelFunc
		serving, cancel = context.WithTimeout(ctx, f.duration)
		defer cancel()
	}
	var report echo.Report
	var err error
	if f.stdin {
		in, okIn := stdin.(*os.File)
		out, okOut := stdout.(*os.File)
		if !okIn || !okOut {
			return fmt.Errorf("--stdin needs files as standard input and output")
		}
		reports = stderr
		report, err = echo.Stream(serving, f.config, in, out)
	} else {
		report, err = echo.Serve(serving, f.config, f.listen, func(at net.Addr) {
			fmt.Fprintf(stderr, "troupe: echoing on %v\n", at) //nolint:errcheck // There is nowhere left to say so.
		})
	}
	if err != nil {
		return err
	}
	report.Interrupted = ctx.Err() != nil
	write := report.WriteText
	if f.json {
		write = report.WriteJSON
	}
	if f.json || !f.stdin {
		if err := write(reports); err != nil {
			return fmt.Errorf("writing the report: %w", err)
		}
	}
	if report.Interrupted {
		return errInterrupted
	}
	return nil
}

const echoLoadHelp = `Load connects clients to an echo server. Each sends a line, waits until it is back, and sends the
next, until --duration is over and its last line is back, or has not come for 5 s. The clients are
strands.

Exit status:
  0    all clients were served
  1    a client failed, or could not connect
  2    the command line is wrong
  130  ended by SIGINT or SIGTERM; the report is written nevertheless`

func newEchoLoad() *cobra.Command {
	load := echo.Load{}
	asJSON := false
	cmd := &cobra.Command{
		Use:     "load",
		Short:   "Put an echo server under load",
		Long:    echoLoadHelp,
		Example: "  troupe echo load --clients 64 --size 64 --duration 5s --json",
		Args:    atMost(0, "no arguments"),
		RunE: func(cmd *cobra.Command, _ []string) error {
			const most = 1 << 20
			switch {
			case load.Clients < 1 || load.Clients > most:
				return usageError{fmt.Errorf("--clients must be from 1 to %d, not %d", most, load.Clients)}
			case load.Size < 1 || load.Size > most:
				return usageError{fmt.Errorf("--size must be from 1 to %d, not %d", most, load.Size)}
			case load.Duration <= 0:
				return usageError{fmt.Errorf("--duration must be positive, not %v", load.Duration)}
			}
			if err := checkWorkers(cmd, load.Workers); err != nil {
				return usageError{err}
			}
			if _, err := net.ResolveTCPAddr("tcp", load.Address); err != nil {
				return usageError{fmt.Errorf("--connect: %w", err)}
			}
			report, err := load.Run(cmd.Context())
			if err != nil {
				return err
			}
			write := report.WriteText
			if asJSON {
				write = report.WriteJSON
			}
			switch err := write(cmd.OutOrStdout()); {
			case err != nil:
				return fmt.Errorf("writing the report: %w", err)
			case report.Interrupted:
				return errInterrupted
			case report.Failed > 0:
				return fmt.Errorf("%d of %d clients failed, the first with: %s", report.Failed, report.Clients, report.FirstError)
			}
			return nil
		},
	}
	set := cmd.Flags()
	set.SortFlags = false
	set.StringVar(&load.Address, "connect", echoAddress, "`address` of the server")
	set.IntVar(&load.Clients, "clients", 64, "`number` of clients")
	set.IntVar(&load.Size, "size", 64, "`length` of a line in bytes, with its newline")
	set.DurationVar(&load.Duration, "duration", 5*time.Second, "`time` to go on")
	set.IntVar(&load.Workers, "workers", 0, "`number` of the scheduler's workers (default GOMAXPROCS)")
	set.BoolVar(&asJSON, "json", false, "report as one JSON object")
	return cmd
}
