//go:build !modelcheck && !race && !invariants

package modelcheck_test

import (
	"testing"

	"github.com/troupe-go/troupe/internal/planted"
)

// TestExplorer runs the tests of the build with points, and shows that they
// notice an explorer that leaves out too much.
func TestExplorer(t *testing.T) {
	planted.Expect(t, "modelcheck", planted.Group{Run: ".", Faults: []planted.Fault{{
		Name: "writes commute",
		In:   "Op.independent",
		Old:  "o.Kind == Read && other.Kind == Read",
		New:  "o.Kind == other.Kind",
		Want: "with sleep sets reach",
	}, {
		Name: "sleepers never wake",
		In:   "node.inherit",
		Old:  "op.independent(parent.ops[parent.chosen])",
		New:  "op.Addr != nil",
		Want: "FAIL",
	}, {
		Name: "what is outside commutes",
		In:   "Op.independent",
		Old:  "o.Addr == nil || other.Addr == nil",
		New:  "false",
		Want: "a saw map[",
	}, {
		Name: "a run goes on when it is over",
		In:   "Program.abort",
		Old:  "aborting = true",
		New:  "",
		Want: "the other thread went on: true",
	}}})
}
