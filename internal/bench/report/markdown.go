package report

import (
	"encoding/json"
	"fmt"
	"io"
	"strings"

	"github.com/troupe-go/troupe/internal/bench/suite"
)

// Read reads the lines that JSON has written, of one or several runs of the
// command.
func Read(in io.Reader) ([]Line, error) {
	var lines []Line
	for d := json.NewDecoder(in); ; {
		var l Line
		err := d.Decode(&l)
		if err == io.EOF {
			return lines, nil
		}
		if err != nil {
			return nil, fmt.Errorf("line %d is not one of the flag json: %w", len(lines)+1, err)
		}
		if l.Workload == "" || l.Subject == "" {
			return nil, fmt.Errorf("line %d has no workload or no subject", len(lines)+1)
		}
		lines = append(lines, l)
	}
}

// Markdown writes the lines as tables for a document: for each family one with
// all medians side by side, and then one for each row with everything. It is an
// error if a line is of a workload that is not among these, which happens with
// the output of another version.
func Markdown(out io.Writer, workloads []*suite.Workload, subjects []*suite.Subject, lines []Line) error {
	m := newDocument(workloads, subjects, lines)
	for _, l := range lines {
		if m.rows[l.Workload] == nil {
			return fmt.Errorf("unknown workload %q; it was written by another version", l.Workload)
		}
	}
	for _, f := range []suite.Family{suite.Actors, suite.Jobs, suite.Tasks} {
		m.overview(f)
	}
	for _, w := range workloads {
		for _, row := range w.Rows() {
			m.table(w, row)
		}
	}
	_, err := io.WriteString(out, m.text.String())
	return err
}

// document is the text under way.
type document struct {
	workloads []*suite.Workload
	subjects  []*suite.Subject
	rows      map[string][]Line // By row; there and empty if the workload is known.
	text      strings.Builder
}

func newDocument(workloads []*suite.Workload, subjects []*suite.Subject, lines []Line) *document {
	m := &document{workloads: workloads, subjects: subjects, rows: map[string][]Line{}}
	for _, w := range workloads {
		for _, row := range w.Rows() {
			m.rows[row] = []Line{}
		}
	}
	for _, l := range lines {
		if m.rows[l.Workload] != nil {
			m.rows[l.Workload] = append(m.rows[l.Workload], l)
		}
	}
	return m
}

// overview writes the medians of a family, with a column for each subject that
// has one.
func (m *document) overview(f suite.Family) {
	var columns []string
	for _, s := range m.subjects {
		for _, w := range m.workloads {
			if w.Family == f && m.has(w, s.Name) {
				columns = append(columns, s.Name)
				break
			}
		}
	}
	if len(columns) == 0 {
		return
	}
	fmt.Fprintf(&m.text, "\n### All %s\n\nMedians; the best of a row is bold.\n\n| workload | unit | %s | target |\n|---|---|%s---|\n",
		f, strings.Join(columns, " | "), strings.Repeat("---:|", len(columns)))
	for _, w := range m.workloads {
		for _, row := range w.Rows() {
			if w.Family == f && len(m.rows[row]) > 0 {
				m.medians(w, row, columns)
			}
		}
	}
}

func (m *document) has(w *suite.Workload, subject string) bool {
	for _, row := range w.Rows() {
		if find(m.rows[row], subject) != nil {
			return true
		}
	}
	return false
}

func (m *document) medians(w *suite.Workload, row string, columns []string) {
	lines := m.rows[row]
	best := lines[0].Median
	for _, l := range lines {
		best = min(best, l.Median)
	}
	fmt.Fprintf(&m.text, "| %s | %s |", row, w.Unit)
	target := ""
	for _, name := range columns {
		l := find(lines, name)
		switch {
		case l == nil:
			m.text.WriteString(" |")
			continue
		case l.Median == best:
			fmt.Fprintf(&m.text, " **%s** |", number(&l.Median))
		default:
			fmt.Fprintf(&m.text, " %s |", number(&l.Median))
		}
		if len(l.Targets) > 0 {
			target = targets(*l, w.Unit)
		}
	}
	fmt.Fprintf(&m.text, " %s |\n", target)
}

// table writes all about one row, with the notes on it.
func (m *document) table(w *suite.Workload, row string) {
	lines := m.rows[row]
	if len(lines) == 0 {
		return
	}
	fmt.Fprintf(&m.text, "\n### %s\n\n%s. %s; GOMAXPROCS is %d; ratios to %s.\n\n", row, upper(w.About), w.Unit, lines[0].Procs, w.Baseline)
	m.text.WriteString("| subject | median | min | max | allocs/op | bytes/op | ratio | target |\n|---|---:|---:|---:|---:|---:|---:|---|\n")
	var foot strings.Builder
	for _, s := range m.subjects {
		l := find(lines, s.Name)
		if l == nil {
			if s.In(w.Family) {
				fmt.Fprintf(&foot, "- %s has no figure: %s.\n", s.Name, cannot(s, w))
			}
			continue
		}
		fmt.Fprintf(&m.text, "| %s | %s | %s | %s | %s | %s | %s | %s |\n", s.Name, number(&l.Median), number(&l.Min),
			number(&l.Max), number(l.Allocs), number(l.Bytes), ratio(l.Ratio), targets(*l, w.Unit))
		if note := notes(s, w.Name); note != "" {
			fmt.Fprintf(&foot, "- %s: %s.\n", s.Name, note)
		}
	}
	if foot.Len() > 0 {
		m.text.WriteString("\n" + foot.String())
	}
}

func upper(text string) string { return strings.ToUpper(text[:1]) + text[1:] }

// cannot says why a line is missing. The lines may come
// from another machine, so a tool that is absent here may have been there.
func cannot(s *suite.Subject, w *suite.Workload) string {
	if why := s.Cannot(w); why != "" {
		return why
	}
	return "it was not run, or has failed"
}
