package fiberstate_test

import (
	"testing"

	"pgregory.net/rapid"

	"github.com/troupe-go/troupe/internal/workers/fiberstate"
)

// TestWordFollowsItsProtocol makes random changes, and compares each with a plain account of
// what is allowed.
func TestWordFollowsItsProtocol(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		var w fiberstate.Word
		permit, suspended, lifted := false, false, false
		for range rapid.IntRange(1, 200).Draw(t, "changes") {
			switch rapid.SampledFrom([]string{"resume", "take", "suspend", "lift"}).Draw(t, "change") {
			case "resume":
				if got := w.TransitionFromSuspended(); got != suspended {
					t.Fatalf("a resume queues the fiber: %t, and it was suspended: %t", got, suspended)
				}
				permit, suspended = !suspended, false
			case "take":
				if suspended {
					break // Only work that runs asks.
				}
				if got := w.TakePermit(); got != permit {
					t.Fatalf("took a permit: %t, and there was one: %t", got, permit)
				}
				permit = false
			case "suspend":
				if suspended {
					break
				}
				if got := w.TransitionToSuspended(); got == permit {
					t.Fatalf("the suspension is complete: %t, and there was a permit: %t", got, permit)
				}
				permit, suspended = false, !permit
			case "lift":
				lifted = rapid.Bool().Draw(t, "lifted")
				w.Lift(lifted)
			}
			if w.IsSuspended() != suspended || w.IsLifted() != lifted {
				t.Fatalf("suspended %t, lifted %t; want %t, %t", w.IsSuspended(), w.IsLifted(), suspended, lifted)
			}
		}
	})
}
