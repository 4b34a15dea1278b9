// Package hollywood does the actor workloads with github.com/anthdm/hollywood.
package hollywood

import (
	"io"
	"log/slog"

	"github.com/anthdm/hollywood/actor"

	"github.com/troupe-go/troupe/bench/internal/savina"
	"github.com/troupe-go/troupe/bench/internal/subject/library"
	"github.com/troupe-go/troupe/bench/internal/workload"
	"github.com/troupe-go/troupe/internal/bench/suite"
)

// Subject is Hollywood.
var Subject = suite.Subject{
	Name:     "hollywood",
	About:    "hollywood v1.0.5, default engine and inboxes (1,024, growing)",
	Families: []suite.Family{suite.Actors},
	Runs: suite.Merge(library.Runs(host), map[string]suite.Func{
		savina.ThreadRing:    func(r *suite.Run) (int64, error) { return passOn(r, r.Size) },
		workload.PingPong:    func(r *suite.Run) (int64, error) { return passOn(r, 2) },
		workload.Tell:        func(r *suite.Run) (int64, error) { return tell(r, 1) },
		workload.Tell4:       func(r *suite.Run) (int64, error) { return tell(r, 4) },
		workload.AskOutside:  askOutside,
		workload.AskInside:   askInside,
		workload.Ring:        func(r *suite.Run) (int64, error) { return passOn(r, r.Size) },
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
	}),
	Notes: map[string]string{
		workload.PingPong:    "the message is a pointer that is passed to and fro, which spares an allocation",
		workload.Tell:        "unbounded: a sender is never made to wait",
		workload.Tell4:       "unbounded: a sender is never made to wait",
		workload.AskInside:   "Request and Result block the goroutine of the asking handler",
		workload.Spawn:       "inboxes of 16 (actor.WithInboxSize), which suit many small actors",
		workload.SpawnNew:    "inboxes of 16 (actor.WithInboxSize), which suit many small actors",
		workload.Stop:        "Engine.Stop and its context",
		workload.Memory:      "inboxes of 16 (actor.WithInboxSize); with the default of 1,024 it is 33 KB more",
		workload.MemoryUsed:  "inboxes of 16 (actor.WithInboxSize); with the default of 1,024 it is 33 KB more",
		workload.Skynet:      "inboxes of 16 (actor.WithInboxSize); its actors are stopped after the measured time",
		workload.UrgentFlood: "no priorities: the urgent message waits for those before it",
		workload.UrgentBusy:  "no priorities",
		workload.UrgentEvent: "no priorities",
	},
}

// smallInbox suits actors of which there are many.
var smallInbox = actor.WithInboxSize(16)

func run(do func(e *actor.Engine) (int64, error)) (int64, error) {
	slog.SetDefault(slog.New(slog.NewTextHandler(io.Discard, &slog.HandlerOptions{Level: slog.LevelError})))
	e, err := actor.NewEngine(actor.NewEngineConfig())
	if err != nil {
		return 0, err
	}
	return do(e)
}

func spawnN(e *actor.Engine, n int, receive func(i int) func(*actor.Context)) []*actor.PID {
	pids := make([]*actor.PID, n)
	for i := range pids {
		pids[i] = e.SpawnFunc(receive(i), "actor")
	}
	return pids
}

func stopAll(e *actor.Engine, pids []*actor.PID) {
	for _, pid := range pids {
		<-e.Stop(pid).Done()
	}
}

func total(counts []int64) (sum int64) {
	for _, c := range counts {
		sum += c
	}
	return sum
}
