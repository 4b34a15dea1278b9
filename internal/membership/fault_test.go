//go:build !race && !invariants

package membership_test

import (
	"testing"

	"github.com/troupe-go/troupe/internal/planted"
)

// TestTestsFindPlantedFaults shows that no promise of a membership can be broken unnoticed.
func TestTestsFindPlantedFaults(t *testing.T) {
	planted.Expect(t, "", membershipFaults)
}

var membershipFaults = planted.Group{
	Run: "^TestNoTwoNodesBelieveOppositesInManySchedules$",
	Faults: []planted.Fault{
		{
			Name: "the lease is counted from the reply",
			In:   "Node.renew",
			Old:  "n.extend(asked, quick)",
			New:  "n.extend(max(asked, n.config.Clock()), max(quick, n.config.quick()))",
			Nth:  1,
			Want: "believes that it lives",
		},
		{
			Name: "a lease is ended whatever its revision is",
			In:   "Node.endOthers",
			Old:  "n.table.Put(call, m.Name, value, m.revision, n.config.ttl())",
			New:  "n.table.Put(call, m.Name, value, engine.Any, n.config.ttl())",
			Want: "believes that it lives",
		},
		{
			Name: "a renewal expects no revision",
			In:   "Node.renew",
			Old:  "n.table.Put(ctx, n.config.Name, value, n.revision, n.config.ttl())",
			New:  "n.table.Put(ctx, n.config.Name, value, engine.Any, n.config.ttl())",
			Want: "FAIL: TestNoTwoNodesBelieveOppositesInManySchedules",
		},
		{
			Name: "the end of a node is told to nobody",
			In:   "view.gone",
			Old:  "v.tell()",
			New:  "_ = v.ends",
			Want: "FAIL: TestALostNodeIsToldAndItsNameCanJoinAgain",
			Run:  "^TestALostNodeIsToldAndItsNameCanJoinAgain$",
		},
		{
			Name: "a node that was cut off ends the leases of all others",
			In:   "view.forgive",
			Old:  "m.seen = now",
			New:  "m.seen = min(m.seen, now)",
			Want: "FAIL: TestANodeComesBackWhenNobodyHasEndedItsLease",
			Run:  "^TestANodeComesBackWhenNobodyHasEndedItsLease$",
		},
	},
}
