// Package protoactor does the actor workloads with
// github.com/asynkron/protoactor-go.
package protoactor

import (
	"io"
	"log/slog"

	"github.com/asynkron/protoactor-go/actor"

	"github.com/troupe-go/troupe/bench/internal/beside"
	"github.com/troupe-go/troupe/bench/internal/savina"
	"github.com/troupe-go/troupe/bench/internal/subject/library"
	"github.com/troupe-go/troupe/bench/internal/workload"
	"github.com/troupe-go/troupe/internal/bench/suite"
)

// Subject is protoactor-go.
var Subject = suite.Subject{
	Name:     "protoactor",
	About:    "protoactor-go v0.0.0-20240822202345-3c0e61ca19c9, default dispatcher and unbounded mailboxes",
	Families: []suite.Family{suite.Actors},
	Runs: suite.Merge(library.Runs(host), map[string]suite.Func{
		savina.ThreadRing:    ring,
		workload.PingPong:    pingPong,
		workload.Tell:        func(r *suite.Run) (int64, error) { return tell(r, 1) },
		workload.Tell4:       func(r *suite.Run) (int64, error) { return tell(r, 4) },
		workload.AskOutside:  askOutside,
		workload.AskInside:   askInside,
		workload.Ring:        ring,
		workload.Spawn:       spawn,
		workload.SpawnNew:    spawn,
		workload.Stop:        stop,
		workload.Memory:      func(r *suite.Run) (int64, error) { return memory(r, false) },
		workload.MemoryUsed:  func(r *suite.Run) (int64, error) { return memory(r, true) },
		workload.Big:         big,
		workload.Skynet:      skynet,
		workload.UrgentFlood: urgentFlood,
		workload.UrgentBusy:  urgentBusy,
		workload.UrgentEvent: urgentBusy,
		beside.Flood:         besideTicks,
		beside.Ticks:         besideTicks,
		beside.Halt:          besideHalt,
		beside.HTTP:          besideHTTP,
	}),
	Notes: map[string]string{
		workload.PingPong:    "the message is a pointer that is passed to and fro, which spares an allocation",
		workload.Tell:        "unbounded: a sender is never made to wait",
		workload.Tell4:       "unbounded: a sender is never made to wait",
		workload.AskInside:   "RequestFuture and Result block the goroutine of the asking handler",
		workload.UrgentFlood: "UnboundedPriorityMpsc, and a message with the highest priority",
		workload.UrgentBusy:  "priorities are within one mailbox; there are none between actors",
		workload.UrgentEvent: "priorities are within one mailbox; there are none between actors",
		beside.Flood:         "UnboundedPriorityMpsc, as in urgent-flood",
		beside.Ticks:         "UnboundedPriorityMpsc, as in urgent-flood",
		workload.Stop:        "StopFuture and Wait",
	},
}

func run(do func(sys *actor.ActorSystem) (int64, error)) (int64, error) {
	quiet := func(*actor.ActorSystem) *slog.Logger { return slog.New(slog.NewTextHandler(io.Discard, nil)) }
	sys := actor.NewActorSystemWithConfig(actor.Configure(actor.WithLoggerFactory(quiet)))
	defer sys.Shutdown()
	return do(sys)
}

func spawnN(sys *actor.ActorSystem, n int, receive func(i int) actor.ReceiveFunc) []*actor.PID {
	pids := make([]*actor.PID, n)
	for i := range pids {
		pids[i] = sys.Root.Spawn(actor.PropsFromFunc(receive(i)))
	}
	return pids
}

func total(counts []int64) (sum int64) {
	for _, c := range counts {
		sum += c
	}
	return sum
}
