// Package beside has the workloads in which the program's own goroutines work beside
// actors, and their driver.
package beside

import (
	"errors"
	"io"
	"net/http"
	"net/http/httptest"
	"runtime"
	"sync"
	"sync/atomic"
	"time"

	"github.com/troupe-go/troupe/internal/bench/suite"
)

// The names of the workloads.
const (
	Flood = "beside-flood"
	Ticks = "beside-ticks"
	Halt  = "beside-halt"
	HTTP  = "beside-http"
)

// Workloads are all of them.
var Workloads = []*suite.Workload{&flood, &missed, &halt, &requests}

// The subjects that the workloads compare.
const (
	troupe     = "troupe"
	channels   = "channels"
	protoactor = "protoactor"
)

// whole is how long a run has to be to do all that a workload says.
const whole = 100 * time.Millisecond

// ticks is how many ticks of a millisecond a run of beside-flood and of beside-ticks has.
const ticks = 2000

var flood = suite.Workload{
	Name: Flood, Family: suite.Actors, Baseline: channels, Unit: "µs", Per: time.Microsecond,
	Kind: suite.Latency, Percentiles: []float64{50, 99, 99.9}, Size: 1000, TinySize: 100, N: ticks, NFor: whole, TinyN: 20,
	About: "from the sending of an urgent message until it is handled: a plain goroutine sends one at each tick of a " +
		"millisecond, beside four that flood the actor with messages of 1 µs, at most 1,000 of which wait",
	Targets: []suite.Target{
		{Subject: troupe, Row: Flood + "-p99", Of: suite.RatioToBaseline, AtMost: 1, To: protoactor},
		{Subject: troupe, Row: Flood + "-p99.9", Of: suite.RatioToBaseline, AtMost: 1.5, To: protoactor},
	},
}

var missed = suite.Workload{
	Name: Ticks, Family: suite.Actors, Baseline: channels, Unit: "ticks",
	Kind: suite.Count, Size: 1000, TinySize: 100, N: ticks, NFor: whole, TinyN: 20,
	About:   "how many of 2,000 ticks the goroutine of beside-flood missed, since it did not get a processor in time",
	Targets: []suite.Target{{Subject: troupe, Row: Ticks, Of: suite.MedianFigure, AtMost: 50}},
}

var halt = suite.Workload{
	Name: Halt, Family: suite.Actors, Baseline: channels, Unit: "ms", Per: time.Millisecond,
	Kind: suite.Latency, Percentiles: []float64{50}, Size: 200, TinySize: 10, N: 20, NFor: whole, TinyN: 2,
	About: "a plain goroutine stops 200 idle actors and waits until all have ended, beside four that flood another actor, " +
		"as in beside-flood",
	Targets: []suite.Target{
		{Subject: troupe, Row: Halt + "-p50", Of: suite.RatioToBaseline, AtMost: 1, To: protoactor},
	},
}

var requests = suite.Workload{
	Name: HTTP, Family: suite.Actors, Baseline: channels, Unit: "µs", Per: time.Microsecond,
	Kind: suite.Latency, Percentiles: []float64{50, 99}, Size: 16, TinySize: 4, N: 20, NFor: whole, TinyN: 5,
	About:   "a request to an HTTP server in the same process, while 16 actors compute on all workers, 50 µs for each message",
	Targets: []suite.Target{{Subject: troupe, Row: HTTP + "-p99", Of: suite.RatioToBaseline, AtMost: 1.2}},
}

const (
	// Capacity is what bounded queues are given so that a flood fits in.
	Capacity = 1 << 10
	// floods is how many goroutines send data.
	floods = 4
)

// Driver drives the workloads with goroutines beside actors. The flooded actor calls Data
// and Urgent when it handles such a message.
type Driver struct {
	r       *suite.Run
	waiting atomic.Int64 // How much of the flood is not handled.
	_       [56]byte
	handled int64 // How many urgent messages are. The actor's.
	sink    uint64
	_       [48]byte
	at      []time.Time // When each urgent message was sent.
	took    []time.Duration
	urgents chan struct{} // Has one for each that was handled.

	stop  atomic.Bool
	ended sync.WaitGroup
	err   error
	once  sync.Once
}

// New returns the driver of one run.
func New(r *suite.Run) *Driver {
	return &Driver{r: r, at: make([]time.Time, r.N), took: make([]time.Duration, r.N), urgents: make(chan struct{}, r.N)}
}

// Data is the work of one message of the flood, about a microsecond.
func (d *Driver) Data() {
	x := d.sink
	for range 800 {
		x = x*6364136223846793005 + 1442695040888963407
	}
	d.sink = x
	d.waiting.Add(-1)
}

// Urgent is the handling of an urgent message.
func (d *Driver) Urgent() {
	d.took[d.handled] = time.Since(d.at[d.handled])
	d.handled++
	d.urgents <- struct{}{}
}

// flood has four goroutines send data until the returned function is called. That waits
// for what was sent to be handled.
func (d *Driver) flood(data func() error) (end func() error) {
	for range floods {
		d.ended.Go(func() {
			for !d.stop.Load() {
				if d.waiting.Add(1) > int64(d.r.Size) {
					d.waiting.Add(-1)
					runtime.Gosched()
					continue
				}
				if err := data(); err != nil {
					d.once.Do(func() { d.err = err })
					return
				}
			}
		})
	}
	return func() error {
		d.stop.Store(true)
		d.ended.Wait()
		for d.err == nil && d.waiting.Load() > 0 {
			time.Sleep(time.Millisecond)
		}
		return d.err
	}
}

// Ticks does beside-flood and beside-ticks.
func (d *Driver) Ticks(data, urgent func() error) (int64, error) {
	end := d.flood(data)
	ticker := time.NewTicker(time.Millisecond)
	defer ticker.Stop()
	d.r.Start()
	began := time.Now()
	sent := 0
	for ; sent < d.r.N && !d.isOver(began); sent++ {
		<-ticker.C
		d.at[sent] = time.Now()
		if err := urgent(); err != nil {
			return 0, err
		}
	}
	for range sent {
		<-d.urgents
	}
	d.r.Stop()
	if err := end(); err != nil {
		return 0, err
	}
	for _, took := range d.took[:sent] {
		d.r.Sample(took)
	}
	d.r.Count(int64(d.r.N - sent))
	return int64(d.r.N-sent) + d.handled, nil
}

// isOver reports whether all ticks are past. A workload of latencies waits for as many as
// it takes.
func (d *Driver) isOver(began time.Time) bool {
	return d.r.Workload.Kind == suite.Count && time.Since(began) >= time.Duration(d.r.N)*time.Millisecond
}

// Compute is the work of one message of beside-http. It reports whether the actor is to
// send itself another.
func (d *Driver) Compute() bool {
	for began := time.Now(); time.Since(began) < 50*time.Microsecond; {
		continue
	}
	if d.stop.Load() {
		d.ended.Done()
		return false
	}
	return true
}

// HTTP does beside-http. Start starts the actor i, which computes.
func (d *Driver) HTTP(start func(i int) error) (served int64, err error) {
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		served++ // One request at a time.
		_, _ = w.Write([]byte("ok"))
	}))
	defer server.Close()
	d.ended.Add(d.r.Size)
	for i := range d.r.Size {
		if err := start(i); err != nil {
			return 0, err
		}
	}
	d.r.Start()
	for range d.r.N {
		time.Sleep(500 * time.Microsecond)
		began := time.Now()
		if err := get(server); err != nil {
			return 0, err
		}
		d.r.Sample(time.Since(began))
	}
	d.r.Stop()
	d.stop.Store(true)
	d.ended.Wait()
	return served, nil
}

func get(server *httptest.Server) error {
	answer, err := server.Client().Get(server.URL)
	if err != nil {
		return err
	}
	_, err = io.Copy(io.Discard, answer.Body)
	return errors.Join(err, answer.Body.Close())
}

// Halt does beside-halt. Start starts the actors, and returns what stops them all and
// waits for that.
func (d *Driver) Halt(data func() error, start func(n int) (stop func() error, err error)) (int64, error) {
	end := d.flood(data)
	d.r.Start()
	for range d.r.N {
		stop, err := start(d.r.Size)
		if err != nil {
			return 0, err
		}
		time.Sleep(5 * time.Millisecond) // They have started, and the goroutine has given its turn up.
		began := time.Now()
		if err := stop(); err != nil {
			return 0, err
		}
		d.r.Sample(time.Since(began))
	}
	d.r.Stop()
	return int64(d.r.N), end()
}
