//go:build race

package demo_test

// raceEnabled says that the race detector looks on.
const raceEnabled = true
