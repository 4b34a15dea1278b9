package jobstate

import "time"

// transition changes the word as change says, until it has been done or change
// says that the state does not allow it.
func (s *Word) transition(change func(old Value) (Value, bool)) bool {
	for {
		old := s.Load()
		next, ok := change(old)
		if !ok {
			return false
		}
		if s.swap(old, next) {
			return true
		}
	}
}

// TransitionToRunning starts the job. It returns false if the job was cancelled
// before: its entry is void.
func (s *Word) TransitionToRunning(now time.Duration) bool {
	started := startBits(now)
	for {
		old := s.Load()
		if old&(stateBits|MarkClaimed) > Value(Stolen) {
			return false
		}
		if s.swap(old, old.with(Running)|started) {
			return true
		}
	}
}

// startBits returns the time of a start as it is in the word: rounded up, so that no
// timeout comes early. 0 means not yet.
func startBits(now time.Duration) Value {
	return min(Value(max(0, now)/startUnit)+1, startMax) << startShift
}

// TransitionToClaimed gives the beginning of a job to its second entry.
func (s *Word) TransitionToClaimed() bool {
	return s.transition(func(old Value) (Value, bool) {
		return old | MarkClaimed, old&(stateBits|MarkClaimed) <= Value(Stolen)
	})
}

// TransitionFromClaimed is TransitionToRunning for that entry.
func (s *Word) TransitionFromClaimed(now time.Duration) bool {
	return s.transition(func(old Value) (Value, bool) {
		return old.with(Running)&^MarkClaimed | startBits(now), old.State() <= Stolen
	})
}

// TransitionToStolen counts a steal, and takes a pending job out of its queue. A thief that
// takes a running job takes the fiber that is to go on.
func (s *Word) TransitionToStolen() {
	s.transition(func(old Value) (Value, bool) {
		st := old.State()
		if st.Ended() {
			return 0, false
		}
		old = old.counted(stealBits, stealOne)
		if st == Pending {
			old = old.with(Stolen)
		}
		return old, true
	})
}

// TransitionToPending puts a stolen job into the thief's queue.
func (s *Word) TransitionToPending() {
	s.transition(func(old Value) (Value, bool) {
		return old.with(Pending), old.State() == Stolen
	})
}

// TransitionToEnded ends a job whose function is done, and has given way so often.
// A job that has timed out stays so; then it returns false, and the job is overdue
// no longer.
func (s *Word) TransitionToEnded(outcome State, preempted uint32) bool {
	for {
		old := s.Load()
		next := old.with(outcome)
		if old.State() == TimedOut {
			next = old &^ MarkOverdue
		}
		if s.swap(old, next.Preempted(preempted)) {
			return old.State() != TimedOut
		}
	}
}

// Cancellation is what a cancellation came upon.
type Cancellation uint8

// The cases.
const (
	FoundEnded  Cancellation = iota // The job had ended.
	FoundQueued                     // The job had not begun, and never will.
	FoundBegun                      // The job has begun; its context is to be ended.
)

// TransitionToCancelled ends a job that has not begun, and marks one that has.
func (s *Word) TransitionToCancelled() (found Cancellation) {
	s.transition(func(old Value) (Value, bool) {
		switch st := old.State(); {
		case st.Ended():
			found = FoundEnded
			return 0, false
		case st == Running:
			found = FoundBegun
			return old | MarkCancelled, true
		default:
			found = FoundQueued
			return old.with(Cancelled) &^ MarkClaimed, true
		}
	})
	return found
}

// TransitionToTimedOut ends a job that has begun while its function goes on. It
// returns false if the job has ended.
func (s *Word) TransitionToTimedOut() bool {
	return s.transition(func(old Value) (Value, bool) {
		return old.with(TimedOut) | MarkOverdue, old.State() == Running
	})
}
