// Package savina has the workloads of the Savina suite of actor benchmarks
// (S. Imam, V. Sarkar: Savina, an actor benchmark suite, AGERE 2014): what is to
// be done, the part of it that has nothing to do with actors, and what the right
// result is. Its workload big is in package workload, where it was first.
//
// Savina is for the JVM, and some of its programs send as much as they can at
// once, which bounded mailboxes don't allow. Where a program here differs, its
// About or a comment says how.
package savina

import "math/rand/v2"

// The names of the workloads.
const (
	Counting       = "counting"
	Throughput     = "fork-join-throughput"
	Creation       = "fork-join-creation"
	ThreadRing     = "thread-ring"
	Chameneos      = "chameneos"
	Dictionary     = "dictionary"
	BoundedBuffer  = "bounded-buffer"
	Philosophers   = "philosophers"
	SleepingBarber = "sleeping-barber"
	Bank           = "bank"
	RadixSort      = "radix-sort"
	Sieve          = "sieve"
	Cobweb         = "cobweb"
	Queens         = "queens"
	MatrixProduct  = "matrix-product"
	FilterBank     = "filter-bank"
	AStar          = "a-star"
	CountingAll    = "counting-unbounded"
)

// channels is the name of the baseline.
const channels = "channels"

// random returns the numbers of one participant, the same in every run.
func random(i int) *rand.Rand { return rand.New(rand.NewPCG(uint64(i), 2014)) }
