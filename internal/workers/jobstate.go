package workers

import (
	"fmt"
	"time"

	"github.com/troupe-go/troupe/internal/xatomic"
)

// JobState says how far a job has come. Package sched says what each is.
type JobState uint8

// The states of a job. A job begins as pending and ends in one of the last
// four, which it never leaves.
const (
	JobPending JobState = iota
	JobStolen
	JobRunning
	JobPreempted
	JobWaiting
	JobCompleted
	JobFailed
	JobTimedOut
	JobCancelled
)

var jobStateNames = [...]string{
	"pending", "stolen", "running", "preempted", "waiting", "completed", "failed", "timed out", "cancelled",
}

// String returns the state's name in lower case.
func (st JobState) String() string {
	if int(st) < len(jobStateNames) {
		return jobStateNames[st]
	}
	return fmt.Sprintf("JobState(%d)", uint8(st))
}

// Ended reports whether the job has its result.
func (st JobState) Ended() bool { return st >= JobCompleted }

// jobState is the state of one job, with what is counted about it, in one word.
//
// # Protocol
//
//	pending --steal--> stolen --arrival--> pending
//	pending, stolen --start--> running
//	pending, stolen --claim of a second entry--> the same, marked --start--> running
//	pending, stolen --cancel--> cancelled
//	running --deadline--> timed out
//	running --return--> completed, failed, timed out or cancelled
//
// The worker that has the job moves it along the first, second and last line. Any goroutine
// may cancel it or time it out at any moment. So each change is a compare-and-swap from a
// state that allows it, and the method says whether it took place. The queue's entry of a
// job that was cancelled is void.
//
// A job that critical work waits for has a second entry, see [Edge]: the one that comes first
// begins it, and the other is void as well.
//
// Running is also what waits, or has given way: that is the state of its fiber, and
// not told twice, which would be two such swaps for each wait and each yield. See
// [Job.State].
type jobState struct {
	word xatomic.Uint64
}

// The word, from its low end: the state, marks, the priority, counts, and the
// time of the start.
const (
	jobStateBits = 1<<4 - 1
	jobCancelled = 1 << 4 // Cancel was called after the job had begun.
	jobClaimed   = 1 << 4 // Of a job that has not: its second entry begins it. See Edge.
	jobOverdue   = 1 << 5 // It has timed out and its function has not returned.
	jobCut       = 1 << 6 // The context of the job above it has ended. See family.
	jobLinked    = 1 << 7 // The job above it will say when that happens.

	// The bits of the priority in which it differs from Normal.
	jobPriorityShift = 8
	jobPriorityBits  = 3 << jobPriorityShift
	jobStealOne      = 1 << 10
	jobStealBits     = (1<<7 - 1) * jobStealOne   // 127 means as many or more.
	jobPreemptOne    = 1 << 17                    // Counted by the fiber until the job ends.
	jobPreemptBits   = (1<<9 - 1) * jobPreemptOne // 511 means as many or more.

	// jobStartShift leaves 38 bits for the start, in units of 1.05 ms: 9 years of
	// a scheduler's life.
	jobStartShift = 26
	jobStartUnit  = 1 << 20 * time.Nanosecond
	jobStartMax   = 1<<38 - 1
)

func jobStateOf(word uint64) JobState { return JobState(word & jobStateBits) }

// init makes the job pending. It must not be shared yet. Most are normal, and for
// those the word is 0 as it is: a store would cost 5 ns.
func (s *jobState) init(p Priority) {
	if word := uint64(p^Normal) << jobPriorityShift; s.word.Load() != word {
		s.word.Store(word)
	}
}

func (s *jobState) get() JobState        { return jobStateOf(s.word.Load()) }
func (s *jobState) has(mark uint64) bool { return s.word.Load()&mark != 0 }
func (s *jobState) priority() Priority {
	return Priority(s.word.Load()&jobPriorityBits>>jobPriorityShift) ^ Normal
}
func (s *jobState) steals() int            { return int(s.word.Load() & jobStealBits / jobStealOne) }
func (s *jobState) preemptions() int       { return int(s.word.Load() & jobPreemptBits / jobPreemptOne) }
func (s *jobState) started() time.Duration { return startedAt(s.word.Load()) }

func startedAt(word uint64) time.Duration { return time.Duration(word>>jobStartShift) * jobStartUnit }

// with returns word in another state.
func with(word uint64, st JobState) uint64 { return word&^jobStateBits | uint64(st) }

// counted returns word with one more of what the bits count, unless they are at
// their highest.
func counted(word, bits, one uint64) uint64 {
	if word&bits == bits {
		return word
	}
	return word + one
}

// preemptedSo returns word with the count of how often the job has given way, 511 at
// most.
func preemptedSo(word uint64, often uint32) uint64 {
	return word | uint64(often)*jobPreemptOne
}

// transition changes the word as change says, until it has been done or change
// says that the state does not allow it.
func (s *jobState) transition(change func(word uint64) (uint64, bool)) bool {
	for {
		word := s.word.Load()
		next, ok := change(word)
		if !ok {
			return false
		}
		if s.word.CompareAndSwap(word, next) {
			return true
		}
	}
}

// transitionToRunning starts the job. It returns false if the job was cancelled
// before: its entry is void.
func (s *jobState) transitionToRunning(now time.Duration) bool {
	started := startBits(now)
	for {
		word := s.word.Load()
		if word&(jobStateBits|jobClaimed) > uint64(JobStolen) {
			return false
		}
		if s.word.CompareAndSwap(word, with(word, JobRunning)|started) {
			return true
		}
	}
}

// startBits returns the time of a start as it is in the word: rounded up, so that no
// timeout comes early. 0 means not yet.
func startBits(now time.Duration) uint64 {
	return min(uint64(max(0, now)/jobStartUnit)+1, jobStartMax) << jobStartShift
}

// transitionToClaimed gives the beginning of a job to its second entry.
func (s *jobState) transitionToClaimed() bool {
	return s.transition(func(word uint64) (uint64, bool) {
		return word | jobClaimed, word&(jobStateBits|jobClaimed) <= uint64(JobStolen)
	})
}

// transitionFromClaimed is transitionToRunning for that entry.
func (s *jobState) transitionFromClaimed(now time.Duration) bool {
	return s.transition(func(word uint64) (uint64, bool) {
		return with(word, JobRunning)&^jobClaimed | startBits(now), jobStateOf(word) <= JobStolen
	})
}

// transitionToStolen counts a steal, and takes a pending job out of its queue. A thief that
// takes a running job takes the fiber that is to go on.
func (s *jobState) transitionToStolen() {
	s.transition(func(word uint64) (uint64, bool) {
		st := jobStateOf(word)
		if st.Ended() {
			return 0, false
		}
		word = counted(word, jobStealBits, jobStealOne)
		if st == JobPending {
			word = with(word, JobStolen)
		}
		return word, true
	})
}

// transitionToPending puts a stolen job into the thief's queue.
func (s *jobState) transitionToPending() {
	s.transition(func(word uint64) (uint64, bool) {
		return with(word, JobPending), jobStateOf(word) == JobStolen
	})
}

// transitionToEnded ends a job whose function is done, and has given way so often.
// A job that has timed out stays so; then it returns false, and the job is overdue
// no longer.
func (s *jobState) transitionToEnded(outcome JobState, preempted uint32) bool {
	for {
		word := s.word.Load()
		next := with(word, outcome)
		if jobStateOf(word) == JobTimedOut {
			next = word &^ jobOverdue
		}
		if s.word.CompareAndSwap(word, preemptedSo(next, preempted)) {
			return jobStateOf(word) != JobTimedOut
		}
	}
}

// cancelled is what a cancellation came upon.
type cancelled uint8

const (
	cancelledNever  cancelled = iota // The job had ended.
	cancelledQueued                  // The job had not begun, and never will.
	cancelledBegun                   // The job has begun; its context is to be ended.
)

// transitionToCancelled ends a job that has not begun, and marks one that has.
func (s *jobState) transitionToCancelled() (what cancelled) {
	s.transition(func(word uint64) (uint64, bool) {
		switch st := jobStateOf(word); {
		case st.Ended():
			what = cancelledNever
			return 0, false
		case st == JobRunning:
			what = cancelledBegun
			return word | jobCancelled, true
		default:
			what = cancelledQueued
			return with(word, JobCancelled) &^ jobClaimed, true
		}
	})
	return what
}

// transitionToTimedOut ends a job that has begun while its function goes on. It
// returns false if the job has ended.
func (s *jobState) transitionToTimedOut() bool {
	return s.transition(func(word uint64) (uint64, bool) {
		return with(word, JobTimedOut) | jobOverdue, jobStateOf(word) == JobRunning
	})
}

// mark sets one of the marks.
func (s *jobState) mark(mark uint64) { s.word.Or(mark) }
