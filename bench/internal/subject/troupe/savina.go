package troupe

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
	savina.Dictionary:     "clients ask; others send messages to and fro",
	savina.Philosophers:   "philosophers ask; others send messages to and fro",
	savina.SleepingBarber: "customers ask, and the barber answers; others send messages to and fro",
	savina.Bank:           "an account asks the other one to credit itself",
}
