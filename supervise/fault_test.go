//go:build !race && !invariants

package supervise_test

import (
	"testing"

	"github.com/troupe-go/troupe/internal/planted"
)

// TestTestsFindPlantedFaults shows that none of what a supervisor promises can be
// lost unnoticed.
func TestTestsFindPlantedFaults(t *testing.T) {
	planted.Expect(t, "", strategyFaults, policyFaults, treeFaults)
}

var strategyFaults = planted.Group{
	Run: "^TestSuiteSimulated$",
	Faults: []planted.Fault{
		{
			Name: "the youngest starts first",
			In:   "supervisorActor.pause",
			Old:  "seq.stage, seq.at = starting, sup.first",
			New:  "seq.stage, seq.at = starting, sup.last",
			Want: "FAIL: TestSuiteSimulated",
			Run:  "^TestSuiteSimulated$/^the_restart_of_a_group_counts_once$",
		},
		{
			Name: "the oldest stops first",
			In:   "supervisorActor.end",
			Old:  "sequence{stage: halting, at: sup.last}",
			New:  "sequence{stage: halting, at: sup.first}",
			Want: "FAIL: TestSuiteSimulated",
			Run:  "^TestSuiteSimulated$/^a_nested_supervisor_starts_in_its_turn,_and_stops_in_its_turn$",
		},
		{
			Name: "one for all is rest for one",
			In:   "supervisorActor.failed",
			Old: `if sup.cfg.Strategy == OneForAll {
	from = 0
}`,
			New:  "",
			Want: "FAIL: TestSuiteSimulated",
			Run:  "^TestSuiteSimulated$/^escalation_restarts_the_group_above$",
		},
		{
			Name: "rest for one is one for all",
			In:   "supervisorActor.failed",
			Old: `if sup.cfg.Strategy == OneForAll {
	from = 0
}`,
			New:  "from = 0",
			Want: "FAIL: TestSuiteSimulated",
			Run:  "^TestSuiteSimulated$/^escalation_restarts_the_rest_above$",
		},
		{
			Name: "a group is one for one",
			In:   "Strategy.grouped",
			Old:  "s == OneForAll || s == RestForOne",
			New:  "s == OneForAll && s == RestForOne",
			Want: "FAIL: TestSuiteSimulated",
			Run:  "^TestSuiteSimulated$/^the_restart_of_a_group_counts_once$",
		},
	},
}

var policyFaults = planted.Group{
	Run: "^TestWindow",
	Faults: []planted.Fault{
		{
			Name: "one restart more is borne",
			In:   "window.allow",
			Old:  "len(w.recent) <= w.intensity",
			New:  "len(w.recent) <= w.intensity+1",
			Want: "FAIL: TestWindow",
			Run:  "^TestWindow",
		},
		{
			Name: "a restart one period old counts",
			In:   "window.forget",
			Old:  "now.Sub(w.recent[old]) >= w.period",
			New:  "now.Sub(w.recent[old]) > w.period",
			Want: "FAIL: TestWindow",
			Run:  "^TestWindow",
		},
		{
			Name: "the delay does not grow",
			In:   "Backoff.delay",
			Old:  "math.Pow(b.Factor, float64(n-1))",
			New:  "b.Factor",
			Want: "FAIL: TestSuiteSimulated",
			Run:  "^TestSuiteSimulated$/^a_child_waits_longer_after_each_failure$",
		},
		{
			Name: "the delay has no bound",
			In:   "Backoff.delay",
			Old:  "math.Min(float64(b.Max), float64(b.Min)*math.Pow(b.Factor, float64(n-1)))",
			New:  "float64(b.Min) * math.Pow(b.Factor, float64(n-1))",
			Want: "FAIL: TestSuiteSimulated",
			Run:  "^TestSuiteSimulated$/^a_child_waits_longer_after_each_failure$",
		},
		{
			Name: "jitter makes delays longer",
			In:   "Backoff.delay",
			Old:  "1 - b.Jitter*random.Float64()",
			New:  "1 + b.Jitter*random.Float64()",
			Want: "FAIL: TestSuiteSimulated",
			Run:  "^TestSuiteSimulated$/^jitter_makes_delays_shorter,_not_longer$",
		},
		{
			Name: "health does not end the back-off",
			In:   "supervisorActor.failed",
			Old:  "s.failures = 0",
			New:  "",
			Want: "FAIL: TestSuiteSimulated",
			Run:  "^TestSuiteSimulated$/^healthy_time_ends_the_back-off,_waiting_does_not$",
		},
		{
			Name: "any failure ends the back-off",
			In:   "supervisorActor.failed",
			Old: `if s.state == Running && now.Sub(s.since) >= s.backoff.Reset {
	s.failures = 0
}`,
			New: `if s.state == Running {
	s.failures = 0
}`,
			Want: "FAIL: TestSuiteSimulated",
			Run:  "^TestSuiteSimulated$/^healthy_time_ends_the_back-off,_waiting_does_not$",
		},
		{
			Name: "a transient child always comes back",
			In:   "Policy.restarts",
			Old:  "p == Transient && reason != nil",
			New:  "p == Transient",
			Want: "FAIL: TestSuiteSimulated",
			Run:  "^TestSuiteSimulated$/^a_transient_child_whose_end_is:_stop$",
		},
		{
			Name: "a temporary child comes back",
			In:   "Policy.restarts",
			Old:  "p == Permanent || p == Transient && reason != nil",
			New:  "p != Transient || reason != nil",
			Want: "FAIL: TestSuiteSimulated",
			Run:  "^TestSuiteSimulated$/^a_temporary_child_whose_end_is:_panic$",
		},
		{
			Name: "who was terminated comes back",
			In:   "terminate.run",
			Old:  "s.parked = true",
			New:  "",
			Want: "FAIL: TestSuiteSimulated",
			Run:  "^TestSuiteSimulated$/^a_child_that_was_terminated_stays_down_when_its_group_restarts$",
		},
		{
			Name: "mail is not dropped",
			In:   "supervisorActor.begin",
			Old:  "s.empty && s.begun",
			New:  "s.empty && !s.begun",
			Want: "FAIL: TestSuiteSimulated",
			Run:  "^TestSuiteSimulated$/^a_restart_may_drop_the_messages_that_wait$",
		},
	},
}

var treeFaults = planted.Group{
	Run: "^TestTroupe",
	Faults: []planted.Fault{
		{
			Name: "escalation loses the reason",
			In:   "supervisorActor.tooOften",
			Old:  "orNormal(s.reason)",
			New:  "errNormal",
			Want: "FAIL: TestSuiteSimulated",
			Run:  "^TestSuiteSimulated$/^escalation_goes_up_to_the_top$",
		},
		{
			Name: "who does not stop is not killed",
			In:   "supervisorActor.becomeStopping",
			Old:  "s.shutdown >= 0",
			New:  "s.shutdown >= 0 && s.state != Stopping",
			Want: "FAIL: TestSuiteSimulated",
			Run:  "^TestSuiteSimulated$/^a_child_that_does_not_stop_is_killed_after_its_time$",
		},
		{
			Name: "a brutal kill is a stop",
			In:   "supervisorActor.becomeStopping",
			Old: `case s.shutdown == BrutalKill:
	k.kill(ctx, s)`,
			New:  "",
			Want: "FAIL: TestSuiteSimulated",
			Run:  "^TestSuiteSimulated$/^a_child_that_is_to_be_killed_is_killed_at_once$",
		},
		{
			Name: "a start has no limit",
			In:   "supervisorActor.begin",
			Old:  "s.startLimit >= 0",
			New:  "s.startLimit < 0",
			Want: "FAIL: TestSuiteSimulated",
			Run:  "^TestSuiteSimulated$/^a_start_that_never_ends_is_ended_by_its_limit$",
		},
		{
			Name: "an orphan is left alone",
			In:   "orphans.begin",
			Old:  "time.AfterFunc(0, o.come)",
			New:  "_ = o",
			Want: "FAIL: TestSuiteSimulated",
			Run:  "^TestSuiteSimulated$/^a_supervisor_that_is_killed_ends_although_a_child_hangs$",
		},
		{
			Name: "an orphan has no time",
			In:   "orphans.reap",
			Old:  "max(0, limit) <= passed",
			New:  "max(0, limit) >= 0",
			Want: "FAIL: TestSuiteSimulated",
			Run:  "^TestSuiteSimulated$/^a_supervisor_that_is_killed_ends_although_a_child_hangs$",
		},
		{
			Name: "an orphan has no limit of its own",
			In:   "orphans.reap",
			Old: `if !own {
	limit = defaultShutdown
}`,
			New: `if own = false; !own {
	limit = defaultShutdown
}`,
			Want: "FAIL: TestSuiteSimulated",
			Run:  "^TestSuiteSimulated$/^a_supervisor_that_is_killed_waits_for_a_child_without_a_limit$",
		},
		{
			Name: "a panic of its own leaves no orphans",
			In:   "supervisorActor.attend",
			Old: `if !returned {
	k.handle.orphans(ctx.PID(), k.path, k.term).begin()
}`,
			New:  "_ = returned",
			Want: "FAIL: TestSuiteSimulated",
			Run:  "^TestSuiteSimulated$/^a_supervisor_that_itself_panics_ends_although_a_child_hangs$",
		},
		{
			Name: "a new incarnation is reaped",
			In:   "orphans.reap",
			Old:  "err != nil || i.State == actor.Held || s.term != o.term",
			New:  "err != nil || i.State == actor.Held",
			Want: "FAIL: TestSuiteSimulated",
			Run:  "^TestSuiteSimulated$/^a_nested_supervisor_that_is_killed_is_restarted_although_a_child_hangs$",
		},
		{
			Name: "any significant end is that of all",
			In:   "supervisorActor.shutsDown",
			Old: `if s.significant && s.state != Down {
	return false
}`,
			New:  "_ = s",
			Want: "FAIL: TestSuiteSimulated",
			Run:  "^TestSuiteSimulated$/^the_last_significant_child_ends_the_supervisor$",
		},
		{
			Name: "an insignificant end ends all",
			In:   "supervisorActor.down",
			Old:  "byItself && s.significant && !sup.ending",
			New:  "byItself && !sup.ending",
			Want: "FAIL: TestSuiteSimulated",
			Run:  "^TestSuiteSimulated$/^an_insignificant_child_ends_nothing$",
		},
		{
			Name: "too few are never noticed",
			In:   "supervisorActor.watchMinimum",
			Old:  "sup.booted && !sup.ending && sup.running < sup.cfg.MinHealthy",
			New:  "sup.ending && !sup.ending",
			Want: "FAIL: TestSuiteSimulated",
			Run:  "^TestSuiteSimulated$/^too_few_children_for_too_long_end_the_supervisor$",
		},
		{
			Name: "a member does not know the others",
			In:   "supervisorActor.introduce",
			Old:  "s.assign(place.ref)",
			New:  "_ = s.assign",
			Want: "FAIL: TestSuiteSimulated",
			Run:  "^TestSuiteSimulated$/^a_troupe_starts_in_order_and_stops_in_the_opposite_one$",
		},
		{
			Name: "a name is taken twice",
			In:   "design.draw",
			Old: `if names[p.name] {
	return d.at.errorf(p.name, "child %d has the name of another one: %w", i+1, ErrExists)
}`,
			New: `if names[""] {
	return d.at.errorf(p.name, "child %d has the name of another one: %w", i+1, ErrExists)
}`,
			Want: "FAIL: TestSuiteSimulated",
			Run:  "^TestSuiteSimulated$/^wrong:_two_children_of_one_name$",
		},
		{
			Name: "a stale place is taken over",
			In:   "supervisorActor.inherit",
			Old:  "others[place.pid] && p.policy != Temporary",
			New:  "place.ref != nil && p.policy != Temporary",
			Want: "FAIL: TestSuiteSimulated",
			Run:  "^TestSuiteSimulated$/^a_tree_stops_while_a_held_child_that_was_stopped_has_not_had_its_turn$",
		},
		{
			Name: "nobody waits for a start",
			In:   "supervisorActor.pointAt",
			Old:  "s.starter.waitsFor(actor.StartWait, id)",
			New:  "_ = id",
			Want: "FAIL: TestSuiteSimulated",
			Run:  "^TestSuiteSimulated$/^a_spawn_in_a_handler_that_the_child_asks_is_a_ring$",
		},
		{
			Name: "a start below is not told",
			In:   "supervisorActor.pointAtStart",
			Old:  "sup.above(begins{sup.self, s.pid})",
			New:  "_ = s",
			Want: "FAIL: TestSuiteSimulated",
			Run:  "^TestSuiteSimulated$/^a_start_in_a_handler_that_a_child_of_a_nested_supervisor_asks_is_a_ring$",
		},
		{
			Name: "a stop below is not told",
			In:   "supervisorActor.pointAtStop",
			Old:  "sup.above(ends{sup.self, id})",
			New:  "_ = id",
			Want: "FAIL: TestSuiteSimulated",
			Run:  "^TestSuiteSimulated$/^a_terminate_of_a_supervisor_in_a_handler_that_a_child_far_below_asks_is_a_ring$",
		},
		{
			Name: "who stops already is not waited for",
			In:   "terminate.run",
			Old:  "a.waitsFor(actor.StopWait, s.stops)",
			New:  "_ = a",
			Want: "FAIL: TestSuiteSimulated",
			Run:  "^TestSuiteSimulated$/^a_terminate_in_a_handler_that_a_child_asks,_which_stops_already,_is_a_ring$",
		},
		{
			Name: "a start that is a ring waits for its end",
			In:   "Supervisor.whyNotStarted",
			Old:  "errors.Is(err, actor.ErrCycle) && !errors.Is(err, ErrStart)",
			New:  "errors.Is(err, actor.ErrCycle) && errors.Is(err, ErrStart)",
			Want: "FAIL: TestSuiteSimulated",
			Run:  "^TestSuiteSimulated$/^a_start_in_a_handler_that_a_child_of_a_nested_supervisor_asks_is_a_ring$",
		},
		{
			Name: "who was killed is not told",
			In:   "supervisorActor.noteForced",
			Old:  "s.killed && reason != nil",
			New:  "s.killed && reason == nil",
			Want: "FAIL: TestSuiteSimulated",
			Run:  "^TestSuiteSimulated$/^a_child_that_has_ended_by_itself,_and_whose_clean-up_is_cut_off,_is_seen$",
		},
		{
			Name: "who was killed before is told",
			In:   "supervisorActor.retire",
			Old:  "s.forGood, s.rested = true, true",
			New:  "s.forGood = true",
			Want: "FAIL: TestSuiteSimulated",
			Run:  "^TestSuiteSimulated$/^what_a_supervisor_has_killed_when_it_failed_is_no_matter_of_a_later_stop$",
		},
		{
			Name: "who has started before a failed start starts again",
			In:   "supervisorActor.regroup",
			Old:  "seq.from = min(seq.at.seq, from)",
			New:  "seq.from = min(seq.from, from)",
			Want: "FAIL: TestSuiteSimulated",
			Run:  "^TestSuiteSimulated$/^rest_for_one_leaves_alone_what_has_started_before_a_start_that_fails$",
		},
	},
}
