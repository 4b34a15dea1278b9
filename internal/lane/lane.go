// Package lane sorts tests by what they cost. A plain go test, and make test, run
// the quick lane, for people who wait for it. Make check, which CI runs, adds the
// tests that call Check. Make nightly adds those that call Nightly.
//
// Within the quick lane, -short leaves out the tests that call Short.
package lane

import (
	"os"
	"testing"
)

// Variable is the environment variable that names the lane: "check" or "nightly".
// Anything else is the quick lane.
const Variable = "TROUPE_LANE"

// current asks the environment each time: the go command then knows that a cached
// result depends on the lane. It does not see what is read before the tests run.
func current() string { return os.Getenv(Variable) }

// Checking reports whether the tests of make check run.
func Checking() bool { return current() == "check" || current() == "nightly" }

// Check skips a test that is not for the quick lane.
func Check(tb testing.TB) {
	tb.Helper()
	if !Checking() {
		tb.Skipf("make check runs this (%s=check)", Variable)
	}
}

// Nightly skips a test that takes too long for make check.
func Nightly(tb testing.TB) {
	tb.Helper()
	if current() != "nightly" {
		tb.Skipf("make nightly runs this (%s=nightly)", Variable)
	}
}

// Short skips a test with -short.
func Short(tb testing.TB) {
	tb.Helper()
	if testing.Short() {
		tb.Skip("-short leaves this out")
	}
}

// Rounds returns how often a test repeats something in the lane.
func Rounds(quick, check, nightly int) int {
	switch current() {
	case "check":
		return check
	case "nightly":
		return nightly
	}
	return quick
}
