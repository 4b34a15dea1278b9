package workload

import (
	"time"

	"github.com/troupe-go/troupe/internal/bench/suite"
)

// The names of the workloads whose figure is the price of a message.
const (
	PingPong   = "ping-pong"
	Tell       = "tell"
	Tell4      = "tell4"
	AskOutside = "ask-outside"
	AskInside  = "ask-inside"
	Ring       = "ring"
	Big        = "big"
)

// Timeout is what asks are given where a library wants to be told.
const Timeout = 30 * time.Second

func sum(n, _ int) int64 { return int64(n) * int64(n-1) / 2 }

func sumOfSuccessors(n, _ int) int64 { return int64(n) * int64(n+1) / 2 }

var pingPong = suite.Workload{
	Name: PingPong, Family: suite.Actors, Baseline: channels, Unit: "ns/message", TinyN: 100,
	About: "two actors bounce one message; the result is what both have handled",
	Targets: []suite.Target{
		{Subject: troupe, Row: PingPong, Of: suite.RatioToBaseline, AtMost: 0.4},
		{Subject: troupe, Row: PingPong, Of: suite.Allocs, AtMost: 0.01},
		{Subject: libtroupe, Row: PingPong, To: erlang, AtMost: 1},
	},
}

var tell = suite.Workload{
	Name: Tell, Family: suite.Actors, Baseline: channels, Unit: "ns/message", TinyN: 100, Want: sum,
	About: "a goroutine sends 0, 1, 2, ... to an actor, which adds them up",
	Targets: []suite.Target{
		{Subject: troupe, Row: Tell, Of: suite.RatioToBaseline, AtMost: 0.5},
		{Subject: troupe, Row: Tell, Of: suite.Allocs, AtMost: 0.01},
		{Subject: libtroupe, Row: Tell, To: erlang, AtMost: 1},
	},
}

var tell4 = suite.Workload{
	Name: Tell4, Family: suite.Actors, Baseline: channels, Unit: "ns/message", Step: 4, TinyN: 100, Want: sum,
	About: "four goroutines send to one actor, which adds up",
	Targets: []suite.Target{
		{Subject: troupe, Row: Tell4, Of: suite.RatioToBaseline, AtMost: 0.75},
		{Subject: troupe, Row: Tell4, Of: suite.Allocs, AtMost: 0.01},
		{Subject: libtroupe, Row: Tell4, To: erlang, AtMost: 1},
	},
}

var askOutside = suite.Workload{
	Name: AskOutside, Family: suite.Actors, Baseline: channels, Unit: "ns/ask", TinyN: 100, Want: sumOfSuccessors,
	About: "a goroutine asks an actor for the successor of a number, and waits for the answer",
	Targets: []suite.Target{
		{Subject: troupe, Row: AskOutside, Of: suite.RatioToBaseline, AtMost: 0.75},
		{Subject: troupe, Row: AskOutside, Of: suite.Allocs, AtMost: 0.01},
	},
}

var askInside = suite.Workload{
	Name: AskInside, Family: suite.Actors, Baseline: channels, Unit: "ns/ask", TinyN: 100, Want: sumOfSuccessors,
	About: "the same, asked by a handler of another actor",
	Targets: []suite.Target{
		{Subject: troupe, Row: AskInside, Of: suite.RatioToBaseline, AtMost: 0.7},
		{Subject: troupe, Row: AskInside, Of: suite.Allocs, AtMost: 0.01},
	},
}

var ring = suite.Workload{
	Name: Ring, Family: suite.Actors, Baseline: channels, Unit: "ns/hop", Size: 1000, TinySize: 10, Step: 1000,
	About: "1,000 actors in a ring pass one message on; the result is what all have handled",
	Targets: []suite.Target{
		{Subject: troupe, Row: Ring, Of: suite.RatioToBaseline, AtMost: 0.4},
		{Subject: troupe, Row: Ring, Of: suite.Allocs, AtMost: 0.01},
		{Subject: libtroupe, Row: Ring, To: erlang, AtMost: 1},
	},
}

// BigOutstanding is how many messages at most wait for an actor of the workload
// big: a ping from each other one and the pong that it waits for.
const BigOutstanding = 128

var big = suite.Workload{
	Name: Big, Family: suite.Actors, Baseline: channels, Unit: "ns/message", Size: 120, TinySize: 12, Step: 240,
	About: "120 actors each send a ping to a random other, and the next when its pong comes (Savina); " +
		"the result is twice the pongs",
	Targets: []suite.Target{
		{Subject: troupe, Row: Big, Of: suite.RatioToBaseline, AtMost: 0.5},
		{Subject: troupe, Row: Big, Of: suite.Allocs, AtMost: 0.01},
	},
}
