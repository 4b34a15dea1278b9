//go:build race

package simtest_test

// raceEnabled says that the race detector looks on.
const raceEnabled = true
