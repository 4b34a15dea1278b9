package stealing

import "time"

// The pauses of a scheduler that is given no others.
const (
	BackoffMin = time.Millisecond
	BackoffMax = time.Second
)

// Backoff says when the next search on behalf of a sleeping worker is due.
//
// A worker that has searched in vain sleeps, and a submission wakes it at once. No submission tells of some work, such as
// a lone piece that its owner was about to take and then did not. The monitor looks for it while others are at work: by default 1 ms
// after the worker fell asleep, then 2 ms, doubling up to 1 s, and from 1 ms again once the worker has found something.
//
// The monitor does so for all sleepers, since a timer for each would have to be set and stopped whenever a worker sleeps,
// some 100,000 times a second.
type Backoff struct {
	least, most time.Duration
	slept, jobs uint64        // As published when the worker fell asleep.
	after       time.Duration // How long after the last search.
	at          time.Duration
}

// NewBackoff returns the pauses of a worker that has not slept, between least and most.
func NewBackoff(least, most time.Duration) Backoff { return Backoff{least: least, most: most} }

// Due reports whether it is time for a search on behalf of a worker that sleeps, has fallen asleep so often, and has begun
// so many pieces of work. If it has fallen asleep since the last call, Due takes note of that.
func (b *Backoff) Due(slept, jobs uint64, now time.Duration) bool {
	if slept == b.slept {
		return now >= b.at
	}
	if jobs != b.jobs {
		b.after = 0
	}
	b.slept, b.jobs = slept, jobs
	b.Postpone(now)
	return false
}

// Postpone puts the next search off, for twice as long as the last one.
func (b *Backoff) Postpone(now time.Duration) {
	b.after = min(max(b.least, 2*b.after), b.most)
	b.at = now + b.after
}

// After returns how long after the last search the next one comes.
func (b *Backoff) After() time.Duration { return b.after }
