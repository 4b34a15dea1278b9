//go:build !race && !invariants

package remote_test

import (
	"testing"

	"github.com/troupe-go/troupe/internal/planted"
)

// TestTestsFindPlantedFaults shows that no promise about messages between nodes can be broken unnoticed.
func TestTestsFindPlantedFaults(t *testing.T) {
	planted.Expect(t, "", remoteFaults)
}

var remoteFaults = planted.Group{
	Run: "^Test(ACut|AStop|Messages|AThirdNode|Random)",
	Faults: []planted.Fault{
		{
			Name: "an actor out of reach has ended",
			In:   "Node.ended",
			Old:  "n.parted(at, w, err)",
			New:  `n.exited(at, w, "", err)`,
			Want: "FAIL: TestACut",
			Run:  "^TestACutIsToldToAllThatWait$",
		},
		{
			Name: "who was out of reach is not watched again",
			Dir:  "../../actor",
			In:   "home.Parted",
			Old:  "at.on = false",
			New:  "at.on = true",
			Want: "FAIL: TestACut",
			Run:  "^TestACutIsToldToAllThatWait$",
			Hang: true,
		},
		{
			Name: "asks outlive their session",
			In:   "Node.ended",
			Old:  "a.session == s",
			New:  "a.session == nil",
			Nth:  1,
			Want: "FAIL: TestACut",
			Run:  "^TestACutIsToldToAllThatWait$",
			Hang: true,
		},
		{
			Name: "orders outlive their session",
			In:   "Node.ended",
			Old:  "w.session == s",
			New:  "w.session == nil",
			Nth:  4,
			Want: "FAIL: TestAStop",
			Run:  "^TestAStopOfAnActorOutOfReachEnds$",
			Hang: true,
		},
		{
			Name: "what was not acknowledged is forgotten",
			In:   "Node.unconfirmed",
			Old:  "bad == nil",
			New:  "bad != nil",
			Nth:  1,
			Want: "FAIL: Test",
			Run:  "^TestACutIsToldToAllThatWait$",
			Hang: true,
		},
		{
			Name: "a message overtakes one that waits",
			In:   "Node.message",
			Old:  "!w.taken",
			New:  "w.taken",
			Want: "FAIL: TestRandomPrograms",
			Run:  "^TestRandomProgramsOverABadNetwork$",
		},
		{
			Name: "a closed node forgets what has waited",
			Dir:  "../../actor",
			In:   "host.Deliver",
			Old:  "p.deadLetter(Lane(l.Lane), letter{p.valueOf(m), asked}, err)",
			New:  "p.abandon(letter{p.valueOf(m), asked}, err)",
			Want: "FAIL: TestMessages",
			Run:  "^TestMessagesThatWaitWhenTheirNodeClosesAreDeadLetters$",
			Hang: true,
		},
	},
}
