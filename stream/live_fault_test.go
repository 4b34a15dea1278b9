//go:build !race && !invariants

package stream_test

import (
	"testing"

	"github.com/troupe-go/troupe/internal/planted"
)

// TestLiveTestsFindPlantedFaults shows that none of what live topics promise can be lost unnoticed.
func TestLiveTestsFindPlantedFaults(t *testing.T) {
	planted.Expect(t, "", liveFaults)
}

var liveFaults = planted.Group{
	Run: "^Test(Publish|Where|Full|AClose|AMember|ATopic|Soloed|ASubscriber|ATry|Pause)",
	Faults: []planted.Fault{
		{
			Name: "a publish does not wait for those that are late",
			In:   "Live.Publish",
			Old:  "late == nil",
			New:  "late == nil || l != nil",
			Want: "FAIL: TestPublishWaitsForTheSlowest",
			Run:  "^TestPublishWaitsForTheSlowest",
			Hang: true,
		},
		{
			Name: "a filter lets all pass",
			In:   "liveMember.passes",
			Old:  "wanted = m.where(v)",
			New:  "wanted = m.where(v) || m.where != nil",
			Want: "FAIL: TestWhereAndWrap",
			Run:  "^TestWhereAndWrap",
		},
		{
			Name: "a message that is dropped is not counted",
			In:   "Subscription.settle",
			Old: `late.abandon()
s.drop()`,
			New:  "late.abandon()",
			Want: "FAIL: TestFullSubscriptionsDoAsTheySay",
			Run:  "^TestFullSubscriptionsDoAsTheySay$",
		},
		{
			Name: "the last publish does not tell the close",
			In:   "liveCore.end",
			Old:  "l.closed.Load()",
			New:  "l.closed.Load() && l.keeper.PID() == (actor.PID{})",
			Want: "FAIL: TestACloseWaitsForPublishes",
			Run:  "^TestACloseWaitsForPublishes",
			Hang: true,
		},
		{
			Name: "who waits for one that ends goes on to wait",
			In:   "Subscription.end",
			Old:  "(*cancel)(errGone)",
			New:  "_ = cancel",
			Want: "FAIL: TestThePublisherOfAMessageForOneThatEndsGoesOn",
			Run:  "^TestThePublisherOfAMessageForOneThatEndsGoesOn$",
			Hang: true,
		},
		{
			Name: "a copy that is given up stays open in the output of a Mix",
			In:   "lateCopy.forgo",
			Old:  "c.abandon()",
			New:  "_ = c",
			Want: "FAIL: TestATryToAMix",
			Run:  "^TestATryToAMix",
			Hang: true,
		},
		{
			Name: "a ring of topics is made",
			In:   "liveCore.reaches",
			Old:  "!seen[next] && next.reaches(other, seen)",
			New:  "!seen[next] && next == other",
			Want: "FAIL: TestATopicMayNotFeedItself",
			Run:  "^TestATopicMayNotFeedItself$",
		},
		{
			Name: "a solo is none",
			In:   "mixDesk.apply",
			Old:  "solo || m.soloed",
			New:  "solo",
			Want: "FAIL: TestSoloed",
			Run:  "^TestSoloed",
		},
		{
			Name: "the end of a subscriber is not noticed",
			In:   "liveKeeper.Down",
			Old:  "s.end(why)",
			New:  "_ = why",
			Want: "FAIL: TestASubscriberThatEnds",
			Run:  "^TestASubscriberThatEnds",
			Hang: true,
		},
		{
			Name: "the end of a pause wakes nobody",
			In:   "Subscription.change",
			Old:  "w.Wake(nil, workers.Own)",
			New:  "_ = w",
			Want: "FAIL: TestPauseHoldsBack",
			Run:  "^TestPauseHoldsBack",
			Hang: true,
		},
		{
			Name: "a publish that some have is cut off when its input is removed",
			In:   "Subscription.waitFor",
			Old: `if late.goesOn {
	return late.wait(ctx)
}`,
			New: `if late.goesOn && late.drop == nil {
	return late.wait(ctx)
}`,
			Want: "FAIL: TestMultAndMixInSimulation",
			Run:  "^TestMultAndMixInSimulation$",
		},
		{
			Name: "a buffer forgets what it has handed over",
			In:   "courier.handOver",
			Old: `s.topic.delivered.Add(1)
s.settled()`,
			New:  "s.topic.delivered.Add(1)",
			Want: "FAIL: TestDropOldestKeepsTheNewest",
			Run:  "^TestDropOldestKeepsTheNewest$",
		},
		{
			Name: "the end of the output cuts off what the writer has",
			In:   "pipeChief.endOutput",
			Old:  "c.drain(ctx)",
			New:  "c.p.Close()",
			Want: "FAIL: TestAPipeSends",
			Run:  "^TestAPipeSends",
			Hang: true,
		},
	},
}
