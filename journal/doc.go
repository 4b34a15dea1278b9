// Package journal has event-sourced actors: their state is made from events, and the
// events are on disk before anybody is told.
//
//	func (a *account) Receive(ctx *journal.Context[Command, Event], m Command) error {
//		if err := ctx.Persist(Deposited{m.Amount}); err != nil { // Waits until it is stored, then applies it.
//			return err
//		}
//		return m.Reply.Send(ctx, a.balance)
//	}
//
//	func (a *account) Apply(e Event) { a.balance += e.(Deposited).Amount }
//
// A handler looks at the state, decides, and calls [Context.Persist] with the events
// that follow. Persist returns when they are stored. There is no callback: the handler is
// ordinary code, which suspends meanwhile and holds no worker. The events are then
// applied, by the one method that changes the state, [Behaviour].Apply. When the actor
// begins again, after a crash or elsewhere, Apply is called with all stored events.
//
// The nouns: a [Store] keeps streams of events, one stream for each actor. A [Journal]
// writes to a store, in groups. A [Set] has the types of events that there may be, by
// name and version. A [Kind] makes actors. A [Snapshotter] saves the state from time to
// time, so that fewer events are read.
//
// # What holds
//
//   - What Persist has acknowledged is on disk, in the order of the versions, once.
//   - An actor whose Persist has failed does not go on with a state that may be wrong:
//     its incarnation ends, and the next one reads the store.
//   - Of two actors that write to one stream, the second is refused, by version or by
//     fence, and ends.
//   - No event is skipped. One that is not known, or can't be read, stops the actor, with an
//     error that says stream, version, type and what to do.
//   - A command with an id is done once; see [Context.Once].
//
// # Encodings
//
// An event is stored with its name, the version of its layout, and the name of its
// codec; the default codec is [JSON]. To change an event, add fields; for more than
// that, raise its [Definition.Version] and add an [Upcast]. Package journaltest has
// Golden, which tells when an encoding changes by accident.
//
// # Cost
//
// A lone Persist takes one commit of the store, 0.3 ms on SQLite. Many actors share
// commits, see [Journal].
package journal
