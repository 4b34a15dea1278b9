package journal

import (
	"fmt"
	"iter"
	"math/bits"
	"time"

	"github.com/troupe-go/troupe/actor"
)

// Stats says what a Journal has done so far.
type Stats struct {
	Commits uint64        // Calls of Store.Append.
	Writes  uint64        // Writes in these.
	Events  uint64        // Events in these.
	Failed  uint64        // Commits that returned an error.
	Largest int           // The most writes in one commit.
	Time    time.Duration // The time that commits have taken, together.
	Queue   int           // Writes that wait for their commit at this moment.
	Living  int           // Actors that have recovered and have not ended.

	CommitTimes   Distribution // Of each commit, in us.
	QueueTimes    Distribution // Of each write, from Append or Persist to the beginning of its commit, in us.
	CommitWrites  Distribution // Writes of each commit.
	CommitEvents  Distribution // Events of each commit.
	RecoveryTimes Distribution // Of each actor that has begun: the reading of its snapshot and events, in us.
	Replayed      Distribution // Events that were read for each of them.
}

// Distribution counts values by their magnitudes, as histograms of package inspect do: bucket n has
// those that are above the bound of the bucket before, and not above 1<<n. The last bucket has all that are
// larger. The zero Distribution is empty.
type Distribution struct {
	Count   uint64
	Sum     uint64
	Buckets [32]uint64
}

func (d *Distribution) add(v uint64) {
	n := 0
	if v > 1 {
		n = min(len(d.Buckets)-1, bits.Len64(v-1))
	}
	d.Buckets[n]++
	d.Count++
	d.Sum += v
}

func (d *Distribution) addTime(t time.Duration) {
	d.add(uint64((max(0, t) + time.Microsecond - 1) / time.Microsecond)) // Rounded up.
}

// Quantile returns the value below which the part q of all are, rounded up to a bucket's
// bound: it is less than twice too large. It is 0 if nothing was counted.
func (d Distribution) Quantile(q float64) uint64 {
	if d.Count == 0 {
		return 0
	}
	left := min(uint64(q*float64(d.Count)), d.Count-1)
	for n, c := range d.Buckets {
		if left < c {
			return 1 << n
		}
		left -= c
	}
	return 1 << (len(d.Buckets) - 1)
}

// Mean returns the mean of all values, or 0.
func (d Distribution) Mean() float64 {
	if d.Count == 0 {
		return 0
	}
	return float64(d.Sum) / float64(d.Count)
}

// Stats returns a snapshot of the figures. It takes less than 1 us, and may be called at any time.
func (j *Journal) Stats() Stats {
	j.mu.Lock()
	defer j.mu.Unlock()
	s := j.stats
	s.Queue, s.Living = len(j.queue), len(j.living)
	return s
}

// Facts returns a function that says in a few words how an actor of the system stands, as titles and
// texts: nothing for an actor of another kind. It is for the live page:
//
//	inspect.WebConfig{Facts: j.Facts(sys), Overview: j.Overview}
func (j *Journal) Facts(sys *actor.System) func(pid actor.PID) iter.Seq2[string, string] {
	return func(pid actor.PID) iter.Seq2[string, string] {
		return func(yield func(string, string) bool) {
			l, ok := j.Actor(sys, pid)
			if !ok {
				return
			}
			_ = yield("Stream", l.Stream) && yield("Version", fmt.Sprint(l.Version)) && yield("Snapshot", fmt.Sprint(l.Snapshot)) &&
				yield("Recovery", fmt.Sprintf("%d events in %v", l.Replayed, l.Recovery.Round(time.Microsecond)))
		}
	}
}

// Overview says in a few words how the Journal stands, as titles and texts, for the live page.
func (j *Journal) Overview() iter.Seq2[string, string] {
	return func(yield func(string, string) bool) {
		s := j.Stats()
		us := func(d Distribution) string {
			return fmt.Sprintf("p50 %v, p99 %v", time.Duration(d.Quantile(0.5))*time.Microsecond, time.Duration(d.Quantile(0.99))*time.Microsecond)
		}
		_ = yield("Event-sourced actors", fmt.Sprint(s.Living)) &&
			yield("Commits", fmt.Sprintf("%d, %d failed", s.Commits, s.Failed)) &&
			yield("Commit latency", us(s.CommitTimes)) &&
			yield("Events in a commit", fmt.Sprintf("%.1f, p99 %d", s.CommitEvents.Mean(), s.CommitEvents.Quantile(0.99))) &&
			yield("Writes that wait", fmt.Sprintf("%d, for %s", s.Queue, us(s.QueueTimes))) &&
			yield("Recovery", us(s.RecoveryTimes))
	}
}
