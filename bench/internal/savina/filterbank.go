package savina

import (
	"time"

	"github.com/troupe-go/troupe/internal/bench/suite"
)

var filterBank = suite.Workload{
	Name: FilterBank, Family: suite.Actors, Baseline: channels, Unit: "ms", Per: time.Millisecond, Size: 10_000, TinySize: 50,
	About: "10,000 samples pass 8 channels of 5 filters each, which are actors with unbounded mailboxes, and are added up " +
		"sample by sample (Savina, in whole numbers)",
	Want: func(n, size int) int64 { return int64(n) * filtered(size) },
}

const (
	bands = 8
	// stages is how many filters a channel has: a delay, a response, a sampler, and again a delay and a response.
	stages = 5
	// taps is how many samples a response and a delay know.
	taps = 32
	// every is of how many samples the sampler keeps one. Zeros stand for the others, so that all channels go on.
	every = 4
)

// The nodes: one that hands samples to all channels, the filters, and one that adds up.
const (
	splitter   = 0
	integrator = 1 + bands*stages
)

// Sample is a number on its way through a channel.
type Sample struct {
	Band  int
	Value int64
}

// filter is a stage of a channel.
type filter struct {
	kind   int // Its place in the channel.
	past   [taps]int64
	factor [taps]int64
	n      int
}

func newFilter(band, kind int) filter {
	f := filter{kind: kind}
	numbers := random(band*stages + kind)
	for i := range f.factor {
		f.factor[i] = int64(numbers.IntN(100) - 50)
	}
	return f
}

// pass returns what the filter makes of a sample.
func (f *filter) pass(v int64) (out int64) {
	at := f.n % taps
	f.n++
	switch f.kind {
	case 0, 3: // The sample before the last taps.
		out, f.past[at] = f.past[at], v
	case 2:
		if at%every == 0 {
			out = v
		}
	default:
		f.past[at] = v
		for i, x := range f.past {
			out += x * f.factor[(at-i+taps)%taps]
		}
		out %= 1 << 20
	}
	return out
}

// NewFilterBank returns the program for a number of samples.
func NewFilterBank(r *suite.Run) *Network[Sample] { return newFilterBank(r.Size) }

func newFilterBank(size int) *Network[Sample] {
	filters := newFilters()
	var queues [bands][]int64 // The numbers of each channel that the integrator has.
	var sum int64
	left := size
	net := &Network[Sample]{Nodes: integrator + 1, Done: make(chan int64, 1)}
	net.Feed = func(send func(to int, m Sample)) {
		for i := range size {
			send(splitter, Sample{Value: sampleAt(i)})
		}
	}
	net.Handle = func(node int, m Sample, send func(to int, m Sample)) {
		switch {
		case node == splitter:
			for b := range bands {
				send(1+b*stages, Sample{b, m.Value})
			}
		case node < integrator:
			m.Value = filters[node-1].pass(m.Value)
			if node%stages == 0 { // The last of its channel.
				node = integrator - 1
			}
			send(node+1, m)
		default:
			if queues[m.Band] = append(queues[m.Band], m.Value); complete(&queues) {
				for b := range queues {
					sum += int64(b+1) * queues[b][0]
					queues[b] = queues[b][1:]
				}
				if left--; left == 0 {
					net.Done <- sum
				}
			}
		}
	}
	return net
}

// complete reports whether there is a number of each channel.
func complete(queues *[bands][]int64) bool {
	for _, q := range queues {
		if len(q) == 0 {
			return false
		}
	}
	return true
}

func newFilters() []filter {
	all := make([]filter, bands*stages)
	for i := range all {
		all[i] = newFilter(i/stages, i%stages)
	}
	return all
}

func sampleAt(i int) int64 { return int64(i*7919%1000 - 500) }

// filtered is the sum without actors.
func filtered(size int) (sum int64) {
	filters := newFilters()
	for i := range size {
		for b := range bands {
			v := sampleAt(i)
			for k := range stages {
				v = filters[b*stages+k].pass(v)
			}
			sum += int64(b+1) * v
		}
	}
	return sum
}
