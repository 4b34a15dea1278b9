package workload

import (
	"sync"
	"sync/atomic"
	"time"

	"github.com/troupe-go/troupe/internal/bench/suite"
)

// The names of the workloads with an urgent actor among busy ones.
const (
	UrgentBusy  = "urgent-busy"
	UrgentEvent = "urgent-event"
)

var urgentBusy = suite.Workload{
	Name: UrgentBusy, Family: suite.Actors, Baseline: channels, Unit: "µs", Per: time.Microsecond,
	Kind: suite.Latency, Percentiles: []float64{50, 99}, Size: 100, TinySize: 8, Step: 10, TinyN: 10,
	Duration: time.Second,
	About: "from the sending of a message to an urgent actor until it is handled, " +
		"while 100 other actors keep every processor busy with handlers of 1 ms",
	Targets: []suite.Target{
		{Subject: troupe, Row: UrgentBusy + "-p99", Of: suite.MedianFigure, AtMost: 2500},
	},
}

var urgentEvent = suite.Workload{
	Name: UrgentEvent, Family: suite.Actors, Baseline: channels, Unit: "µs", Per: time.Microsecond,
	Kind: suite.Latency, Percentiles: []float64{50, 99}, Size: 100, TinySize: 8, Step: 10, TinyN: 10,
	Duration: time.Second,
	About: "the same from the event outside that leads to the message: a timer that is due, " +
		"on a goroutine which competes with the busy actors",
}

// Busy drives the workloads urgent-busy and urgent-event. Each busy actor calls
// Work when it handles its message, and sends it to itself again if Work says
// so; the urgent one calls Urgent.
type Busy struct {
	r       *suite.Run
	stop    atomic.Bool
	ended   sync.WaitGroup
	at      time.Time
	took    time.Duration
	urgents int64
	arrived chan struct{}
}

// NewBusy returns the driver of one run.
func NewBusy(r *suite.Run) *Busy {
	b := &Busy{r: r, arrived: make(chan struct{}, 1)}
	b.ended.Add(r.Size)
	return b
}

// Work spins for a millisecond and reports whether there is more to do.
func (b *Busy) Work() bool {
	for began := time.Now(); time.Since(began) < time.Millisecond; {
		continue
	}
	if b.stop.Load() {
		b.ended.Done()
		return false
	}
	return true
}

// Urgent is the handling of an urgent message.
func (b *Busy) Urgent() {
	b.took = time.Since(b.at)
	b.urgents++
	b.arrived <- struct{}{}
}

// Run starts the busy actors, numbered from 0, and samples urgent messages.
func (b *Busy) Run(start func(i int) error, urgent func() error) (int64, error) {
	for i := range b.r.Size {
		if err := start(i); err != nil {
			return 0, err
		}
	}
	event := b.r.Workload.Name == UrgentEvent
	b.r.Start()
	for range b.r.N {
		const pause = 2 * time.Millisecond
		due := time.Now().Add(pause)
		time.Sleep(pause)
		if b.at = due; !event {
			b.at = time.Now()
		}
		if err := urgent(); err != nil {
			return 0, err
		}
		<-b.arrived
		b.r.Sample(b.took)
	}
	b.r.Stop()
	b.stop.Store(true)
	b.ended.Wait()
	return b.urgents, nil
}
