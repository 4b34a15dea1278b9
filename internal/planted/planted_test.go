//go:build !race && !invariants

package planted_test

import (
	"testing"

	"github.com/troupe-go/troupe/internal/planted"
)

func TestNameOf(t *testing.T) {
	if got := planted.NameOf(7); got != "Fault7" {
		t.Fatalf("it is called %q", got)
	}
	if planted.Variable != "TROUPE_PLANTED_FAULT" {
		t.Fatalf("the variable is %q", planted.Variable)
	}
}

// TestExpect plants faults here: in a function, in another place of the same one,
// and in none.
func TestExpect(t *testing.T) {
	planted.Expect(t, "", planted.Group{Run: "^TestNameOf$", Faults: []planted.Fault{{
		Name: "another name",
		File: "twin.go",
		Old:  `return "Fault" +`,
		New:  `return "fault" +`,
		Want: `it is called "fault7"`,
	}, {
		Name: "another number",
		File: "twin.go",
		Old:  "strconv.Itoa(i)",
		New:  "strconv.Itoa(i + 1)",
		Want: `it is called "Fault8"`,
	}, {
		Name: "another variable",
		File: "twin.go",
		Old:  `variable = "TROUPE_PLANTED_FAULT"`,
		New:  `variable = "TROUPE_FAULT"`,
		Want: `the variable is "TROUPE_FAULT"`,
	}}})
}
