package demo

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"strings"

	"github.com/dustin/go-humanize"
	"github.com/jedib0t/go-pretty/v6/table"
	"github.com/jedib0t/go-pretty/v6/text"
)

// WriteJSON writes the report as one JSON object on one line.
func (r *Report) WriteJSON(w io.Writer) error {
	return json.NewEncoder(w).Encode(r)
}

// WriteText writes the report for people.
func (r *Report) WriteText(w io.Writer) error {
	parts := []string{r.headline(), r.totals(), r.topTable(), r.workerTable(), r.latencyTable(), r.survived()}
	if r.Verified != nil {
		parts = append(parts, r.verdict())
	}
	for i, part := range parts {
		if part == "" {
			continue
		}
		if i > 0 {
			part = "\n" + part
		}
		if _, err := fmt.Fprintln(w, part); err != nil {
			return err
		}
	}
	return nil
}

func (r *Report) headline() string {
	state := ""
	if r.Partial {
		state = " (partial: interrupted)"
	}
	return fmt.Sprintf("Indexed %s%s\nwith %s, GOMAXPROCS %d, %d tokenizers, %d shards",
		r.Dir, state, r.Go, r.Procs, r.Tokenizers, r.Shards)
}

func (r *Report) totals() string {
	t := newTable("", "total")
	t.AppendRows([]table.Row{
		{"files", humanize.Comma(int64(r.Files))},
		{"bytes", humanize.Comma(r.Bytes)},
		{"words", humanize.Comma(r.Words)},
		{"unique identifiers", humanize.Comma(int64(r.Unique))},
		{"seconds", fmt.Sprintf("%.3f", r.Seconds)},
		{"MB/s", fmt.Sprintf("%.1f", r.MBPerS)},
	})
	for why := Counted + 1; why < reasons; why++ {
		if n := r.Skipped[why]; n > 0 {
			t.AppendRow(table.Row{"skipped: " + why.describe(), humanize.Comma(int64(n))})
		}
	}
	return t.Render()
}

func (r *Report) topTable() string {
	if len(r.Top) == 0 {
		return ""
	}
	t := newTable("top identifier", "count")
	for _, c := range r.Top {
		t.AppendRow(table.Row{shorten(c.Word), humanize.Comma(int64(c.Count))})
	}
	return t.Render()
}

func (r *Report) workerTable() string {
	t := newTable("worker", "jobs", "stolen", "suspended", "preempted", "parked", "blocked")
	for _, w := range r.Workers {
		name := fmt.Sprint(w.ID)
		if w.Spare {
			name += " (spare)"
		}
		t.AppendRow(table.Row{name, comma(w.Jobs), comma(w.Stolen), comma(w.Suspended),
			comma(w.Preempted), comma(w.Parked), comma(w.Blocked)})
	}
	return t.Render()
}

func (r *Report) latencyTable() string {
	t := newTable("urgent queries", "asked", "P50", "P99", "max")
	row := func(name string, asks int64, latencies ...float64) {
		cells := table.Row{name, humanize.Comma(asks)}
		for _, l := range latencies {
			cells = append(cells, fmt.Sprintf("%.0f µs", l))
		}
		t.AppendRow(cells)
	}
	row("under load", r.UrgentAsks, r.UrgentP50, r.UrgentP99, r.UrgentMax)
	row("idle", r.IdleAsks, r.IdleP50, r.IdleP99, r.IdleMax)
	return t.Render()
}

func (r *Report) survived() string {
	if r.FaultRate == 0 && r.Restarts == 0 {
		return ""
	}
	t := newTable(fmt.Sprintf("failures survived, rate %g, seed %d", r.FaultRate, r.Seed), "total")
	t.AppendRows([]table.Row{
		{"panics injected", humanize.Comma(int64(r.Panics))},
		{"tokenizers restarted", humanize.Comma(int64(r.Restarts))},
		{"files tried again", humanize.Comma(int64(r.Retries))},
	})
	return t.Render()
}

func (r *Report) verdict() string {
	lines := []string{fmt.Sprintf("verified: %t", *r.Verified)}
	for _, d := range r.Differences {
		lines = append(lines, "  "+d)
	}
	if r.SequentialSeconds != nil && r.Speedup != nil {
		lines = append(lines, fmt.Sprintf("sequential recount: %.3f s, speedup %.2f", *r.SequentialSeconds, *r.Speedup))
	}
	return strings.Join(lines, "\n")
}

// ErrDiffers is returned by [Report.Check] when the recount found something else.
var ErrDiffers = errors.New("demo: the sequential recount differs")

// Check returns an error if the result was verified and is wrong.
func (r *Report) Check() error {
	if r.Verified == nil || *r.Verified {
		return nil
	}
	return fmt.Errorf("%w: %s; unless files were changed meanwhile, this is a defect",
		ErrDiffers, strings.Join(r.Differences, "; "))
}

// newTable returns a table with text on the left of its first column and numbers on the right of all others.
func newTable(header ...string) table.Writer {
	t := table.NewWriter()
	t.SetStyle(table.StyleLight)
	t.Style().Format.Header = text.FormatDefault
	row := table.Row{}
	columns := []table.ColumnConfig{}
	for i, name := range header {
		row = append(row, name)
		if i > 0 {
			columns = append(columns, table.ColumnConfig{Number: i + 1, Align: text.AlignRight, AlignHeader: text.AlignRight})
		}
	}
	t.AppendHeader(row)
	t.SetColumnConfigs(columns)
	return t
}

func comma(n uint64) string {
	return humanize.Comma(int64(n))
}

// shorten keeps a line of a table on a screen: an identifier may be as long as a file.
func shorten(w string) string {
	const limit = 40
	if runes := []rune(w[:min(len(w), 4*limit)]); len(runes) > limit {
		return string(runes[:limit-1]) + "…"
	}
	return w
}
