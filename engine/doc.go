// Package engine has the interfaces of a distributed engine: what the packages for several
// nodes need of one, and no more.
//
//	revision, err := table.Put(ctx, "leader", []byte("node-a"), engine.Absent, 15*time.Second)
//	var conflict *engine.ConflictError
//	if errors.As(err, &conflict) {
//		// Another node leads, since the revision conflict.Actual.
//	}
//
// A [Bus] carries frames between nodes. A [Table] holds values by key, and decides which of
// several writers wins. A [Log] keeps records in order, and a [Group] of a log delivers each
// until it is acknowledged. An [Engine] has all three.
//
// Programs open an engine and give it to a cluster. Package memory has one for tests and
// simulations, package jet one on NATS, and package enginetest the tests that each of them
// passes.
package engine
