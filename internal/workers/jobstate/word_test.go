package jobstate_test

import (
	"testing"
	"time"

	"pgregory.net/rapid"

	"github.com/troupe-go/troupe/internal/workers/jobstate"
	"github.com/troupe-go/troupe/internal/workers/settings"
)

func newWord(p settings.Priority) *jobstate.Word {
	w := &jobstate.Word{}
	w.Init(p)
	return w
}

func TestJobStatesHaveNames(t *testing.T) {
	seen := map[string]bool{}
	for st := jobstate.Pending; st <= jobstate.Cancelled; st++ {
		if name := st.String(); name == "" || seen[name] {
			t.Errorf("state %d is called %q", uint8(st), name)
		}
		seen[st.String()] = true
		if got, want := st.Ended(), st >= jobstate.Completed; got != want {
			t.Errorf("%v: ended is %t", st, got)
		}
	}
	if got := jobstate.State(99).String(); got != "JobState(99)" {
		t.Errorf("an unknown state is called %q", got)
	}
}

// TestJobStateFollowsItsRules makes random changes, and compares each with a
// plain account of what is allowed.
func TestJobStateFollowsItsRules(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		priority := settings.Priority(rapid.IntRange(0, 3).Draw(t, "priority"))
		s := newWord(priority)
		want := jobstate.Pending
		steals, preemptions := 0, 0
		overdue, begun := false, false
		for range rapid.IntRange(1, 300).Draw(t, "changes") {
			queued := want == jobstate.Pending || want == jobstate.Stolen
			live := want == jobstate.Running
			switch rapid.SampledFrom([]string{
				"run", "steal", "steal", "arrive", "end", "cancel", "time out",
			}).Draw(t, "change") {
			case "run":
				if got := s.TransitionToRunning(time.Second); got != queued {
					t.Fatalf("start from %v: %t", want, got)
				}
				if queued {
					want, begun = jobstate.Running, true
				}
			case "steal":
				s.TransitionToStolen()
				if queued || live {
					steals = min(steals+1, 127)
				}
				if queued {
					want = jobstate.Stolen
				}
			case "arrive":
				s.TransitionToPending()
				if want == jobstate.Stolen {
					want = jobstate.Pending
				}
			case "end":
				if live || overdue { // The function can return from nowhere else.
					gaveWay := rapid.IntRange(0, 511).Draw(t, "preemptions")
					if got := s.TransitionToEnded(jobstate.Failed, uint32(gaveWay)); got != live {
						t.Fatalf("end from %v: %t", want, got)
					}
					overdue, preemptions = false, gaveWay
					if want == jobstate.Running {
						want = jobstate.Failed
					}
				}
			case "cancel":
				found := s.TransitionToCancelled()
				if (found == jobstate.FoundEnded) != want.Ended() || (found == jobstate.FoundQueued) != queued {
					t.Fatalf("cancel from %v found %d", want, found)
				}
				if queued {
					want = jobstate.Cancelled
				}
			case "time out":
				if got := s.TransitionToTimedOut(); got != live {
					t.Fatalf("time out from %v: %t", want, got)
				}
				if live {
					want, overdue = jobstate.TimedOut, true
				}
			}
			if s.State() != want || s.Load().Has(jobstate.MarkOverdue) != overdue || s.Load().Priority() != priority {
				t.Fatalf("state %v, overdue %t, %v; want %v, %t, %v", s.State(), s.Load().Has(jobstate.MarkOverdue), s.Load().Priority(), want, overdue, priority)
			}
			if s.Load().Steals() != steals || s.Load().Preemptions() != preemptions {
				t.Fatalf("%d steals, %d preemptions; want %d, %d", s.Load().Steals(), s.Load().Preemptions(), steals, preemptions)
			}
			if at := s.Load().Started(); begun != (at != 0) || begun && (at < time.Second || at > time.Second+2*time.Millisecond) {
				t.Fatalf("started at %v", at)
			}
		}
	})
}

func TestStartOfAJobIsKeptForYears(t *testing.T) {
	for _, at := range []time.Duration{0, time.Millisecond, time.Hour, 9 * 365 * 24 * time.Hour, 100 * 365 * 24 * time.Hour} {
		s := newWord(settings.Low)
		s.TransitionToRunning(at)
		off := s.Load().Started() - at
		if at < 10*365*24*time.Hour && (off < 0 || off > 2*time.Millisecond) {
			t.Errorf("%v is kept as %v", at, s.Load().Started())
		}
		if s.Load().Priority() != settings.Low || s.State() != jobstate.Running || s.Load().Steals() != 0 || s.Load().Preemptions() != 0 {
			t.Errorf("a start at %v spills over", at)
		}
	}
}
