//go:build !race

package simtest_test

const raceEnabled = false
