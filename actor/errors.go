package actor

import (
	"context"
	"errors"

	"github.com/troupe-go/troupe/internal/workers"
	"github.com/troupe-go/troupe/sched"
)

var (
	// ErrStopped is returned when a message is sent to an actor that has stopped
	// or no longer accepts messages. The message goes to the dead letters. As returned by
	// a send or an ask, it is wrapped by an error that names the reason, and the one of the
	// supervisor that has given up, if there are any; it keeps the actor's memory.
	// Compare ErrSystemStopped, which is about the whole system.
	ErrStopped = errors.New("actor: the actor has stopped")

	// ErrSystemStopped is returned when an actor is to be spawned in a system
	// that is stopping or has stopped. A message to one of its actors gets
	// ErrStopped.
	ErrSystemStopped = errors.New("actor: the system has stopped")

	// ErrFull is returned by TrySend when the lane holds as many messages as it
	// may, or others wait already to send. Send returns it only where waiting
	// could never end, because the sender is the one who would have to make room. As
	// returned, it is wrapped by an error that says whose lane it is.
	ErrFull = errors.New("actor: the lane is full")

	// ErrOverflow is the reason of dead letters that a full lane has dropped, see
	// WithBuffer. ErrFull is about a message that was not accepted.
	ErrOverflow = errors.New("actor: dropped, since the lane was full")

	// ErrMailboxLimit is the reason of dead letters that were dropped since the
	// messages that wait would have exceeded the limit of WithMailboxLimit, and of
	// incarnations that ended by it. ErrOverflow is about one lane.
	ErrMailboxLimit = errors.New("actor: the mailbox limit is exceeded")

	// ErrNoRef is returned when the zero Ref is used, which leads to no actor.
	ErrNoRef = errors.New("actor: the ref is zero; a valid one comes from Spawn or Self")

	// ErrNoSystem is returned when a nil System is used, or one that NewSystem has
	// not made. ErrSystemStopped is about one that was at work.
	ErrNoSystem = errors.New("actor: the System is nil or zero; a valid one comes from NewSystem")

	// ErrNoReply is returned by Ask when no reply will come: the message was
	// dropped, or its handler failed before it replied. The error also wraps
	// the reason. An ask whose context ends first returns the cause of that.
	ErrNoReply = errors.New("actor: no reply will come")

	// ErrAskTimeout is returned by an ask whose context has no deadline when there is no
	// answer within Config.AskTimeout. The error says whom was asked, by a message of which
	// type, and whether the handler has returned without a reply. It wraps
	// [context.DeadlineExceeded], so that code which retries or gives up by that need not
	// know of it; an ask whose context's own deadline has passed does not wrap ErrAskTimeout.
	// ErrNoReply is about an answer that can't come.
	ErrAskTimeout error = askTimeout{}

	// ErrGhostLimit is the reason of an incarnation that could not begin, since the
	// handler of an earlier one was killed and has not returned, and more of these are
	// left in the system than Config.MaxGhosts. As a reason, it is wrapped by an error
	// that says how many.
	ErrGhostLimit = errors.New("actor: too many killed handlers have not returned")

	// ErrReplied is returned when a reply is sent that was sent before. As returned, it and
	// ErrLateReply are wrapped by an error that says which actor has replied, if one has.
	ErrReplied = errors.New("actor: a reply was sent already")

	// ErrLateReply is returned when a reply is sent after the asker has left,
	// mostly because its context has ended. Such replies are counted. A handler
	// that returns it has not failed: the impatience of others is not its fault.
	ErrLateReply = errors.New("actor: the asker no longer waits for the reply")

	// ErrNotNeeded is the error of an ask that [AskQuorum] has not waited for, since
	// others were enough, or could not be enough any more.
	ErrNotNeeded = errors.New("actor: the answer is not needed any more")

	// ErrCycle is returned where a handler would wait for ever, because actors wait
	// for each other in a ring. The error is a [*CycleError], which has the ring.
	ErrCycle = errors.New("actor: a ring of actors that wait for each other")

	// ErrAskCycle is ErrCycle by its first name: the ring may have waits of all
	// kinds.
	ErrAskCycle = ErrCycle

	// ErrWouldDeadlock is returned by Stop, StopWithin and Drain, of an actor or its
	// system, in a handler that would wait for its own end, whatever the context.
	// The stop is under way all the same.
	ErrWouldDeadlock = errors.New("actor: the stop waits for the handler that called it")

	// ErrUnbound is returned when a ref or a reply is used that was decoded and is not bound
	// to a system yet. The carrier of messages between nodes binds them. ErrNoRef is about the zero Ref.
	ErrUnbound = errors.New("actor: it was decoded, and is not bound to a system")

	// ErrElsewhere is returned for what only the system of an actor can do, when the actor is on
	// another node. Sends, asks, stops and monitors work from anywhere.
	ErrElsewhere = errors.New("actor: the actor is on another node, and this works only there; have an actor of that node do it")

	// ErrStalePID is returned when a PID belongs to an actor that has stopped,
	// even if its slot in the process table is in use again, or to an actor of
	// another system.
	ErrStalePID = errors.New("actor: no actor has this pid any more")

	// ErrNotChild is returned when an actor decides about another that is not
	// its child.
	ErrNotChild = errors.New("actor: not a child of this actor")

	// ErrNameTaken is returned when an actor is to be registered under a name that
	// another one has. The error names that one.
	ErrNameTaken = errors.New("actor: the name is taken")

	// ErrNoName is returned when no actor is registered under a name, or the one
	// that was has stopped.
	ErrNoName = errors.New("actor: no actor has this name")

	// ErrUnhandled is returned by a handler that does not know what to do with a
	// message. It ends nothing: the message is counted, and goes to the dead
	// letters. See also FirstOf.
	ErrUnhandled = errors.New("actor: the message is not handled")

	// ErrNotInHandler is returned by methods of a Context that change what its
	// actor does next, if they are not called by the actor's own handler.
	ErrNotInHandler = errors.New("actor: not called by the handler of the actor")

	// ErrReadOnly is returned by methods of a Context that change what its actor does
	// next, if they are called by the handler of a message that only reads; see
	// WithReadOnly.
	ErrReadOnly = errors.New("actor: the message is one that only reads")

	// ErrNoBehaviour is returned by Unbecome if the actor has not become anything.
	ErrNoBehaviour = errors.New("actor: there is no behaviour to go back to")

	// ErrStashFull is returned when as many messages are stashed as may be. A
	// receive of a [Process] returns it when that keeps more messages than
	// [WithStash] allows, since none of them matches; nothing is lost by it, and the
	// next receive goes on with all of them.
	ErrStashFull = errors.New("actor: the stash is full")

	// ErrNoMessage is returned by [Process.ReceiveWithin] when no message that
	// matches has come in time. The end of a context is told by its cause.
	ErrNoMessage = errors.New("actor: no message has come in time")

	// ErrGoexit is the reason of an actor whose handler or hook called runtime.Goexit. It
	// wraps [sched.ErrGoexit], which is the end of a job that did so, a task's say.
	ErrGoexit error = goexit{}

	// ErrKilled is the reason of an actor that was killed, and the cause of its
	// handler's context. An actor that was asked to stop has no reason, even if
	// the stop was forced.
	ErrKilled = errors.New("actor: the actor was killed")

	// ErrFenced is returned when something is done by the Context of an
	// incarnation that was killed or replaced by a restart. Nothing has happened
	// then. ErrStopped is about the actor at the other end.
	ErrFenced = errors.New("actor: the incarnation that does this was killed or replaced")

	// ErrDropped is the reason of dead letters whose receiver was restarted without
	// the messages that it had. Dead letters of an actor that has stopped have ErrStopped.
	ErrDropped = errors.New("actor: the messages were dropped by a restart")

	// ErrForced is the cause of a handler's context that ended because a stop
	// would not wait any longer.
	ErrForced = errors.New("actor: the stop was forced")
)

// PanicError is the reason of an actor whose handler panicked.
type PanicError = sched.PanicError

type goexit struct{}

func (goexit) Error() string { return "actor: the actor's code called runtime.Goexit" }
func (goexit) Unwrap() error { return workers.ErrGoexit }

type askTimeout struct{}

func (askTimeout) Error() string { return "actor: no answer in time" }
func (askTimeout) Unwrap() error { return context.DeadlineExceeded }
