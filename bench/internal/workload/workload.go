// Package workload has the workloads that are actors. It also has the drivers of
// latency workloads, which their subjects share. The workloads that are jobs are in internal/bench/jobs of the root module, where the command troupe
// has them too.
package workload

import (
	"slices"

	"github.com/troupe-go/troupe/bench/internal/beside"
	"github.com/troupe-go/troupe/bench/internal/savina"
	"github.com/troupe-go/troupe/internal/bench/jobs"
	"github.com/troupe-go/troupe/internal/bench/suite"
)

// All are the workloads in the order in which they are reported.
var All = slices.Concat([]*suite.Workload{
	&pingPong, &tell, &tell4, &askOutside, &askInside, &ring, &spawn, &spawnNew, &stop, &memory, &memoryUsed, &memoryStrand,
	&big, &skynet, &urgentFlood, &urgentBusy, &urgentEvent, &pool, &poolOne, &check, &checkCall,
}, beside.Workloads, savina.Workloads, jobs.All)

// channels is the name of the baseline.
const channels = "channels"

// The names of the subjects that have targets, or that targets refer to.
const (
	troupe    = "troupe"
	libtroupe = "libtroupe"
	erlang    = "erlang"
)
