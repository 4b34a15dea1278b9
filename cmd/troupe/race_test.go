//go:build race

package main_test

// raceEnabled says that the race detector looks on.
const raceEnabled = true
