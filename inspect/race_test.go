//go:build race

package inspect_test

// raceEnabled says that the race detector looks on, for which 8,128 goroutines are
// too many.
const raceEnabled = true
