package sched

import "time"

// A worker that has searched in vain sleeps, and a submission wakes it at once.
// What no submission tells of, such as a lone node that its owner was about to
// take and then did not, is looked for again while others are at work: 1 ms
// after the worker fell asleep, then 2 ms, doubling up to 1 s, and from 1 ms
// again once the worker has found something.
//
// The monitor keeps these times and looks at the queues on the sleepers' behalf,
// since a timer for each would have to be set and stopped whenever a worker
// sleeps, some 100,000 times a second. So a round comes with the monitor's
// first look after its time, which may be 8 ms later, and the sleeper is woken only if
// something is queued. Work that lies behind a worker which has not moved since
// the monitor's last look does not wait for any of this; see [monitor.look].

const (
	backoffMin = time.Millisecond
	backoffMax = time.Second
)

// retry says when a sleeping worker's next round is due. It is the monitor's.
type retry struct {
	slept, jobs uint64        // As published when the worker fell asleep.
	after       time.Duration // How long after the last round.
	at          time.Duration
}

// retry makes the rounds of the sleepers that are due.
func (m *monitor) retry(now time.Duration) {
	if m.s.busy() <= 0 {
		return // Nobody has anything, unless it was just submitted.
	}
	for _, w := range *m.s.workers.Load() {
		if w.state() != WorkerIdle || !w.retry.due(w, now) {
			continue
		}
		switch {
		case m.s.waiting(w.crew()) == 0:
			w.retry.postpone(now)
		case !m.s.idle.wakeToSearch(w):
			continue // Somebody else is searching, or the worker is up.
		}
		w.steals.retries.Add(1)
		w.steals.backoff.Store(int64(w.retry.after))
	}
}

// due takes note of w's sleep and reports whether it is time for a round.
func (r *retry) due(w *Worker, now time.Duration) bool {
	slept, jobs := w.published.slept.Load(), w.published.jobs.Load()
	if slept == r.slept {
		return now >= r.at
	}
	if jobs != r.jobs {
		r.after = 0
	}
	r.slept, r.jobs = slept, jobs
	r.postpone(now)
	w.steals.backoff.Store(int64(r.after))
	return false
}

// postpone puts the next round off, for twice as long as the last one.
func (r *retry) postpone(now time.Duration) {
	r.after = min(max(backoffMin, 2*r.after), backoffMax)
	r.at = now + r.after
}
