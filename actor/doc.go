// Package actor has typed actors: values that own their state, handle one
// message at a time, and are reached by refs alone.
//
// A [System] holds actors. [Spawn] starts one, from any value with a Receive
// method, and returns its [Ref]. Ref.Send puts a message into one of the
// actor's three lanes; [Ask] sends one that carries a [Reply] and waits for the
// answer. The type of an actor's messages is part of its ref, so a wrong
// message does not compile, and messages travel by value.
//
//	type greet struct {
//		name  string
//		reply actor.Reply[string]
//	}
//
//	hello, err := actor.Spawn(sys, actor.Func(func(ctx *actor.Context[greet], m greet) error {
//		return m.reply.Send(ctx, "hello, "+m.name)
//	}))
//	s, err := actor.Ask(ctx, hello, func(r actor.Reply[string]) greet { return greet{"gopher", r} })
//
// # Order and urgency
//
// Messages from one sender to one actor on one lane are handled in the order
// in which they were sent. Moreover, order is causal: if a message was sent before
// anything that led to another one, by whichever way and whoever has sent that,
// then an actor that gets both on one lane gets it first (TestCausalOrder). A Send
// that has returned is what counts, for timers the moment at which they fire, and
// restarts and kills change nothing in it. Not in their order are what is let in by
// [CallChainReentrancy], and, where they are handled again, messages that were put
// aside.
//
// Between lanes, Control goes before Management, and
// Management before Data: a Control message waits at most for the handler that
// is running. It also puts its actor before all other work of the scheduler. A
// handler that takes long calls [Context.Checkpoint] now and then, to let what
// is urgent elsewhere go first. [WithBurst] keeps a flood on an urgent lane from
// holding up the others for ever.
//
// # Full lanes
//
// A lane holds so many messages, see [WithCapacity]. When it is full, Send waits
// and TrySend returns [ErrFull], unless [WithBuffer] says otherwise: the lane may
// drop the newest message, or the oldest, or take all. [WithMailboxLimit] bounds
// what waits in all lanes together, in messages and in bytes, and what is done
// beyond: messages are shed, or the actor is restarted. What actors and system tell
// each other (starts, stops, exits, decisions) has a lane of its own, which comes
// first and has no bound: nothing of it may be lost, or wait for room.
//
// # Waiting
//
// A handler is ordinary Go code and may block. Where it waits by means of this
// module, with its [Context] (an Ask, a Send to a full lane, a Stop of another
// actor), it suspends and holds no worker. Where it blocks otherwise, the
// scheduler puts a spare worker in its place, of which there are 256 unless
// Config.MaxSpares says more; for handlers that mostly block see [OnBlocking].
//
// When handlers block all workers and all spares, messages of Data and Management wait.
// Control messages are handled meanwhile, and kills, stops, timeouts, supervisors and
// restarts work, on up to four workers that do nothing else. Config.Logger and
// Config.OnSpareLimit are told which handlers have blocked for longest, and the error of
// an ask that ends in this time says that no worker is free. A handler that was killed
// and still blocks is a ghost. It no longer counts as blocked, so kills make room for
// others; how many ghosts restarts may leave behind is Config.MaxGhosts.
//
// [AskAll], [Gather] and [AskQuorum] ask several actors at the same time, and wait
// once for all answers, or for enough of them.
//
// Handlers that wait for each other in a ring would do so for ever. Whoever
// closes such a ring, by an ask, a send to a full lane, or a stop, gets a
// [*CycleError] instead, which names all actors of the ring and what each waits
// for. An answer that nobody can be known to owe, since the [Reply] was kept, is
// not part of a ring, unless [Reply.WaitFor] says for whose start or end it waits. Nor
// is an ask whose message was sent on with the [Reply] behind a pointer, in a slice, or
// in an interface that is a field.
//
// # Reentrancy
//
// While a handler waits, its actor handles nothing else, so that its state is what
// it was when the wait is over. [WithReentrancy] changes that, for all waits of
// handlers by means of this module, also those of package task:
//
//   - [CallChainReentrancy] lets calls back in: an actor that asks another one may
//     be asked by it, or by those whom it asks, at once. What comes so goes before
//     all that waits in the lanes. Others still wait, so the state changes only
//     by what the actor has brought about itself.
//   - [FullReentrancy] handles whatever comes. That is for actors that mostly ask
//     others and must not be held up, and it takes care: after each wait the state
//     may be another one. Messages begin in their order, and end in any.
//
// One handler runs at a time all the same. One whose wait is over goes on when the
// running one waits or returns, before any further message, in the order of those
// who came back. Hooks don't let others in while they wait, nor does
// [Context.Checkpoint]. [WithMaxSuspended] bounds how many wait.
//
// What is said of the handler holds for each of several. Each has its time (see
// [WithHandlerTimeout]) from its beginning to its end, but they have one context, so
// that [TimeoutCancel] ends the waits of all. [Context.Become] counts from the next
// message that begins. A stop, or a drain, waits until all have
// returned; their context ends only if that is forced. When one of them fails, the
// context of the others ends with its reason, as that of one incarnation, and the
// incarnation ends when they have returned. A kill waits for none: all are fenced
// off, and all waits end; as ghosts they still run one at a time.
//
// Rings that reentrancy does not open are errors as ever: those with an actor that
// is not reentrant, and those of actors that wait as often as they may.
//
// # Readers
//
// [WithReadOnly] says which messages only read. They are handled at the same time
// as each other, on several workers, and never together with others, so that
// plain fields are enough: a write waits for the reads before it, and later reads
// wait for the write. Each reader has a Context of its own, with which it can't
// change what the actor does next, see [ErrReadOnly]. What is said above of the
// ends of several handlers holds for readers, except that a kill leaves them to
// run, as ghosts, at the same time.
//
// # The lock of a thread
//
// One case is forbidden by the Go runtime, which ends the process for it: on the
// scheduler, a handler that has called [runtime.LockOSThread] must not wait by
// means of this module, nor return, before it has unlocked the thread again. On
// the other backends it may.
//
// # Context
//
// An [Ask] carries its context: the handler's [Context] has the deadline and the
// values of the asker's, and ends when that ends, with the same
// [context.Cause]. It passes all that on to the asks that it makes itself, to
// databases and to outgoing requests, and so do those who are asked in turn, also
// where the message was handed on, with the [Reply] in it, or put aside: one deadline
// holds for all that is done for a request, and a trace goes through all of it. A handler that
// returns the error of such an end has not failed, also if it has answered with it.
// [CallChain] tells who has asked whom.
//
// It lasts for as long as the asker waits. Once there is an answer, the Context is
// the incarnation's again, with the values, and what the handler has begun goes
// on until the actor ends. A message that was only sent carries nothing; nor does
// an ask with [context.Background], or with the Context of a handler that was not
// asked with anything, whose own end (it is killed, or takes too long) makes its
// asks late and no more. A handler that wants those to end with it passes
// a context that is derived from its own.
//
// With a context that is none of its own, a handler still holds no worker while it
// waits, and rings of waits are found; but the wait does not end with the actor.
//
// # Ends
//
// An actor ends when its handler returns an error or panics, calls
// Context.Stop, or is asked to by Ref.Stop or Ref.Drain. Its children end
// before it, and so do the tasks that were started with its context, see package
// task. Messages that it has not handled go to the dead letters, are
// counted, and are shown to Config.OnDeadLetter; the asks among them fail at
// once with [ErrNoReply]. Later sends return [ErrStopped].
//
// [Ref.Kill] ends an actor whose handler does not return: the handler goes on
// as a ghost that is fenced off, see [ErrFenced], and a new incarnation may
// already be at work. [System.Suspend] and [System.Resume] are for somebody who
// wants an actor to do nothing for a while.
//
// Why an actor has ended is in its [Exit]: it was asked to or stopped itself
// (no reason), its code failed, it was killed ([ErrKilled]), or an actor that it
// was linked to has ended ([LinkedError]).
//
// An actor spawned by [SpawnNew] below a [Parent] can be restarted instead:
// package supervise has such parents. A restart keeps the PID, the refs, the
// registered names, the monitors of the actor, and the messages that wait, also
// in the stash. It drops what the incarnation had made itself: its children, its
// timers, its links, the monitors of others, and what it had become.
//
// # Links, monitors, names
//
// [Context.Link] makes two incarnations end together, unless the other one is a
// [Trapper]. [Context.Monitor] and [System.Monitor] tell of the end of an actor
// for good, as often as they were called. Who links to or monitors an actor that
// is not there any more is told so in the same way, with the reason
// [ErrStalePID].
//
// A Down or a trapped exit is handled after all messages that were accepted
// before the other one's end, on whichever lane; the end of a linked actor that
// is not trapped takes effect at once.
//
// [System.Register] gives an actor a name, under which [Lookup] finds its typed
// ref. The name is free from the moment at which the actor stops.
//
// # Choices
//
// Where systems of actors differ, docs/reference/choices.md says what holds here, and
// which test shows it.
//
// # Processes
//
// [SpawnProcess] writes an actor as a sequential process instead: its body asks for
// its messages, by [Process.Receive], takes first what it needs first, by
// [Process.ReceiveMatch], and gives up after a time, by [Process.ReceiveWithin]. All
// else is the same. [Run] has a system live as long as its main process.
//
// # Time and behaviours
//
// [SendAfter] and [Every] send messages later. They end with the incarnation
// that has set them, and with [Timer.Stop]: then nothing that they have sent is
// handled any more, unless the receiver has put it aside. [Context.Become] changes what handles the messages,
// [FirstOf] lets several actors try in turn, and [Context.Stash] puts a message
// aside. A handler returns [ErrUnhandled] for what it does not know.
//
// # Where handlers run
//
// [WithBackend] takes an actor from the scheduler to goroutines of its own: for
// handlers that always block, that need an OS thread to themselves, or the main
// one. By a [Pump] it lives inside a foreign event loop. All else is the same.
//
// # Handlers that take long
//
// [WithHandlerTimeout] sets for how long a handler may take, waits included, and
// whether it is then warned about, its context ends, or its actor is stopped, for
// a supervisor to restart it. [WithAskTimeout], [WithSendTimeout] and
// [WithTimeoutFor] tell messages apart. Of timeouts that are over at the same
// time the strictest is carried out. Where an actor is both killed and timed out,
// the reason is that of which came first. An Ask whose deadline has passed returns
// nevertheless what was answered, if it was by the time at which the asker goes
// on: also that no answer will come since the handler has timed out.
//
// [Config].OnBlocked and [Config].OnSlow tell of all handlers that take longer
// than 10 ms. Nobody looks at a clock for that: handlers are looked at from time
// to time.
//
// # Places
//
// Actors run on any worker of the scheduler. [WithWorker] pins one to a worker,
// for what must stay on one processor or never run at the same time;
// [WithAffinity] and [Near] keep those together that share much.
//
// [WithPriority] sets how urgent an actor's Data and Management messages are: workers take
// High before Normal before Low. Control is critical for all actors.
//
// # Cost
//
// An idle actor takes about 370 bytes, with a place for one message of up to 8 bytes;
// larger ones make it larger. Lanes of 256 bytes and more come with the first message
// that has to wait behind another one, or may hold a [Reply], is for Management or Control,
// or comes from a timer; with a signal, a stash, a [Probe]; and to actors with a limit, a buffer
// that drops, a burst, a retry, readers or reentrancy with the first of all. Send, Ask and Reply allocate nothing in
// steady state, but for an ask that carries a context: it allocates the slot for
// its answer and the handler's Context, some 460 bytes. The package's benchmarks give times; run them with
// go test -bench . ./actor.
package actor
