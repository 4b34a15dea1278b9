package demo

import (
	"sync"
	"time"
)

// A Phase is a part of a run.
type Phase string

// The phases of a run, in their order. The first and the last are only run through with Config.Verify.
const (
	Warming    Phase = "warming the page cache"
	Indexing   Phase = "indexing"
	Measuring  Phase = "asking while idle"
	Recounting Phase = "recounting sequentially"
)

// Progress says how far a phase has come.
type Progress struct {
	Phase   Phase
	Files   int   // Files that are done, skipped ones included.
	Bytes   int64 // The bytes of counted files.
	Total   int   // The number of files, or zero while it isn't known.
	Elapsed time.Duration
	Done    bool // The phase is over.
}

// watch reports what sample returns every so often, until the function that it returns is called.
func (c Config) watch(phase Phase, sample func() Tally) (end func()) {
	if c.Progress == nil {
		return func() {}
	}
	began := time.Now()
	report := func(done bool) {
		t := sample()
		c.Progress(Progress{phase, t.Done, t.Bytes, t.Total, time.Since(began), done})
	}
	stop := make(chan struct{})
	var watching sync.WaitGroup
	watching.Go(func() {
		tick := time.NewTicker(c.ProgressEvery)
		defer tick.Stop()
		for report(false); ; report(false) {
			select {
			case <-tick.C:
			case <-stop:
				return
			}
		}
	})
	return func() {
		close(stop)
		watching.Wait()
		report(true)
	}
}
