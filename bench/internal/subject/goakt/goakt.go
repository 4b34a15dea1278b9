// Package goakt does the actor workloads with github.com/tochemey/goakt.
package goakt

import (
	"context"
	"errors"
	"strconv"
	"time"

	"github.com/tochemey/goakt/v3/actor"
	"github.com/tochemey/goakt/v3/log"

	"github.com/troupe-go/troupe/bench/internal/savina"
	"github.com/troupe-go/troupe/bench/internal/workload"
	"github.com/troupe-go/troupe/internal/bench/suite"
)

// Subject is GoAkt.
var Subject = suite.Subject{
	Name:     "goakt",
	About:    "goakt v3.7.0, default mailboxes, no logging, long-lived actors (no passivation timers)",
	Families: []suite.Family{suite.Actors},
	Runs: suite.Merge(savinaRuns(), map[string]suite.Func{
		savina.ThreadRing:    func(r *suite.Run) (int64, error) { return passOn(r, r.Size) },
		workload.PingPong:    func(r *suite.Run) (int64, error) { return passOn(r, 2) },
		workload.Tell:        func(r *suite.Run) (int64, error) { return tell(r, 1) },
		workload.Tell4:       func(r *suite.Run) (int64, error) { return tell(r, 4) },
		workload.AskOutside:  askOutside,
		workload.AskInside:   askInside,
		workload.Ring:        func(r *suite.Run) (int64, error) { return passOn(r, r.Size) },
		workload.Spawn:       spawn,
		workload.Stop:        stop,
		workload.Memory:      func(r *suite.Run) (int64, error) { return memory(r, false) },
		workload.MemoryUsed:  func(r *suite.Run) (int64, error) { return memory(r, true) },
		workload.Big:         big,
		workload.UrgentFlood: urgentFlood,
		workload.UrgentBusy:  urgentBusy,
		workload.UrgentEvent: urgentBusy,
	}),
	Notes: map[string]string{
		"":                   "messages are protobuf messages, as it demands; each has a name, an address and an event stream",
		workload.PingPong:    "the message is a pointer that is passed to and fro, which spares an allocation",
		workload.Tell:        "unbounded: a sender is never made to wait",
		workload.Tell4:       "unbounded: a sender is never made to wait",
		workload.AskInside:   "Ask blocks the goroutine of the asking handler",
		workload.Stop:        "PID.Shutdown",
		workload.UrgentFlood: "UnboundedPriorityMailBox, a heap that is not first in, first out",
		workload.UrgentBusy:  "priorities are within one mailbox; there are none between actors",
		workload.UrgentEvent: "priorities are within one mailbox; there are none between actors",
		workload.SpawnNew:    "20,000 had not started after two minutes",
		workload.Memory:      "the system is not stopped afterwards, which takes minutes",
		workload.MemoryUsed:  "the system is not stopped afterwards, which takes minutes",
		savina.Cobweb:        cannotSpawn,
		workload.Skynet:      cannotSpawn,
	},
}

const cannotSpawn = "handlers run in a pool of 300 goroutines, and those that spawn wait for room in it, for ever"

var (
	background = context.Background()
	longLived  = actor.WithLongLived()
)

// receiver is an actor that is just a function. It is a struct because the
// library demands a pointer.
type receiver struct {
	receive func(ctx *actor.ReceiveContext)
}

func (*receiver) PreStart(*actor.Context) error { return nil }

func (r *receiver) Receive(ctx *actor.ReceiveContext) { r.receive(ctx) }

func (*receiver) PostStop(*actor.Context) error { return nil }

func run(do func(sys actor.ActorSystem) (int64, error)) (result int64, err error) {
	return runOnly(func(sys actor.ActorSystem) (result int64, err error) {
		defer func() { err = errors.Join(err, sys.Stop(background)) }()
		return do(sys)
	})
}

// settle is for the system's own actors, which start in the background: a stop
// that comes before that crashes. The library's own benchmarks wait a second.
const settle = 100 * time.Millisecond

// runOnly is run without a stop at the end.
func runOnly(do func(sys actor.ActorSystem) (int64, error)) (int64, error) {
	sys, err := actor.NewActorSystem("bench", actor.WithLogger(log.DiscardLogger), actor.WithActorInitMaxRetries(1))
	if err != nil {
		return 0, err
	}
	if err := sys.Start(background); err != nil {
		return 0, err
	}
	time.Sleep(settle)
	return do(sys)
}

func spawnN(sys actor.ActorSystem, n int, receive func(i int) func(*actor.ReceiveContext)) ([]*actor.PID, error) {
	pids := make([]*actor.PID, n)
	for i := range pids {
		var err error
		if pids[i], err = sys.Spawn(background, name(i), &receiver{receive(i)}, longLived); err != nil {
			return nil, err
		}
	}
	return pids, nil
}

func name(i int) string { return "actor-" + strconv.Itoa(i) }

func total(counts []int64) (sum int64) {
	for _, c := range counts {
		sum += c
	}
	return sum
}
