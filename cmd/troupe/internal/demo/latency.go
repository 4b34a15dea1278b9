package demo

import (
	"context"
	"time"

	"github.com/HdrHistogram/hdrhistogram-go"

	"github.com/troupe-go/troupe/actor"
	"github.com/troupe-go/troupe/cmd/troupe/internal/word"
)

// prober asks urgent queries from an ordinary goroutine and measures how long each takes to be answered.
type prober struct {
	query actor.Ref[top] // Addressed on the Control lane.
	every time.Duration
	taken *hdrhistogram.Histogram
}

func newProber(query actor.Ref[top], every time.Duration) *prober {
	const longest, digits = int64(time.Minute), 3
	return &prober{query.On(actor.Control), every, hdrhistogram.New(1, longest, digits)}
}

// probe asks n times, or until it is told to stop, once every so often. It always asks at least once, and waits for
// every answer. A query that takes longer than the time between two delays the next.
func (p *prober) probe(ctx context.Context, n int, stop <-chan struct{}) error {
	tick := time.NewTicker(p.every)
	defer tick.Stop()
	for asked := 1; ; asked++ {
		if err := p.ask(ctx); err != nil {
			return err
		}
		if asked >= n {
			return nil
		}
		select {
		case <-tick.C:
		case <-stop:
			return nil
		}
	}
}

func (p *prober) ask(ctx context.Context) error {
	began := time.Now()
	_, err := actor.Ask(ctx, p.query, func(reply actor.Reply[[]word.Count]) top { return top{reply} })
	if err != nil {
		return err
	}
	return p.taken.RecordValue(min(int64(time.Since(began)), p.taken.HighestTrackableValue()))
}

// latency returns what was measured.
func (p *prober) latency() Latency {
	return Latency{
		Asks: p.taken.TotalCount(),
		P50:  time.Duration(p.taken.ValueAtPercentile(50)),
		P99:  time.Duration(p.taken.ValueAtPercentile(99)),
		Max:  time.Duration(p.taken.Max()),
	}
}
