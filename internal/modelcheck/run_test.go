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
		File: "program.go",
		Old:  "o.Addr != other.Addr || o.Kind == Read && other.Kind == Read",
		New:  "o.Addr != other.Addr || o.Kind == other.Kind",
		Want: "with sleep sets reach",
	}, {
		Name: "sleepers never wake",
		File: "modelcheck.go",
		Old:  "(parent.asleep | parent.tried).has(t) && t != parent.chosen && op.independent(parent.ops[parent.chosen])",
		New:  "(parent.asleep | parent.tried).has(t) && t != parent.chosen && op.Addr != nil",
		Want: "FAIL",
	}, {
		Name: "what is outside commutes",
		File: "program.go",
		Old:  "o.Addr == nil || other.Addr == nil",
		New:  "false",
		Want: "a saw map[",
	}, {
		Name: "a run goes on when it is over",
		File: "program.go",
		Old:  "	aborting = true\n",
		New:  "",
		Want: "the other thread went on: true",
	}}})
}
