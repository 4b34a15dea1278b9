package echo

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"strings"
	"sync/atomic"
	"time"

	"github.com/dustin/go-humanize"

	"github.com/troupe-go/troupe/sched"
	"github.com/troupe-go/troupe/strand"
)

// Load says what clients do.
type Load struct {
	Address  string
	Clients  int
	Size     int // Of a line, with its end.
	Duration time.Duration
	// Grace is for how long clients wait for the answer to their last line when
	// Duration is over. Defaults to 5 s.
	Grace   time.Duration
	Workers int // Defaults to GOMAXPROCS.
}

// defaultGrace is what nobody waits for but with a server that does not answer.
const defaultGrace = 5 * time.Second

// LoadReport is what clients found. Its JSON is documented by the names of its
// fields.
type LoadReport struct {
	Clients     int     `json:"clients"`
	Size        int     `json:"size"`
	Seconds     float64 `json:"seconds"`
	Interrupted bool    `json:"interrupted"`
	Requests    int64   `json:"requests"`
	PerSecond   float64 `json:"requests_per_s"`
	Failed      int64   `json:"failed"` // Clients.
	FirstError  string  `json:"first_error,omitempty"`
	P50         float64 `json:"p50_us"`
	P99         float64 `json:"p99_us"`
	Max         float64 `json:"max_us"`
}

var (
	errOver      = errors.New("echo: no answer came until long after the end of the load")
	errDifferent = errors.New("echo: another line came back than was sent")
)

// Run puts a server under load: each client sends a line, waits until it is back,
// and sends the next, until the time is over. So what the server was sent it has
// answered, unless the load was interrupted.
func (l Load) Run(ctx context.Context) (LoadReport, error) {
	r := LoadReport{Clients: l.Clients, Size: l.Size}
	var requests, failed atomic.Int64
	var first atomic.Pointer[error]
	latencies := make([]histogram, l.Clients)
	if l.Grace <= 0 {
		l.Grace = defaultGrace
	}
	began := time.Now()
	err := strand.Run(ctx, sched.Config{Workers: l.Workers}, func(s *strand.Strand) error {
		timed, cancel := context.WithTimeoutCause(s, l.Duration+l.Grace, errOver)
		defer cancel()
		var all strand.WaitGroup
		for i := range l.Clients {
			if _, err := all.Go(timed, func(s *strand.Strand) error {
				n, err := l.client(s, began.Add(l.Duration), &latencies[i])
				requests.Add(n)
				if err != nil && ctx.Err() == nil {
					failed.Add(1)
					first.CompareAndSwap(nil, &err)
				}
				return nil
			}); err != nil {
				return err
			}
		}
		return all.Wait(s)
	})
	r.Seconds, r.Requests, r.Failed = time.Since(began).Seconds(), requests.Load(), failed.Load()
	r.PerSecond = float64(r.Requests) / r.Seconds
	if e := first.Load(); e != nil {
		r.FirstError = (*e).Error()
	}
	var sum histogram
	for i := range latencies {
		sum.add(&latencies[i])
	}
	r.P50, r.P99, r.Max = sum.quantile(0.5), sum.quantile(0.99), micros(sum.max)
	if ctx.Err() != nil {
		r.Interrupted, err = true, nil
	}
	return r, err
}

// client sends lines until the time is over, one at least, and returns how many came back.
func (l Load) client(s *strand.Strand, end time.Time, latency *histogram) (n int64, err error) {
	c, err := strand.Dial(s, "tcp", l.Address)
	if err != nil {
		return 0, err
	}
	defer c.Close() //nolint:errcheck // It is of no use any more.
	if err := c.SetLineLimit(l.Size); err != nil {
		return 0, err
	}
	line := []byte(strings.Repeat("x", l.Size-1) + "\n")
	var answer []byte
	for began := time.Now(); n == 0 || began.Before(end); began = time.Now() {
		if _, err := c.Write(s, line); err != nil {
			return n, err
		}
		if answer, err = c.AppendLine(s, answer[:0]); err != nil {
			return n, err
		}
		if string(answer) != string(line[:l.Size-1]) {
			return n, errDifferent
		}
		latency.note(time.Since(began))
		n++
	}
	return n, nil
}

// WriteJSON writes the report as one JSON object on one line.
func (r *LoadReport) WriteJSON(w io.Writer) error { return json.NewEncoder(w).Encode(r) }

// WriteText writes the report for people.
func (r *LoadReport) WriteText(w io.Writer) error {
	_, err := fmt.Fprintf(w, "%d clients, %d bytes a line, %.1f s: %s requests/s\nP50 %.0f µs, P99 %.0f µs, max %.0f µs; %d clients failed\n",
		r.Clients, r.Size, r.Seconds, humanize.Comma(int64(r.PerSecond)), r.P50, r.P99, r.Max, r.Failed)
	return err
}
