package savina

import "github.com/troupe-go/troupe/internal/bench/suite"

// Workloads are all of them, in the order of the suite.
var Workloads = []*suite.Workload{
	&counting, &throughput, &creation, &threadRing, &chameneos, &dictionary, &boundedBuffer,
	&philosophers, &sleepingBarber, &bank, &radixSort, &sieve, &cobweb, &queens, &matrix, &filterBank, &aStar, &countingAll,
}
