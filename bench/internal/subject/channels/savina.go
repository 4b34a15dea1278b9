package channels

import (
	"github.com/troupe-go/troupe/bench/internal/savina"
	"github.com/troupe-go/troupe/internal/bench/suite"
)

var savinaRuns = map[string]suite.Func{
	savina.Counting:       counting,
	savina.Throughput:     throughput,
	savina.Creation:       creation,
	savina.ThreadRing:     ring,
	savina.Chameneos:      chameneos,
	savina.Dictionary:     dictionary,
	savina.BoundedBuffer:  boundedBuffer,
	savina.Philosophers:   philosophers,
	savina.SleepingBarber: sleepingBarber,
	savina.Bank:           bank,
	savina.RadixSort:      radixSort,
	savina.Sieve:          sieve,
	savina.Cobweb:         cobweb,
	savina.Queens:         queens,
	savina.MatrixProduct:  matrixProduct,
	savina.FilterBank:     filterBank,
	savina.AStar:          aStar,
	savina.CountingAll:    countingAll,
}

var savinaNotes = map[string]string{
	savina.MatrixProduct:  "goroutines with mailboxes of a mutex and a slice, in place of channels",
	savina.FilterBank:     "goroutines with mailboxes of a mutex and a slice, in place of channels",
	savina.AStar:          "goroutines with mailboxes of a mutex and a slice, in place of channels",
	savina.CountingAll:    "goroutines with mailboxes of a mutex and a slice, in place of channels",
	savina.BoundedBuffer:  "the buffer is a channel of 50",
	savina.SleepingBarber: "the chairs are a channel; a customer that finds it full calls runtime.Gosched and tries again",
}
