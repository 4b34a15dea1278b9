package workload

import (
	"fmt"
	"runtime"
	"sync/atomic"
	"time"

	"github.com/troupe-go/troupe/internal/bench/suite"
)

// UrgentFlood is the name of the workload that sends urgent messages to an actor
// with a long queue.
const UrgentFlood = "urgent-flood"

var urgentFlood = suite.Workload{
	Name: UrgentFlood, Family: suite.Actors, Baseline: channels, Unit: "µs", Per: time.Microsecond,
	Kind: suite.Latency, Percentiles: []float64{50, 99}, Size: 10_000, TinySize: 200, Step: 10, TinyN: 20,
	About: "from the sending of an urgent message until it is handled, by an actor for which " +
		"5,000 to 10,000 others are kept waiting; none may be lost",
	Targets: []suite.Target{
		{Subject: troupe, Row: UrgentFlood + "-p99", Of: suite.MedianFigure, AtMost: 5},
	},
}

// FloodCapacity is what bounded queues are given so that the flood fits in.
const FloodCapacity = 1 << 14

// Flood drives the workload urgent-flood. The actor calls Data and Urgent when
// it handles such a message.
type Flood struct {
	r       *suite.Run
	sent    atomic.Int64 // Written by the flooding goroutine.
	_       [56]byte
	handled atomic.Int64 // Written by the actor.
	_       [56]byte
	stop    atomic.Bool

	at      time.Time // When the urgent message was sent.
	took    time.Duration
	urgents int64
	arrived chan struct{}
	sink    uint64
}

// NewFlood returns the driver of one run.
func NewFlood(r *suite.Run) *Flood { return &Flood{r: r, arrived: make(chan struct{}, 1)} }

// Data is the work of one message of the flood, about half a microsecond.
func (f *Flood) Data() {
	x := f.sink
	for range 400 {
		x = x*6364136223846793005 + 1442695040888963407
	}
	f.sink = x
	f.handled.Add(1)
}

// Urgent is the handling of an urgent message.
func (f *Flood) Urgent() {
	f.took = time.Since(f.at)
	f.urgents++
	f.arrived <- struct{}{}
}

// Run floods the actor with data and samples urgent messages meanwhile.
func (f *Flood) Run(data, urgent func() error) (int64, error) {
	flooded := make(chan error, 1)
	go func() { flooded <- f.flood(data) }()
	f.r.Start()
	for range f.r.N {
		if err := f.await(flooded); err != nil {
			return 0, err
		}
		f.at = time.Now()
		if err := urgent(); err != nil {
			return 0, err
		}
		<-f.arrived
		f.r.Sample(f.took)
	}
	f.r.Stop()
	f.stop.Store(true)
	if err := <-flooded; err != nil {
		return 0, err
	}
	return f.urgents, f.drained()
}

// await returns when the actor has handled a few messages since the last urgent
// one and at least half of the flood is waiting.
func (f *Flood) await(flooded <-chan error) error {
	const pause = 40 // Messages, about 20 µs.
	for next := f.handled.Load() + pause; f.backlog() < int64(f.r.Size)/2 || f.handled.Load() < next; {
		select {
		case err := <-flooded:
			return err
		default:
			runtime.Gosched()
		}
	}
	return nil
}

func (f *Flood) backlog() int64 { return f.sent.Load() - f.handled.Load() }

func (f *Flood) flood(data func() error) error {
	for !f.stop.Load() {
		if f.backlog() >= int64(f.r.Size) {
			runtime.Gosched()
			continue
		}
		for range min(64, f.r.Size) {
			if err := data(); err != nil {
				return err
			}
			f.sent.Add(1)
		}
	}
	return nil
}

// drained waits until all of the flood has been handled.
func (f *Flood) drained() error {
	for limit := time.Now().Add(10 * time.Second); f.backlog() > 0; runtime.Gosched() {
		if time.Now().After(limit) {
			return fmt.Errorf("%d messages of the flood were lost", f.backlog())
		}
	}
	return nil
}
