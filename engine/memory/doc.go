// Package memory has an engine for nodes in one process: for tests, simulations and trials.
// A [Network] joins named nodes, each with a [Bus], and does to their frames what a real
// network may do. A [Store] has the tables and logs of all of them.
//
//	network, err := memory.NewNetwork(memory.Faults{Loss: 0.1, Delay: time.Millisecond})
//	store := memory.NewStore()
//	a := store.Engine("a", network.Bus("a"))
//	b := store.Engine("b", network.Bus("b"))
//	...
//	network.Cut("a", "b") // Later: network.Heal("a", "b").
//	network.Close()
//
// A Store fails on order: [Store.Inject] delays, refuses or forgets single writes,
// [Store.Lead] takes the leader away, and [Store.Crash] loses what was not synced.
//
// In a simulation of package simtest the seed of the schedule chooses which frames suffer,
// and delays pass in virtual time; the network is then made in the body. Elsewhere a
// generator of random numbers does; [Network.Seed] sets its seed.
//
// All queues of a network are bounded. Everything is safe for concurrent use.
package memory
