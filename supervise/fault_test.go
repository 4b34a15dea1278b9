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
			File: "round.go",
			Old:  "	r.stage, r.at = starting, k.first\n	return true",
			New:  "	r.stage, r.at = starting, k.last\n	return true",
			Want: "FAIL: TestSuiteSimulated",
			Run:  "^TestSuiteSimulated$/^the_restart_of_a_group_counts_once$",
		},
		{
			Name: "the oldest stops first",
			File: "keeper.go",
			Old:  "k.round = &round{stage: halting, at: k.last}",
			New:  "k.round = &round{stage: halting, at: k.first}",
			Want: "FAIL: TestSuiteSimulated",
			Run:  "^TestSuiteSimulated$/^a_nested_supervisor_starts_in_its_turn,_and_stops_in_its_turn$",
		},
		{
			Name: "one for all is rest for one",
			File: "keeper.go",
			Old:  "		if k.cfg.Strategy == OneForAll {\n			from = 0\n		}",
			New:  "",
			Want: "FAIL: TestSuiteSimulated",
			Run:  "^TestSuiteSimulated$/^escalation_restarts_the_group_above$",
		},
		{
			Name: "rest for one is one for all",
			File: "keeper.go",
			Old:  "		if k.cfg.Strategy == OneForAll {\n			from = 0\n		}",
			New:  "		from = 0",
			Want: "FAIL: TestSuiteSimulated",
			Run:  "^TestSuiteSimulated$/^escalation_restarts_the_rest_above$",
		},
		{
			Name: "a group is one for one",
			File: "policy.go",
			Old:  "return s == OneForAll || s == RestForOne",
			New:  "return s == OneForAll && s == RestForOne",
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
			File: "window.go",
			Old:  "return len(w.recent) <= w.intensity",
			New:  "return len(w.recent) <= w.intensity+1",
			Want: "FAIL: TestWindow",
			Run:  "^TestWindow",
		},
		{
			Name: "a restart one period old counts",
			File: "window.go",
			Old:  "now.Sub(w.recent[old]) >= w.period",
			New:  "now.Sub(w.recent[old]) > w.period",
			Want: "FAIL: TestWindow",
			Run:  "^TestWindow",
		},
		{
			Name: "the delay does not grow",
			File: "backoff.go",
			Old:  "math.Pow(b.Factor, float64(n-1))",
			New:  "b.Factor",
			Want: "FAIL: TestSuiteSimulated",
			Run:  "^TestSuiteSimulated$/^a_child_waits_longer_after_each_failure$",
		},
		{
			Name: "the delay has no bound",
			File: "backoff.go",
			Old:  "math.Min(float64(b.Max), float64(b.Min)*math.Pow(b.Factor, float64(n-1)))",
			New:  "float64(b.Min) * math.Pow(b.Factor, float64(n-1))",
			Want: "FAIL: TestSuiteSimulated",
			Run:  "^TestSuiteSimulated$/^a_child_waits_longer_after_each_failure$",
		},
		{
			Name: "jitter makes delays longer",
			File: "backoff.go",
			Old:  "1 - b.Jitter*",
			New:  "1 + b.Jitter*",
			Want: "FAIL: TestSuiteSimulated",
			Run:  "^TestSuiteSimulated$/^jitter_makes_delays_shorter,_not_longer$",
		},
		{
			Name: "health does not end the back-off",
			File: "keeper.go",
			Old:  "		s.failures = 0\n",
			New:  "",
			Want: "FAIL: TestSuiteSimulated",
			Run:  "^TestSuiteSimulated$/^healthy_time_ends_the_back-off,_waiting_does_not$",
		},
		{
			Name: "any failure ends the back-off",
			File: "keeper.go",
			Old:  "if s.state == Running && now.Sub(s.since) >= s.backoff.Reset {",
			New:  "if s.state == Running {",
			Want: "FAIL: TestSuiteSimulated",
			Run:  "^TestSuiteSimulated$/^healthy_time_ends_the_back-off,_waiting_does_not$",
		},
		{
			Name: "a transient child always comes back",
			File: "policy.go",
			Old:  "p == Transient && reason != nil",
			New:  "p == Transient",
			Want: "FAIL: TestSuiteSimulated",
			Run:  "^TestSuiteSimulated$/^a_transient_child_whose_end_is:_stop$",
		},
		{
			Name: "a temporary child comes back",
			File: "policy.go",
			Old:  "p == Permanent || p == Transient && reason != nil",
			New:  "p != Transient || reason != nil",
			Want: "FAIL: TestSuiteSimulated",
			Run:  "^TestSuiteSimulated$/^a_temporary_child_whose_end_is:_panic$",
		},
		{
			Name: "who was terminated comes back",
			File: "command.go",
			Old:  "	s.parked = true\n	k.refuse(ctx, s, k.at(ErrTerminated",
			New:  "	k.refuse(ctx, s, k.at(ErrTerminated",
			Want: "FAIL: TestSuiteSimulated",
			Run:  "^TestSuiteSimulated$/^a_child_that_was_terminated_stays_down_when_its_group_restarts$",
		},
		{
			Name: "mail is not dropped",
			File: "keeper.go",
			Old:  "if s.empty && s.begun {",
			New:  "if s.empty && !s.begun {",
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
			File: "round.go",
			Old:  "k.pathOf(s), orNormal(s.reason))\n}\n\n// watch",
			New:  "k.pathOf(s), errNormal)\n}\n\n// watch",
			Want: "FAIL: TestSuiteSimulated",
			Run:  "^TestSuiteSimulated$/^escalation_goes_up_to_the_top$",
		},
		{
			Name: "who does not stop is not killed",
			File: "round.go",
			Old:  "	case s.shutdown >= 0:\n",
			New:  "	case s.shutdown >= 0 && s.state != Stopping:\n",
			Want: "FAIL: TestSuiteSimulated",
			Run:  "^TestSuiteSimulated$/^a_child_that_does_not_stop_is_killed_after_its_time$",
		},
		{
			Name: "a brutal kill is a stop",
			File: "round.go",
			Old:  "	case s.shutdown == BrutalKill:\n		k.kill(ctx, s)\n",
			New:  "",
			Want: "FAIL: TestSuiteSimulated",
			Run:  "^TestSuiteSimulated$/^a_child_that_is_to_be_killed_is_killed_at_once$",
		},
		{
			Name: "a start has no limit",
			File: "keeper.go",
			Old:  "if s.startLimit >= 0 {",
			New:  "if s.startLimit < 0 {",
			Want: "FAIL: TestSuiteSimulated",
			Run:  "^TestSuiteSimulated$/^a_start_that_never_ends_is_ended_by_its_limit$",
		},
		{
			Name: "an orphan is left alone",
			File: "orphans.go",
			Old:  "	time.AfterFunc(0, o.come)\n",
			New:  "	_ = o\n",
			Want: "FAIL: TestSuiteSimulated",
			Run:  "^TestSuiteSimulated$/^a_supervisor_that_is_killed_ends_although_a_child_hangs$",
		},
		{
			Name: "an orphan has no time",
			File: "orphans.go",
			Old:  "max(0, limit) <= passed",
			New:  "max(0, limit) >= 0",
			Want: "FAIL: TestSuiteSimulated",
			Run:  "^TestSuiteSimulated$/^a_supervisor_that_is_killed_ends_although_a_child_hangs$",
		},
		{
			Name: "an orphan has no limit of its own",
			File: "orphans.go",
			Old:  "		if !own {\n			limit",
			New:  "		if own = false; !own {\n			limit",
			Want: "FAIL: TestSuiteSimulated",
			Run:  "^TestSuiteSimulated$/^a_supervisor_that_is_killed_waits_for_a_child_without_a_limit$",
		},
		{
			Name: "a panic of its own leaves no orphans",
			File: "keeper.go",
			Old:  "		if !returned {\n			k.handle.orphans(ctx.PID(), k.path, k.term).begin()\n		}\n",
			New:  "		_ = returned\n",
			Want: "FAIL: TestSuiteSimulated",
			Run:  "^TestSuiteSimulated$/^a_supervisor_that_itself_panics_ends_although_a_child_hangs$",
		},
		{
			Name: "a new incarnation is reaped",
			File: "orphans.go",
			Old:  " || s.term != o.term",
			New:  "",
			Want: "FAIL: TestSuiteSimulated",
			Run:  "^TestSuiteSimulated$/^a_nested_supervisor_that_is_killed_is_restarted_although_a_child_hangs$",
		},
		{
			Name: "any significant end is that of all",
			File: "keeper.go",
			Old:  "			if s.significant && s.state != Down {\n				return false\n			}\n",
			New:  "			_ = s\n",
			Want: "FAIL: TestSuiteSimulated",
			Run:  "^TestSuiteSimulated$/^the_last_significant_child_ends_the_supervisor$",
		},
		{
			Name: "an insignificant end ends all",
			File: "keeper.go",
			Old:  "byItself && s.significant &&",
			New:  "byItself &&",
			Want: "FAIL: TestSuiteSimulated",
			Run:  "^TestSuiteSimulated$/^an_insignificant_child_ends_nothing$",
		},
		{
			Name: "too few are never noticed",
			File: "round.go",
			Old:  "few := k.booted && !k.ending && k.running < k.cfg.MinHealthy",
			New:  "few := k.ending && !k.ending",
			Want: "FAIL: TestSuiteSimulated",
			Run:  "^TestSuiteSimulated$/^too_few_children_for_too_long_end_the_supervisor$",
		},
		{
			Name: "a member does not know the others",
			File: "keeper.go",
			Old:  "		s.assign(place.ref)\n",
			New:  "		_ = s.assign\n",
			Want: "FAIL: TestSuiteSimulated",
			Run:  "^TestSuiteSimulated$/^a_troupe_starts_in_order_and_stops_in_the_opposite_one$",
		},
		{
			Name: "a name is taken twice",
			File: "child.go",
			Old:  "		if names[p.name] {",
			New:  "		if names[\"\"] {",
			Want: "FAIL: TestSuiteSimulated",
			Run:  "^TestSuiteSimulated$/^wrong:_two_children_of_one_name$",
		},
	},
}
