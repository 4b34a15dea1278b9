package steal

import (
	"encoding/json"
	"fmt"
	"io"
	"strconv"
	"time"

	"github.com/dustin/go-humanize"
	"github.com/jedib0t/go-pretty/v6/table"
	"github.com/jedib0t/go-pretty/v6/text"
)

// Summary is what remains of a stage. Its JSON is documented by the names of its
// fields; counts are since the beginning.
type Summary struct {
	Seconds     float64 `json:"seconds"`
	Interrupted bool    `json:"interrupted"`
	Workers     int     `json:"workers"`
	Strategy    string  `json:"strategy"` // At the end.
	Load        float64 `json:"load"`     // At the end.

	Jobs              uint64 `json:"jobs"` // Pieces of work that were begun or continued.
	Unfinished        int    `json:"unfinished"`
	Stolen            uint64 `json:"stolen"`
	Suspended         uint64 `json:"suspended"`
	Yielded           uint64 `json:"yielded"`
	Preempted         uint64 `json:"preempted"`
	Parked            uint64 `json:"parked"`
	Blocked           uint64 `json:"blocked"`
	Spares            int    `json:"spares"`
	SpareLimitReached uint64 `json:"spare_limit_reached"`

	Critical  SummaryLatency    `json:"critical"`
	Acts      map[string]uint64 `json:"acts"` // How often each was performed.
	PerWorker []SummaryWorker   `json:"per_worker"`
}

// SummaryLatency is how long critical jobs took to begin, in microseconds. The
// figures are 0 if there were none.
type SummaryLatency struct {
	Jobs int64   `json:"jobs"`
	P50  float64 `json:"p50_us"`
	P99  float64 `json:"p99_us"`
	Max  float64 `json:"max_us"`
}

// SummaryWorker is what one worker has done.
type SummaryWorker struct {
	ID        int    `json:"id"`
	Spare     bool   `json:"spare"`
	State     string `json:"state"`
	Jobs      uint64 `json:"jobs"`
	Stolen    uint64 `json:"stolen"`
	Suspended uint64 `json:"suspended"`
	Preempted uint64 `json:"preempted"`
	Parked    uint64 `json:"parked"`
	Blocked   uint64 `json:"blocked"`
	Strategy  string `json:"strategy"` // How it stole at the end.
	Reason    string `json:"reason"`   // Why.
	Switches  uint64 `json:"switches"` // How often that has changed.
	Attempts  uint64 `json:"attempts"`
	Contended uint64 `json:"contended"` // Attempts in which somebody else was faster.
	Empty     uint64 `json:"empty"`     // Workers that it asked in vain.
	Batches   uint64 `json:"batches"`   // Steals of more than one piece.
	// From has how many jobs it began that were submitted on each other worker.
	From map[string]uint64 `json:"from"`
}

// Summary sums up the stage. Call it before Close.
func (st *Stage) Summary(interrupted bool) Summary {
	snap, stats := st.Snapshot(), st.s.Stats()
	t := stats.Total()
	sum := Summary{
		Seconds: snap.At.Seconds(), Interrupted: interrupted, Workers: st.s.Workers(),
		Strategy: snap.Strategy.String(), Load: snap.Load,
		Jobs: t.Jobs, Unfinished: stats.Jobs, Stolen: t.Stolen, Suspended: t.Suspended, Yielded: t.Yielded,
		Preempted: t.Preempted, Parked: t.Parked, Blocked: t.Blocked,
		Spares: snap.Spares, SpareLimitReached: stats.SpareLimitReached,
		Critical: SummaryLatency{snap.Critical.Jobs, micros(snap.Critical.P50), micros(snap.Critical.P99), micros(snap.Critical.Max)},
		Acts:     map[string]uint64{}, PerWorker: []SummaryWorker{},
	}
	for _, w := range stats.Workers { // Retired spares too.
		from := map[string]uint64{}
		for other, n := range st.roster.takenBy(w.ID) {
			from[strconv.Itoa(other)] = n
		}
		sum.PerWorker = append(sum.PerWorker, SummaryWorker{
			ID: w.ID, Spare: w.Spare, State: w.State.String(), Jobs: w.Jobs, Stolen: w.Stolen,
			Suspended: w.Suspended, Preempted: w.Preempted, Parked: w.Parked, Blocked: w.Blocked, From: from,
			Strategy: w.Steal.Strategy.String(), Reason: w.Steal.Reason.String(), Switches: w.Steal.Switches,
			Attempts: w.Steal.Attempts, Contended: w.Steal.Contended, Empty: w.Steal.Empty, Batches: w.Steal.Batches,
		})
	}
	st.mu.Lock()
	defer st.mu.Unlock()
	for a := range numActs {
		sum.Acts[a.String()] = st.performed[a]
	}
	return sum
}

func micros(d time.Duration) float64 { return float64(d) / float64(time.Microsecond) }

// WriteJSON writes the summary as one JSON object on one line.
func (s *Summary) WriteJSON(w io.Writer) error { return json.NewEncoder(w).Encode(s) }

// WriteText writes the summary for people.
func (s *Summary) WriteText(w io.Writer) error {
	state := ""
	if s.Interrupted {
		state = " (interrupted)"
	}
	_, err := fmt.Fprintf(w, "%d workers, %s stealing, %.1f s%s\n%s\ncritical jobs: %s, P50 %.0f µs, P99 %.0f µs, max %.0f µs\n",
		s.Workers, s.Strategy, s.Seconds, state, s.table(),
		humanize.Comma(s.Critical.Jobs), s.Critical.P50, s.Critical.P99, s.Critical.Max)
	return err
}

func (s *Summary) table() string {
	t := table.NewWriter()
	t.SetStyle(table.StyleLight)
	t.Style().Format.Header = text.FormatDefault
	t.Style().Format.Footer = text.FormatDefault
	header := table.Row{"worker", "jobs", "stolen", "suspended", "preempted", "parked", "blocked"}
	t.AppendHeader(header)
	var columns []table.ColumnConfig
	for i := 2; i <= len(header); i++ {
		columns = append(columns, table.ColumnConfig{
			Number: i, Align: text.AlignRight, AlignHeader: text.AlignRight, AlignFooter: text.AlignRight,
		})
	}
	t.SetColumnConfigs(columns)
	row := func(name string, counts ...uint64) table.Row {
		cells := table.Row{name}
		for _, n := range counts {
			cells = append(cells, humanize.Comma(int64(n)))
		}
		return cells
	}
	for _, w := range s.PerWorker {
		name := strconv.Itoa(w.ID)
		if w.Spare {
			name += " (spare)"
		}
		t.AppendRow(row(name, w.Jobs, w.Stolen, w.Suspended, w.Preempted, w.Parked, w.Blocked))
	}
	t.AppendFooter(row("all", s.Jobs, s.Stolen, s.Suspended, s.Preempted, s.Parked, s.Blocked))
	return t.Render()
}
