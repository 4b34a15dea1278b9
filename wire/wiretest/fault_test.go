//go:build !race && !invariants

package wiretest_test

import (
	"testing"

	"github.com/troupe-go/troupe/internal/planted"
)

// TestTheSuiteFindsPlantedFaults shows that the suite finds what is wrong with the stand-ins of package actor.
func TestTheSuiteFindsPlantedFaults(t *testing.T) {
	planted.Expect(t, "", standInFaults)
}

var standInFaults = planted.Group{
	Run: "^TestLinkInMemoryIsACarrier$",
	Faults: []planted.Fault{
		{
			Name: "an actor has two stand-ins",
			Dir:  "../../actor",
			In:   "peer.intern",
			Old:  "known != nil",
			New:  "known != nil && fresh == nil",
			Want: "equal_actors_have_equal_refs",
		},
		{
			Name: "the actors of a lost node go on",
			Dir:  "../../actor",
			In:   "host.Ended",
			Old:  `at.Exited("", reason)`,
			New:  `_ = at`,
			Want: "a_lost_node_ends_its_actors",
			Run:  "^TestLinkInMemoryIsACarrier$/a_lost_node",
			Hang: true,
		},
		{
			Name: "nobody hears that an asker has left",
			Dir:  "../../actor",
			In:   "host.leave",
			Old:  "h.carrier.Cancel(s.to, standin.Address{Node: h.self, Number: n}, cause)",
			New:  "_ = cause",
			Want: "a_handler_hears_that_its_asker_has_left",
			Run:  "^TestLinkInMemoryIsACarrier$/a_handler_hears",
			Hang: true,
		},
		{
			Name: "the asks above an ask stay behind",
			Dir:  "../../actor",
			In:   "host.describe",
			Old:  "a.Chain = append(a.Chain, h.addressOfAsk(up, nil, nil))",
			New:  "_ = up",
			Want: "asks_in_a_ring_over_both_nodes_end",
			Run:  "^TestLinkInMemoryIsACarrier$/asks_in_a_ring",
		},
		{
			Name: "a handler in the chain is asked nevertheless",
			Dir:  "../../actor",
			In:   "host.Deliver",
			Old:  "p.inChain(asked)",
			New:  "!p.inChain(asked) && p == nil",
			Nth:  2,
			Want: "asks_in_a_ring_over_both_nodes_end",
			Run:  "^TestLinkInMemoryIsACarrier$/asks_in_a_ring",
		},
		{
			Name: "a deadline stays behind",
			Dir:  "../../actor",
			In:   "errandContext.Deadline",
			Old:  "return c.e.deadline()",
			New:  "return time.Time{}, false",
			Want: "values_and_deadline_of_an_ask_cross",
		},
		{
			Name: "values stay behind",
			Dir:  "../../actor",
			In:   "errandContext.Value",
			Old:  "return c.e.value(key)",
			New:  "return nil",
			Want: "values_and_deadline_of_an_ask_cross",
		},
		{
			Name: "a carrier is not told of watches",
			Dir:  "../../actor",
			In:   "proc.rewatch",
			Old:  "p.opts.carrier.Watch(at, want)",
			New:  "_ = want",
			Want: "an_end_is_told_after_all_messages",
			Run:  "^TestLinkInMemoryIsACarrier$/an_end_is_told",
			Hang: true,
		},
		{
			Name: "a timer forgets what goes elsewhere",
			Dir:  "../../actor",
			In:   "timer.enter",
			Old:  "return false, t.carry(m)",
			New:  "return false, nil",
			Want: "timers_send_to_other_nodes",
			Run:  "^TestLinkInMemoryIsACarrier$/timers",
			Hang: true,
		},
		{
			Name: "a stand-in has no backlog",
			Dir:  "../../actor",
			In:   "home.backlog",
			Old:  "return c.Backlog(at)",
			New:  "return 0 * c.Backlog(at)",
			Want: "the_backlog_is_what_was_sent",
			Run:  "^TestLinkInMemoryIsACarrier$/the_backlog",
			Hang: true,
		},
		{
			Name: "a lost answer is not told to its asker",
			Dir:  "../../actor",
			In:   "farAsk.answered",
			Old:  "a.failed = a.host.carrier.Answer(a.to, v, err)",
			New:  "if err == nil {\na.failed = a.host.carrier.Answer(a.to, v, err)\n}",
			Want: "an_ask_fails_with_the_error_of_the_answer",
			Run:  "^TestLinkInMemoryIsACarrier$/an_ask_fails",
		},
		{
			Name: "a ref that comes home leads away",
			Dir:  "../../actor",
			In:   "host.bindRef",
			Old:  "a.Node != h.self",
			New:  "a.Node != h.self || a.Number > 0",
			Want: "FAIL: TestLinkInMemoryIsACarrier",
			Run:  "^TestLinkInMemoryIsACarrier$/(equal|an_ask_comes_home)",
			Hang: true,
		},
	},
}
