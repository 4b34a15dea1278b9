// Package membership says which nodes of a cluster are alive, and tells a node when it has to
// stop acting as the owner of anything.
//
//	node, err := membership.Join(ctx, table, membership.Config{Name: "a"})
//	for e := range node.Events(ctx) {
//		log.Print(e) // A node has joined, left, or is lost.
//	}
//
// A member is an entry of an [engine.Table]: its key is the name of the node, and the
// revision of its first write is the birth. The entry is a lease. Its owner renews it by
// writes that expect the revision of the write before.
//
// The owner counts the lease from before it sent the renewal that was acknowledged, and stops
// a margin earlier: see [Node.Valid]. Another node ends the lease when it has itself seen the
// entry unchanged for the whole lease, by its own clock, and then by a write that expects
// this revision. A renewal that nobody has seen yet makes that write fail. So no clock of
// another machine is believed, but clocks have to run alike: what they differ by in the
// time of a lease must be below the margin.
//
// The end of a birth is an entry, too, so that a slow node sees why another one has gone.
package membership
