package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"strconv"
	"strings"
	"text/tabwriter"
	"time"
	"unicode"
	"unicode/utf8"

	"github.com/spf13/cobra"

	"github.com/troupe-go/troupe/cmd/troupe/internal/journals"
	"github.com/troupe-go/troupe/journal"
)

const journalHelp = `Journal looks at the journal of event-sourced actors, and copies it. JOURNAL is a SQLite file, or
the URL of a PostgreSQL database, such as postgres://user@host/database. All but restore only read,
and programs may use the journal meanwhile.

Exit status:
  0    done; verify has found no fault
  1    the journal can't be read, has faults, or lacks the stream
  2    the command line is wrong
  130  interrupted by Ctrl-C, SIGINT or SIGTERM`

const journalExample = `  troupe journal ls bank.db
  troupe journal show bank.db account/7
  troupe journal tail --follow --prefix account/ bank.db
  troupe journal verify bank.db
  troupe journal export bank.db > bank.jsonl
  troupe journal restore postgres://bank@localhost/bank bank.jsonl`

func newJournal() *cobra.Command {
	cmd := &cobra.Command{
		Use:     "journal",
		Short:   "Look at a journal of event-sourced actors, check it, export and restore it",
		Long:    journalHelp,
		Example: journalExample,
		Args:    noSuchCommand,
		RunE:    func(cmd *cobra.Command, _ []string) error { return cmd.Help() },
	}
	cmd.AddCommand(newJournalLs(), newJournalShow(), newJournalTail(), newJournalVerify(), newJournalExport(), newJournalRestore())
	return cmd
}

// journalCommand returns a subcommand with the arguments that its use line names. The error of
// an interrupt is the one that the exit status knows.
func journalCommand(use, short string, run func(cmd *cobra.Command, args []string) error) *cobra.Command {
	names := strings.Fields(use)[1:]
	return &cobra.Command{
		Use:   use,
		Short: short,
		Args: func(cmd *cobra.Command, args []string) error {
			if len(args) != len(names) {
				return usageError{fmt.Errorf("%s takes %s, not %q; see %s --help", cmd.CommandPath(), strings.Join(names, " and "), args, cmd.CommandPath())}
			}
			return nil
		},
		RunE: func(cmd *cobra.Command, args []string) error {
			err := run(cmd, args)
			if err != nil && cmd.Context().Err() != nil {
				return errors.Join(errInterrupted, err)
			}
			return err
		},
	}
}

// reading opens a journal for f.
func reading(ctx context.Context, target string, f func(journals.Store) error) error {
	s, err := journals.Open(ctx, target)
	if err != nil {
		return err
	}
	return errors.Join(f(s), s.Close())
}

func newJournalLs() *cobra.Command {
	var prefix string
	var asJSON bool
	cmd := journalCommand("ls JOURNAL", "List the streams", func(cmd *cobra.Command, args []string) error {
		return reading(cmd.Context(), args[0], func(s journals.Store) error {
			return listStreams(cmd.Context(), s, prefix, cmd.OutOrStdout(), asJSON)
		})
	})
	cmd.Flags().StringVar(&prefix, "prefix", "", "what names `begin` with")
	cmd.Flags().BoolVar(&asJSON, "json", false, "as lines of JSON")
	return cmd
}

// listStreams writes as it reads: there may be millions. So a table has the widths of each
// hundred rows.
func listStreams(ctx context.Context, s journals.Store, prefix string, w io.Writer, asJSON bool) error {
	const rows = 100
	out := json.NewEncoder(w)
	table := tabwriter.NewWriter(w, 0, 0, 2, ' ', 0)
	n := 0
	for info, err := range s.Streams(ctx, prefix, "") {
		switch {
		case err != nil:
		case asJSON:
			err = out.Encode(journals.StreamLine(info))
		default:
			if n%rows == 0 {
				if n > 0 {
					err = table.Flush()
				}
				fmt.Fprintln(table, "STREAM\tVERSION\tEVENTS\tSNAPSHOT\tFENCE\tPOSITIONS\tCHANGED") //nolint:errcheck // The flush tells.
			}
			fmt.Fprintf(table, "%s\t%d\t%d\t%d\t%d\t%d-%d\t%s\n", printable(info.Name), info.Version, info.Events, info.Snapshot, info.Fence, info.First, info.Last, clock(info.Changed)) //nolint:errcheck // As above.
		}
		if err != nil {
			return errors.Join(err, table.Flush())
		}
		n++
	}
	return table.Flush()
}

func newJournalShow() *cobra.Command {
	var from uint64
	var asJSON bool
	cmd := journalCommand("show JOURNAL STREAM", "Show the events of a stream", func(cmd *cobra.Command, args []string) error {
		ctx, write := cmd.Context(), eventWriter(cmd.OutOrStdout(), asJSON)
		if from == 0 {
			return usageError{errors.New("--from must be at least 1, not 0")}
		}
		return reading(ctx, args[0], func(s journals.Store) error {
			if _, err := journals.Find(ctx, s, args[1]); err != nil {
				return err
			}
			for r, err := range s.Read(ctx, args[1], from-1) {
				if err == nil {
					err = write(r)
				}
				if err != nil {
					return err
				}
			}
			return nil
		})
	})
	cmd.Flags().Uint64Var(&from, "from", 1, "first `version`")
	cmd.Flags().BoolVar(&asJSON, "json", false, "as lines of JSON, with all data")
	return cmd
}

func newJournalTail() *cobra.Command {
	f := struct {
		n              int
		prefix         string
		types          []string
		follow, asJSON bool
		every          time.Duration
	}{}
	cmd := journalCommand("tail JOURNAL", "Show the last events of all streams", func(cmd *cobra.Command, args []string) error {
		const most = 100_000
		if f.n < 0 || f.n > most {
			return usageError{fmt.Errorf("--last must be from 0 to %d, not %d", most, f.n)}
		}
		if f.every <= 0 {
			return usageError{fmt.Errorf("--every must be above 0, not %v", f.every)}
		}
		ctx, write := cmd.Context(), eventWriter(cmd.OutOrStdout(), f.asJSON)
		filter := journal.Filter{Prefix: f.prefix, Types: f.types}
		return reading(ctx, args[0], func(s journals.Store) error {
			after, err := journals.Last(ctx, s, f.n, filter, write)
			if err != nil || !f.follow {
				return err
			}
			return journals.Follow(ctx, s, after, filter, f.every, write)
		})
	})
	set := cmd.Flags()
	set.IntVarP(&f.n, "last", "n", 10, "`number` of events")
	set.StringVar(&f.prefix, "prefix", "", "what the names of streams `begin` with")
	set.StringSliceVar(&f.types, "type", nil, "`types` of events")
	set.BoolVarP(&f.follow, "follow", "f", false, "go on with events that are written from now on")
	set.DurationVar(&f.every, "every", time.Second, "`time` between two looks of --follow")
	set.BoolVar(&f.asJSON, "json", false, "as lines of JSON, with all data")
	return cmd
}

func newJournalVerify() *cobra.Command {
	var asJSON bool
	cmd := journalCommand("verify JOURNAL", "Read everything, and name each fault", func(cmd *cobra.Command, args []string) error {
		w := cmd.OutOrStdout()
		out := json.NewEncoder(w)
		return reading(cmd.Context(), args[0], func(s journals.Store) error {
			verdict, err := journals.Verify(cmd.Context(), s, func(f journals.Fault) error {
				if asJSON {
					return out.Encode(f)
				}
				_, err := fmt.Fprintln(w, "fault:", printable(f.String()))
				return err
			})
			if err == nil && asJSON {
				err = out.Encode(verdict)
			} else if err == nil {
				err = writeVerdict(w, verdict)
			}
			if err == nil && verdict.Faults > 0 {
				err = fmt.Errorf("%w: %d", journals.ErrFaulty, verdict.Faults)
			}
			return err
		})
	})
	cmd.Long = `Verify reads the whole journal: versions without gaps, positions in order, the end of each stream,
data that its codec can read, and snapshots that are not ahead of their events. SQLite also checks
its file. SQLite keeps no checksums: a byte that has changed is found where it breaks an encoding or
a page, and not where it makes another value. Data of codecs other than json and cbor is read, and
not decoded; verify says how much. Whether a program can apply the events, only the program knows.`
	cmd.Flags().BoolVar(&asJSON, "json", false, "as lines of JSON: each fault, and the totals")
	return cmd
}

func writeVerdict(w io.Writer, v journals.Verdict) error {
	_, err := fmt.Fprintf(w, "%d streams, %d events, %d snapshots: %d faults\n", v.Streams, v.Events, v.Snapshots, v.Faults)
	for codec, n := range v.Unchecked {
		if err == nil {
			_, err = fmt.Fprintf(w, "the codec %q is not known here: the data of %d events and snapshots was not decoded\n", codec, n)
		}
	}
	return err
}

func newJournalExport() *cobra.Command {
	cmd := journalCommand("export JOURNAL", "Write the journal to standard output as lines of JSON", func(cmd *cobra.Command, args []string) error {
		return reading(cmd.Context(), args[0], func(s journals.Store) error {
			t, err := journals.Export(cmd.Context(), s, cmd.OutOrStdout())
			if err == nil {
				tellTotals(cmd.ErrOrStderr(), "exported", t)
			}
			return err
		})
	})
	cmd.Long = `Export writes a head, the events of all streams in their order, fences, snapshots, and an end with the
totals. A file without its end is not whole, and restore refuses it. Data is a string of JSON, or, if
it is no UTF-8, an object with the member base64. Positions of projections are not exported.`
	return cmd
}

func newJournalRestore() *cobra.Command {
	cmd := journalCommand("restore JOURNAL EXPORT", "Write an export to a new or empty journal", func(cmd *cobra.Command, args []string) error {
		file, err := os.Open(args[1])
		if err != nil {
			return err
		}
		t, err := journals.Restore(cmd.Context(), args[0], file)
		if err = errors.Join(err, file.Close()); err == nil {
			tellTotals(cmd.ErrOrStderr(), "restored", t)
		}
		return err
	})
	cmd.Long = `Restore reads the whole file EXPORT and checks it, before it makes JOURNAL or writes to it. JOURNAL
must have no streams. The events keep their streams, versions, times, command ids and order, and get
new positions: projections have to start over, with empty tables.`
	return cmd
}

// tellTotals is for people. The export itself has the totals, too.
func tellTotals(w io.Writer, what string, t journals.Totals) {
	fmt.Fprintf(w, "troupe: %s %d events, %d fences and %d snapshots\n", what, t.Events, t.Fences, t.Snapshots) //nolint:errcheck // There is nowhere left to say so.
}

// eventWriter returns a function that writes an event in a line.
func eventWriter(w io.Writer, asJSON bool) func(journal.Record) error {
	out := json.NewEncoder(w)
	out.SetEscapeHTML(false)
	return func(r journal.Record) error {
		if asJSON {
			return out.Encode(journals.EventLine(r))
		}
		_, err := fmt.Fprintf(w, "%d  %s  %s/%d  %s.v%d  %s\n", r.Position, clock(r.Time), printable(r.Stream), r.Version, printable(r.Type), r.Schema, dataText(r.Data))
		return err
	}
}

// dataText returns the beginning of the data, in one line.
func dataText(data []byte) string {
	const most = 200
	text, more := data, ""
	if len(data) > most {
		text, more = data[:most], fmt.Sprintf("… (%d bytes)", len(data))
	}
	if utf8.Valid(data) {
		return printable(strings.ToValidUTF8(string(text), "")) + more
	}
	return fmt.Sprintf("%x", text) + more
}

// printable quotes a text that would not show as it is, or be a command to a terminal.
func printable(text string) string {
	for _, r := range text {
		if r == unicode.ReplacementChar || !unicode.IsPrint(r) {
			return strconv.Quote(text)
		}
	}
	return text
}

func clock(t time.Time) string {
	if t.IsZero() {
		return "-"
	}
	return t.UTC().Format(time.RFC3339Nano)
}
