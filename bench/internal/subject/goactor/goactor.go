// Package goactor does the actor workloads with
// github.com/vladopajic/go-actor.
package goactor

import (
	"github.com/vladopajic/go-actor/actor"

	"github.com/troupe-go/troupe/bench/internal/savina"
	"github.com/troupe-go/troupe/bench/internal/subject/library"
	"github.com/troupe-go/troupe/bench/internal/workload"
	"github.com/troupe-go/troupe/internal/bench/suite"
)

// Subject is go-actor.
var Subject = suite.Subject{
	Name:     "go-actor",
	About:    "go-actor v0.9.0, mailboxes as channels (OptAsChan), its fastest",
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
		"":                   "an actor is a goroutine and a mailbox a channel of 1,024; its default mailbox has a goroutine more",
		workload.AskOutside:  "it has no ask: the message carries a channel for the answer",
		workload.AskInside:   "it has no ask: the message carries a channel for the answer",
		workload.Spawn:       "mailboxes of 1",
		workload.SpawnNew:    "mailboxes of 1",
		workload.Stop:        "Actor.Stop, which also closes the mailbox",
		workload.Memory:      "mailboxes of 1",
		workload.MemoryUsed:  "mailboxes of 1",
		workload.Skynet:      "a mailbox of 10 for each inner node; actors end after their answer",
		workload.UrgentFlood: "a second mailbox, looked at before the first",
		workload.UrgentBusy:  "the Go scheduler hands the processor from the sender straight to the receiver",
	},
}

var background = actor.ContextStarted()

// member is an actor with its mailbox.
type member[M any] struct {
	actor.Mailbox[M]
	self actor.Actor
}

// start returns a running actor that calls receive for each message.
func start[M any](capacity int, receive func(ctx actor.Context, m M), opts ...actor.Option) member[M] {
	mailbox := actor.NewMailbox[M](actor.OptAsChan(), actor.OptCapacity(capacity))
	self := actor.New(actor.NewWorker(func(ctx actor.Context) actor.WorkerStatus {
		select {
		case <-ctx.Done():
			return actor.WorkerEnd
		case m, ok := <-mailbox.ReceiveC():
			if !ok {
				return actor.WorkerEnd
			}
			receive(ctx, m)
			return actor.WorkerContinue
		}
	}), opts...)
	mailbox.Start()
	self.Start()
	return member[M]{mailbox, self}
}

// end stops the actor and then its mailbox.
func (m member[M]) end() {
	m.self.Stop()
	m.Stop()
}

func endAll[M any](members []member[M]) {
	for _, m := range members {
		m.end()
	}
}

func total(counts []int64) (sum int64) {
	for _, c := range counts {
		sum += c
	}
	return sum
}
