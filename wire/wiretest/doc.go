// Package wiretest has what tests of actors on several nodes need: a carrier in memory, which joins two systems of one
// process, and the tests that every carrier has to pass.
//
//	link := wiretest.Join(t, registry, sysA, sysB)
//	there := wiretest.Move(t, link.Nodes(), 1, ref) // A ref of sysA, for use in sysB.
//	err := there.Send(ctx, m)                       // M is encoded, and decoded in sysA.
//
// A carrier of one's own is tested by [Run], with a function that joins two systems by it.
package wiretest
