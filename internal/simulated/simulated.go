// Package simulated runs tests of the real scheduler also under schedules that a
// seed chooses. It is for this project's own tests.
package simulated

import (
	"strings"
	"testing"

	"github.com/troupe-go/troupe/simtest"
)

// Too runs a test as it is, and then under 30 schedules in virtual time, or as many
// as TROUPE_SCHEDULES says; with -short, only as it is. The test must not share channels or variables with what
// is outside of it, nor block a handler until another one has run.
//
// Such tests are told by channels of their own what handlers do, and go on beside
// them. So a run need not be the same twice, as a simulation should be; that alone
// is no failure here, but what a run fails of is, repeatable or not.
func Too(t *testing.T, test func(t testing.TB)) {
	t.Helper()
	t.Run("real", func(t *testing.T) { test(t) })
	if testing.Short() {
		return
	}
	t.Run("simulated", func(t *testing.T) {
		f, err := simtest.Find(t, simtest.Config{Schedules: 30}, func(s *simtest.Sim) { test(s) })
		switch {
		case err != nil:
			t.Fatal(err)
		case f != nil && strings.HasPrefix(f.Messages[0], "not deterministic"):
			t.Log(f)
		case f != nil:
			t.Error(f)
		}
	})
}
