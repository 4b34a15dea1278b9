// Package shards says which node of a cluster owns which shard, and tells a node which shards
// it has to begin and to close.
//
//	owners, err := shards.Open(ctx, table, node, shards.Config{Handler: h})
//	owner, err := owners.WaitOwner(ctx, 17) // Where to send what belongs to shard 17.
//	if owners.Owns(17) {
//		// Act for it.
//	}
//	err = owners.Leave(ctx) // Hands all shards over. Then call node.Leave.
//
// A shard is a number from 0 to 1,023. A program keeps something in it, such as all entities whose
// name has this hash. The program implements [Handler]: Acquire begins a
// shard, Release closes one that goes to another node, and Lost says that the node owns it no
// more.
//
// The owner of a shard is what its entry in an [engine.Table] says: a node, and the birth that
// [membership] has given it. The revision of the entry is the fence. It grows with each
// new owner, and after each lapse of a lease. A node owns a shard while the entry names its birth
// and its lease lasts: [Owners.Owns] looks at both and costs some nanoseconds. The file
// shard.go says why there are never two owners, and what may change an entry.
//
//   - The first use of a shard writes its entry, with the host of the placement ([Place]).
//   - When a birth has ended, each of the others takes its own part of the shards by
//     itself. Nothing waits for a coordinator.
//   - One of the nodes is the coordinator. It proposes moves, a few at once, until each shard is where the
//     placement has it. [Owners.Move] proposes one by hand, and the shard then stays there.
//   - A move is made by the owner: it closes the shard, gives it up, and writes the new owner. A
//     Release has a limit. Nobody waits for what hangs longer: it is fenced off.
//   - Without a quorum leases end, and the nodes own nothing. A node that gets its lease again
//     takes its shards again, under new fences.
//
// A check is as good as the clock, and a handler can be stopped after it for longer than a lease. So
// whatever it writes elsewhere should carry the fence, and be refused if a greater one was there.
package shards
