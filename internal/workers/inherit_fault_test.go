//go:build !modelcheck && !race && !invariants

package workers_test

import "github.com/troupe-go/troupe/internal/planted"

// liftFaults are of jobs that are queued twice.
var liftFaults = planted.Group{
	Run: "^TestModel$/^lift$",
	Faults: []planted.Fault{
		{
			Name: "the second entry takes a job that has begun",
			In:   "Job.claims",
			Old:  "rare.urgent > 0 && j.state.TransitionToClaimed()",
			New:  "rare.urgent > 0",
			Want: "is lifted and has no work",
		},
		{
			Name: "both entries of a job count",
			In:   "Job.begin",
			Old:  "!begun && j.dropsEntry()",
			New:  "false",
			Want: "jobs are left",
		},
		{
			Name: "the mark outlives the job",
			In:   "jobRare.settleEnd",
			Old:  "!r.lifted",
			New:  "true",
			Want: "is lifted and has no work",
		},
		{
			Name: "the end looks for those that wait, not for the mark",
			In:   "jobRare.settleEnd",
			Old:  "!r.lifted",
			New:  "r.urgent <= 0",
			Want: "is lifted and has no work",
		},
	},
}

// inheritFaults are of the urgency that goes along waits.
var inheritFaults = planted.Group{
	Run: "^Test(AwaitedJobIsAsUrgentAsWhoWaits|UrgencyGoesAlongTheWaits|UrgencyEndsWithTheWait|PinnedJobStaysWhenLifted)$",
	Faults: []planted.Fault{
		{
			Name: "a job that waits in a queue stays there",
			In:   "elder.queue",
			Old:  "e != nil",
			New:  "e != nil && false",
			Want: "the awaited job came behind",
		},
		{
			Name: "a resume forgets the urgency",
			In:   "Fiber.Resume",
			Old:  "f.urgency(p)",
			New:  "min(p, f.priority)",
			Want: "the job in the middle came behind",
		},
		{
			Name: "a yield forgets the urgency",
			In:   "Fiber.prepareToYield",
			Old:  "w, p := f.w, f.urgency(Own)",
			New:  "w, p := f.w, min(f.priority, Own)",
			Want: "the awaited job came behind",
		},
		{
			Name: "the urgency goes no further than one wait",
			In:   "Fiber.settleEdge",
			Old:  "e != nil",
			New:  "e != nil && false",
			Want: "the last job came behind",
		},
		{
			Name: "the urgency outlives the wait",
			In:   "Edge.Leave",
			Old:  "e.over = true",
			New:  "e.over = false",
			Want: "nobody critical waits",
		},
		{
			Name: "a pinned job leaves its worker",
			In:   "Job.inheritLocked",
			Old:  "urgent && !held && j.id&idPlaced == 0 && j.kind.s.sim == nil",
			New:  "urgent && !held && j.kind.s.sim == nil",
			Want: "is pinned to",
		},
	},
}
