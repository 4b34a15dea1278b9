// Package prefetch has the processor fetch memory into its caches before it is used.
//
// A program that goes from one record to the next, each of which is nowhere but in
// memory, waits some 100 ns for each line of the cache. If it says some time before
// what comes next, the processor fetches many lines at the same time.
//
// To fetch ahead is a hint: nothing is read, so an address may be of anything, also
// of nothing, of memory that others write, and of memory that is used for something
// else by now. On architectures for which the instruction is not written here, all
// hints are lost.
package prefetch

// Line is how much a cache fetches at once: 64 bytes on amd64 and most arm64.
const Line = 64
