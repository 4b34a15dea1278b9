// Package inspect is a window into a running system: it shows what is slow, why, and which
// actor waits for which.
//
//	insp, err := inspect.New(sys, inspect.Config{})
//	defer insp.Close()
//
//	page, err := insp.Actors(inspect.Query{Sort: inspect.ByMailbox})
//	for e := range insp.Subscribe(inspect.Subscription{}).All(ctx) {
//		log.Println(e)
//	}
//
// An [Inspector] belongs to one [actor.System]. It takes snapshots: of actors, by name,
// kind and state, sorted and page by page; of one actor, with what its handler is stuck in
// and its last errors; of the tree, the links, the workers, jobs, strands, tasks, timers,
// names and dead letters. It counts, by kind of actor. And it tells of events: actors that
// fail, handlers that are slow or stuck, work that starves, mailboxes that fill up.
// [Inspector.Record] keeps the last events of each worker, so that one can see afterwards
// what led to a failure.
//
// The types of this package are made to be written as JSON: names are in snake
// case and have their unit in them, durations are in seconds, PIDs are texts
// such as "12.1".
//
// # What it costs
//
// Nothing is stopped. A snapshot of an actor takes its mailbox's lock for less than a
// microsecond, and no lock is held over more than 1,000 entries, so 100,000 actors take
// some 15 ms of one processor, which others may have every 40 us. Counting and watching
// cost a few ns for a message, and some 300 bytes for an actor of which one was measured.
// [Config] says how to do without. The system never waits for an observer. An observer that
// does not take its events in time loses the oldest, and learns how many.
//
// Only the type of a message is shown, not its contents, unless the type has a method
// Inspect; see [Shown].
package inspect
