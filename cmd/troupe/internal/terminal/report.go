package terminal

import (
	"encoding/json"
	"fmt"
	"io"
	"runtime"
	"strings"

	"github.com/jedib0t/go-pretty/v6/table"
	"github.com/jedib0t/go-pretty/v6/text"
)

// writeJSON writes one object a line: first the subjects, then the decisions.
func writeJSON(w io.Writer, results []Result) error {
	out := json.NewEncoder(w)
	for _, r := range results {
		if err := out.Encode(r); err != nil {
			return err
		}
	}
	for _, d := range decide(results) {
		if err := out.Encode(d); err != nil {
			return err
		}
	}
	return nil
}

// writeText writes tables.
func writeText(w io.Writer, results []Result) error {
	if len(results) == 0 {
		return nil
	}
	decisions := decide(results)
	var all strings.Builder
	fmt.Fprintf(&all, "%s/%s, %s, GOMAXPROCS %d; medians of %d rounds\n\n", runtime.GOOS, runtime.GOARCH, runtime.Version(),
		runtime.GOMAXPROCS(0), results[0].Rounds)
	all.WriteString(loads(results) + "\n\n" + throughputs(results) + "\n\n" + stages(results) + "\n\n" +
		choices(decisions, results) + "\n\n" +
		advice(decisions, results) + "\n\n" + reached(results) + "\n")
	_, err := io.WriteString(w, all.String())
	return err
}

func newTable(header table.Row) table.Writer {
	t := table.NewWriter()
	style := table.StyleLight
	style.Options.DrawBorder, style.Format.Header = false, text.FormatDefault
	t.SetStyle(style)
	t.AppendHeader(header)
	configs := []table.ColumnConfig{}
	for i := range header {
		if i > 1 {
			configs = append(configs, table.ColumnConfig{Number: i + 1, Align: text.AlignRight, AlignHeader: text.AlignRight})
		}
	}
	t.SetColumnConfigs(configs)
	return t
}

// loads is the table of keystrokes, and what the process uses meanwhile.
func loads(results []Result) string {
	t := newTable(table.Row{"keystrokes", "", "P50 µs", "P95 µs", "P99 µs", "max µs", "MB/s", "threads", "RSS MB", "heap MB", "CPU s/s"})
	for _, load := range []string{idle, underFlood} {
		for _, r := range results {
			row := table.Row{map[string]string{idle: "idle", underFlood: "under flood"}[load], r.Subject}
			for _, name := range []string{p50, p95, p99, longestKey, speed, threads, rss, heap, cpu} {
				digits := map[string]int{rss: 1, heap: 1, cpu: 2}[name]
				if s, ok := r.Figures[load+name]; ok {
					row = append(row, fmt.Sprintf("%.*f", digits, s.Median))
				} else {
					row = append(row, "")
				}
			}
			t.AppendRow(row)
		}
	}
	return t.Render()
}

// throughputs is the table of output without keys.
func throughputs(results []Result) string {
	t := newTable(table.Row{"output", "", "1 MB, MB/s", "more, MB/s", "min", "max", "CPU s/GB", "threads of many"})
	for _, r := range results {
		large := r.Figures[ptyLarge]
		t.AppendRow(table.Row{
			fmt.Sprintf("chunks of %d", ChunkSize), r.Subject, fmt.Sprintf("%.0f", r.Figures[ptySmall].Median),
			fmt.Sprintf("%.0f", large.Median), fmt.Sprintf("%.0f", large.Min), fmt.Sprintf("%.0f", large.Max),
			fmt.Sprintf("%.2f", r.Figures[underFlood+cpuPerGB].Median), fmt.Sprintf("%.0f", r.Figures[manyThreads].Median),
		})
	}
	return t.Render()
}

// stages is the table of keystrokes that go through four stages.
func stages(results []Result) string {
	t := newTable(table.Row{fmt.Sprintf("%d stages", hops), "", "P50 µs", "P99 µs", "switches a message", "under flood: P50 µs", "P99 µs", "switches a message"})
	for _, r := range results {
		row := table.Row{"in one process", r.Subject}
		for _, load := range []string{idle, underFlood} {
			row = append(row, fmt.Sprintf("%.1f", r.Figures[load+pipeP50].Median), fmt.Sprintf("%.1f", r.Figures[load+pipeP99].Median),
				fmt.Sprintf("%.2f", r.Figures[load+pipeSwitches].Median))
		}
		t.AppendRow(row)
	}
	return t.Render()
}

// choices is the decision table.
func choices(decisions []Decision, results []Result) string {
	header := table.Row{"if you need", "choose"}
	for _, r := range results {
		header = append(header, r.Subject)
	}
	t := newTable(append(header, "", "worst/best"))
	for _, d := range decisions {
		choose := strings.Join(d.Choose, ", ")
		if d.all {
			choose = "any"
		}
		row := table.Row{d.Need, choose}
		for _, r := range results {
			row = append(row, fmt.Sprintf("%.4g", r.Figures[d.Figure].Median))
		}
		t.AppendRow(append(row, d.unit, fmt.Sprintf("%.2f", d.Factor)))
	}
	return t.Render()
}

// reached is the table of targets.
func reached(results []Result) string {
	header := table.Row{"targets", ""}
	for _, r := range results {
		header = append(header, r.Subject)
	}
	t := newTable(header)
	for _, target := range targets {
		row := table.Row{target.name, ""}
		for _, r := range results {
			mark := "✗"
			if r.Targets[target.name] {
				mark = "✓"
			}
			row = append(row, mark)
		}
		t.AppendRow(row)
	}
	return t.Render()
}
