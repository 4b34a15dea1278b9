// Package echo is a server of plain sequential strands that sends back what it is
// sent, and clients that put it under load.
package echo

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net"
	"os"
	"sync/atomic"
	"time"

	"github.com/dustin/go-humanize"

	"github.com/troupe-go/troupe/sched"
	"github.com/troupe-go/troupe/strand"
)

// Config says how to echo.
type Config struct {
	Workers int           // Defaults to GOMAXPROCS.
	Raw     bool          // Bytes as they come, rather than lines.
	MaxLine int           // Of a line, in bytes.
	Idle    time.Duration // A connection that is silent for so long is closed; 0 means never.
}

// Report is what a server has done. Its JSON is documented by the names of its
// fields.
type Report struct {
	Seconds     float64 `json:"seconds"`
	Interrupted bool    `json:"interrupted"`
	Connections int64   `json:"connections"`
	Echoes      int64   `json:"echoes"` // Lines, or pieces where raw.
	Bytes       int64   `json:"bytes"`
	TooLong     int64   `json:"lines_too_long"`
	Idle        int64   `json:"closed_for_idleness"`
	Failed      int64   `json:"failed"` // Connections that were reset, or failed otherwise.
	Exhausted   int64   `json:"waits_for_descriptors"`
}

// counts are a report in the making.
type counts struct{ connections, echoes, bytes, tooLong, idle, failed atomic.Int64 }

func (c *counts) report(began time.Time) Report {
	return Report{
		Seconds: time.Since(began).Seconds(), Connections: c.connections.Load(), Echoes: c.echoes.Load(), Bytes: c.bytes.Load(),
		TooLong: c.tooLong.Load(), Idle: c.idle.Load(), Failed: c.failed.Load(),
	}
}

// errIdle is why a connection was closed on which nothing came.
var errIdle = errors.New("echo: nothing came for too long")

// Serve echoes until ctx ends. It tells ready at which address it listens.
func Serve(ctx context.Context, cfg Config, address string, ready func(net.Addr)) (Report, error) {
	var n counts
	var exhausted int64
	began := time.Now()
	err := strand.Run(ctx, sched.Config{Workers: cfg.Workers}, func(s *strand.Strand) error {
		l, err := strand.Listen(s, "tcp", address)
		if err != nil {
			return err
		}
		defer l.Close() //nolint:errcheck // Nothing is left in it.
		ready(l.Addr())
		for {
			c, err := l.Accept(s)
			exhausted = l.Exhausted()
			if err != nil {
				return err
			}
			n.connections.Add(1)
			if _, err := strand.Go(s, func(s *strand.Strand) error {
				defer c.Close() //nolint:errcheck // The peer has gone.
				n.note(s, cfg.echo(s, c, c, &n))
				return nil
			}); err != nil {
				return errors.Join(err, c.Close())
			}
		}
	})
	report := n.report(began)
	report.Exhausted = exhausted
	if ctx.Err() != nil {
		report.Interrupted, err = true, nil
	}
	return report, err
}

// Stream echoes from one stream to another, until the first ends.
func Stream(ctx context.Context, cfg Config, in, out *os.File) (Report, error) {
	var n counts
	began := time.Now()
	err := strand.Run(ctx, sched.Config{Workers: cfg.Workers}, func(s *strand.Strand) error {
		from, err := strand.File(in)
		if err != nil {
			return err
		}
		to, err := strand.File(out)
		if err != nil {
			return err
		}
		n.connections.Add(1)
		err = cfg.echo(s, from, to, &n)
		if errors.Is(err, io.EOF) {
			return nil
		}
		return err
	})
	report := n.report(began)
	if ctx.Err() != nil {
		report.Interrupted, err = true, nil
	}
	return report, err
}

// note counts how a connection has ended.
func (n *counts) note(s *strand.Strand, err error) {
	switch {
	case errors.Is(err, io.EOF), s.Err() != nil:
	case errors.Is(err, errIdle):
		n.idle.Add(1)
	default:
		n.failed.Add(1)
	}
}

// echo sends back what comes until the stream ends. A line that is too long is
// answered, and passed over.
func (cfg Config) echo(s *strand.Strand, from, to *strand.Conn, n *counts) error {
	if !cfg.Raw {
		if err := from.SetLineLimit(cfg.MaxLine); err != nil {
			return err
		}
	}
	var piece []byte
	for {
		ctx, cancel := cfg.patience(s)
		var err error
		piece, err = cfg.next(ctx, from, piece[:0])
		var tooLong *strand.LineTooLongError
		switch {
		case errors.As(err, &tooLong):
			n.tooLong.Add(1)
			err = to.WriteLine(ctx, fmt.Sprintf("error: the line is longer than %d bytes", tooLong.Limit))
		case err == nil:
			_, err = to.Write(ctx, piece)
			n.echoes.Add(1)
			n.bytes.Add(int64(len(piece)))
		}
		cancel()
		if err != nil {
			return err
		}
		if cap(piece) > keep {
			piece = nil
		}
	}
}

// keep is how much memory a connection keeps for the next line.
const keep = 256

// patience is the context of one exchange.
func (cfg Config) patience(s *strand.Strand) (context.Context, context.CancelFunc) {
	if cfg.Idle <= 0 {
		return s, func() {}
	}
	return context.WithTimeoutCause(s, cfg.Idle, errIdle)
}

// next reads a line with its end, or whatever is there.
func (cfg Config) next(ctx context.Context, from *strand.Conn, piece []byte) ([]byte, error) {
	if !cfg.Raw {
		line, err := from.AppendLine(ctx, piece)
		return append(line, '\n'), err
	}
	return from.Append(ctx, piece)
}

// WriteJSON writes the report as one JSON object on one line.
func (r *Report) WriteJSON(w io.Writer) error { return json.NewEncoder(w).Encode(r) }

// WriteText writes the report for people.
func (r *Report) WriteText(w io.Writer) error {
	_, err := fmt.Fprintf(w, "%s connections, %s echoes, %s in %.1f s; %d lines too long, %d closed for idleness, %d failed\n",
		humanize.Comma(r.Connections), humanize.Comma(r.Echoes), humanize.IBytes(uint64(r.Bytes)), r.Seconds, r.TooLong, r.Idle, r.Failed)
	return err
}
