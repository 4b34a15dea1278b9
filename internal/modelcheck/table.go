package modelcheck

import (
	"errors"
	"fmt"
	"strconv"
	"testing"
	"text/tabwriter"
	"time"
)

// Table explores the models of a package and prints what each took.
type Table struct {
	pkg   string
	rows  []row
	total row
}

type row struct {
	name, bound string
	report      Report
	took        time.Duration
}

// NewTable returns a table that t prints at its end.
func NewTable(t *testing.T, pkg string) *Table {
	table := &Table{pkg: pkg, total: row{name: "all"}}
	t.Cleanup(func() { table.print(t) })
	return table
}

// Explore explores a model, and fails t if a schedule breaks it or if not all
// was explored that cfg asks for.
func (table *Table) Explore(t *testing.T, name string, cfg Config, build func(p *Program)) {
	t.Helper()
	begin := time.Now()
	report, err := Explore(cfg, build)
	if err != nil {
		t.Fatal(err)
	}
	if cfg.Random == 0 && !report.Complete {
		t.Fatalf("not everything was explored: %+v", report)
	}
	r := row{name, cfg.bound(), report, time.Since(begin)}
	table.rows = append(table.rows, r)
	table.total.report.Schedules += report.Schedules
	table.total.took += r.took
}

// bound says what is explored of a program.
func (c Config) bound() string {
	switch {
	case c.Random > 0:
		return strconv.Itoa(c.Random) + " at random"
	case c.Preemptions == 0:
		return "all schedules"
	case c.Preemptions == 1:
		return "1 preemption"
	default:
		return strconv.Itoa(max(0, c.Preemptions)) + " preemptions"
	}
}

func (table *Table) print(t *testing.T) {
	text := []byte("| package\t| model\t| bound\t| schedules\t| time\t|\n")
	for _, r := range append(table.rows, table.total) {
		text = fmt.Appendf(text, "| %s\t| %s\t| %s\t| %d\t| %v\t|\n", table.pkg, r.name, r.bound, r.report.Schedules, r.took.Round(time.Millisecond))
	}
	w := tabwriter.NewWriter(t.Output(), 0, 0, 1, ' ', 0)
	_, err := w.Write(text)
	if err := errors.Join(err, w.Flush()); err != nil {
		t.Error(err)
	}
}
