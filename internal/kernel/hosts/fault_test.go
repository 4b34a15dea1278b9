//go:build !race && !invariants && !modelcheck

package hosts_test

import (
	"testing"

	"github.com/troupe-go/troupe/internal/planted"
)

// The tests find faults that are planted. More are planted by the tests of package actor.
func TestPlantedFaults(t *testing.T) {
	planted.Expect(t, "", planted.Group{
		Run: "^Test(Pool|Thread|Loop|Main)",
		Faults: []planted.Fault{
			{
				Name: "an idle thread is abandoned and does not notice",
				In:   "Thread.Abandon",
				Old: `if t.present != nil {
	t.present.poke()
}`,
				New:  "",
				Want: "deadlock",
				Run:  "^TestThreadIsAbandonedWhenIdle$",
			},
			{
				Name: "the holder outlives the loop's run",
				In:   "Loop.leaveLocked",
				Old:  "l.holder.Store(nil)",
				New:  "",
				Want: "when Run has returned",
			},
			{
				Name: "idle goroutines do not see the end",
				In:   "Pool.await",
				Old:  "<-b.site.empty",
				New:  "<-(chan int)(nil)",
				Want: "the end took",
			},
		},
	})
}
