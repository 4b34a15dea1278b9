package workers_test

import (
	"testing"
	"time"

	"pgregory.net/rapid"

	"github.com/troupe-go/troupe/internal/workers"
)

func TestJobStatesHaveNames(t *testing.T) {
	seen := map[string]bool{}
	for st := workers.JobPending; st <= workers.JobCancelled; st++ {
		if name := st.String(); name == "" || seen[name] {
			t.Errorf("state %d is called %q", uint8(st), name)
		}
		seen[st.String()] = true
		if got, want := st.Ended(), st >= workers.JobCompleted; got != want {
			t.Errorf("%v: ended is %t", st, got)
		}
	}
	if got := workers.JobState(99).String(); got != "JobState(99)" {
		t.Errorf("an unknown state is called %q", got)
	}
}

// TestJobStateFollowsItsRules makes random changes, and compares each with a
// plain account of what is allowed.
func TestJobStateFollowsItsRules(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		priority := workers.Priority(rapid.IntRange(0, 3).Draw(t, "priority"))
		s := workers.NewJobState(priority)
		want := workers.JobPending
		steals, preemptions := 0, 0
		overdue, begun := false, false
		for range rapid.IntRange(1, 300).Draw(t, "changes") {
			queued := want == workers.JobPending || want == workers.JobStolen
			live := want == workers.JobRunning
			switch rapid.SampledFrom([]string{
				"run", "steal", "steal", "arrive", "end", "cancel", "time out",
			}).Draw(t, "change") {
			case "run":
				if got := s.Run(time.Second); got != queued {
					t.Fatalf("start from %v: %t", want, got)
				}
				if queued {
					want, begun = workers.JobRunning, true
				}
			case "steal":
				s.Steal()
				if queued || live {
					steals = min(steals+1, 127)
				}
				if queued {
					want = workers.JobStolen
				}
			case "arrive":
				s.Arrive()
				if want == workers.JobStolen {
					want = workers.JobPending
				}
			case "end":
				if live || overdue { // The function can return from nowhere else.
					gaveWay := rapid.IntRange(0, 511).Draw(t, "preemptions")
					if got := s.End(workers.JobFailed, uint32(gaveWay)); got != live {
						t.Fatalf("end from %v: %t", want, got)
					}
					overdue, preemptions = false, gaveWay
					if want == workers.JobRunning {
						want = workers.JobFailed
					}
				}
			case "cancel":
				ended, void := s.Cancel()
				if ended != want.Ended() || void != queued {
					t.Fatalf("cancel from %v: ended %t, void %t", want, ended, void)
				}
				if queued {
					want = workers.JobCancelled
				}
			case "time out":
				if got := s.TimeOut(); got != live {
					t.Fatalf("time out from %v: %t", want, got)
				}
				if live {
					want, overdue = workers.JobTimedOut, true
				}
			}
			if s.Get() != want || s.Overdue() != overdue || s.Priority() != priority {
				t.Fatalf("state %v, overdue %t, %v; want %v, %t, %v", s.Get(), s.Overdue(), s.Priority(), want, overdue, priority)
			}
			if s.Steals() != steals || s.Preemptions() != preemptions {
				t.Fatalf("%d steals, %d preemptions; want %d, %d", s.Steals(), s.Preemptions(), steals, preemptions)
			}
			if at := s.Started(); begun != (at != 0) || begun && (at < time.Second || at > time.Second+2*time.Millisecond) {
				t.Fatalf("started at %v", at)
			}
		}
	})
}

func TestStartOfAJobIsKeptForYears(t *testing.T) {
	for _, at := range []time.Duration{0, time.Millisecond, time.Hour, 9 * 365 * 24 * time.Hour, 100 * 365 * 24 * time.Hour} {
		s := workers.NewJobState(workers.Low)
		s.Run(at)
		off := s.Started() - at
		if at < 10*365*24*time.Hour && (off < 0 || off > 2*time.Millisecond) {
			t.Errorf("%v is kept as %v", at, s.Started())
		}
		if s.Priority() != workers.Low || s.Get() != workers.JobRunning || s.Steals() != 0 || s.Preemptions() != 0 {
			t.Errorf("a start at %v spills over", at)
		}
	}
}
