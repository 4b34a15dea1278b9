//go:build race || invariants

package stream_test

const liveRace = true
