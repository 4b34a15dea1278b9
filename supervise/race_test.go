//go:build race

package supervise_test

// raceEnabled says that the race detector looks on.
const raceEnabled = true
