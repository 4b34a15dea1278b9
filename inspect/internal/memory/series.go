package memory

import (
	"sync"
	"time"
)

// Series keeps the last rows of some figures. Its memory is 8 bytes for each figure of each row, and is allocated at once.
type Series struct {
	names []string
	width int // Of a row: the figures, and the time.

	mu   sync.Mutex
	rows []float64 // A ring of rows. The time of each, in ms, is its first number.
	next int       // The row that is written next.
	full bool
}

// NewSeries returns a series without rows, which will keep the last ones, up to that number.
func NewSeries(rows int, names ...string) *Series {
	width := len(names) + 1
	return &Series{names: names, width: width, rows: make([]float64, rows*width)}
}

// Add adds a row, with a value for each name.
func (s *Series) Add(at time.Time, values ...float64) {
	s.mu.Lock()
	defer s.mu.Unlock()
	row := s.rows[s.next*s.width:][:s.width]
	row[0] = float64(at.UnixMilli())
	clear(row[1:])
	copy(row[1:], values)
	if s.next++; s.next*s.width == len(s.rows) {
		s.next, s.full = 0, true
	}
}

// Past has the rows of a series as columns.
type Past struct {
	// Times are in ms since 1970, the oldest first.
	Times []int64 `json:"times"`
	// Figures have a value for each of the Times.
	Figures map[string][]float64 `json:"figures"`
}

// Since returns the rows that are later than a time, the oldest first.
func (s *Series) Since(after time.Time) Past {
	s.mu.Lock()
	defer s.mu.Unlock()
	p := Past{Times: []int64{}, Figures: map[string][]float64{}}
	for _, name := range s.names {
		p.Figures[name] = []float64{}
	}
	if s.full {
		s.appendTo(&p, s.rows[s.next*s.width:], after)
	}
	s.appendTo(&p, s.rows[:s.next*s.width], after)
	return p
}

func (s *Series) appendTo(p *Past, rows []float64, after time.Time) {
	for ; len(rows) > 0; rows = rows[s.width:] {
		at := int64(rows[0])
		if !after.IsZero() && at <= after.UnixMilli() {
			continue
		}
		p.Times = append(p.Times, at)
		for n, name := range s.names {
			p.Figures[name] = append(p.Figures[name], rows[n+1])
		}
	}
}
