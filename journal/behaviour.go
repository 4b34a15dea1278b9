package journal

import (
	"github.com/troupe-go/troupe/actor"
)

// Behaviour is the value of an event-sourced actor, for one incarnation. M is the type
// of its messages and E of its events.
//
// It may also be a [Starter] and a [Stopper]. The other hooks of package actor, such as
// [actor.Parent], take a Context that can't persist; an incarnation whose value has one
// of them ends with an error.
type Behaviour[M, E any] interface {
	// Receive handles a message. It looks at the state, decides, and calls
	// [Context.Persist]. It must not change the state itself.
	Receive(ctx *Context[M, E], m M) error
	// Apply changes the state as the event says. It is called by Persist, and for each
	// stored event when an incarnation begins. It can't refuse: what was stored has
	// happened. A panic in it ends the incarnation, and the next one comes to the same
	// event.
	Apply(event E)
}

// Starter is implemented by a Behaviour that does something when its state has been
// read, and before the first message.
type Starter[M, E any] interface {
	Started(ctx *Context[M, E]) error
}

// Stopper is implemented by a Behaviour that does something at the end of an
// incarnation; see [actor.Stopper].
type Stopper[M, E any] interface {
	Stopped(ctx *Context[M, E], reason error)
}

// Self is what a Behaviour knows of itself from its birth on, also in Apply.
type Self struct {
	id, stream string
	version    uint64
	replaying  bool
}

// ID returns the id that was given to For.
func (s *Self) ID() string { return s.id }

// Stream returns the name of the actor's stream.
func (s *Self) Stream() string { return s.stream }

// Version returns how many events the stream has. In Apply, the event is counted.
func (s *Self) Version() uint64 { return s.version }

// Replaying reports whether Apply is called for an event that was stored before this
// incarnation began: then what the event has caused outside has been caused already.
func (s *Self) Replaying() bool { return s.replaying }

// Config says how the actors of one kind are.
type Config[M, E any] struct {
	// Journal stores the events. It is required, and shared by all kinds with the same
	// store.
	Journal *Journal
	// Events has all events of the kind. It is required.
	Events *Set[E]
	// New makes the value for an incarnation, in its state before the first event. It
	// is required.
	New func(self *Self) Behaviour[M, E]
	// Stream is put before the id, to make the name of the actor's stream: such as
	// "account/". Defaults to nothing.
	Stream string
	// Fence returns the fence for an incarnation that begins: a number that rises with
	// each owner of the stream, such as the number of a lease. From then on the store
	// refuses the writes of lower ones. Defaults to nil, which is no fence: then two
	// owners notice each other by a ConflictError.
	Fence func(id string) (uint64, error)
	// Snapshots says how the state is stored, see SnapshotOf. Defaults to no snapshots.
	Snapshots Snapshots
	// SnapshotEvery is how many events there are between two snapshots. Defaults to
	// 100 if there are Snapshots. It must not be negative.
	SnapshotEvery int
	// OnSnapshotError is called when a snapshot could not be taken or stored. That
	// loses nothing: the next incarnation reads more events. It is called in the
	// actor and must not wait. Defaults to nil.
	OnSnapshotError func(stream string, err error)
}

// Kind makes actors of one kind. It is safe for concurrent use.
type Kind[M, E any] struct{ cfg Config[M, E] }

// defaultEvery is the distance of snapshots: a hundred events are read in about 0.1 ms.
const defaultEvery = 100

// Actor returns the kind of actors that the configuration describes, or an error that
// says what is wrong with it.
func Actor[M, E any](cfg Config[M, E]) (*Kind[M, E], error) {
	if err := cfg.check(); err != nil {
		return nil, err
	}
	if cfg.SnapshotEvery == 0 {
		cfg.SnapshotEvery = defaultEvery
	}
	return &Kind[M, E]{cfg}, nil
}

// Stream returns the name of the stream of the actor with the id.
func (k *Kind[M, E]) Stream(id string) string { return k.cfg.Stream + id }

// For returns what actor.SpawnNew, or a supervise.Child, needs to make the actor with
// the id. Two actors with one id, wherever they are, are kept apart by the store: one of
// them gets a [*ConflictError], begins again, and finds what the other has stored.
//
// The actor must not be reentrant, see [actor.WithReentrancy], nor have readers.
func (k *Kind[M, E]) For(id string) func() actor.Actor[M] {
	return func() actor.Actor[M] {
		self := &Self{id: id, stream: k.Stream(id)}
		return &incarnation[M, E]{cfg: &k.cfg, self: self, value: k.cfg.New(self)}
	}
}
