package telemetry

import (
	"strconv"

	"github.com/troupe-go/troupe/inspect"
)

// figure is something that is counted or measured.
type figure struct {
	name    string // Without "troupe.".
	unit    string // The counted things, in the plural.
	help    string
	counter bool // It never falls.
	labels  []string
}

// The figures, as they are observed all at once.
var (
	actors   = figure{"actor.live", "actors", "Actors that have not stopped.", false, []string{"kind"}}
	mailbox  = figure{"actor.mailbox", "messages", "Messages that wait.", false, []string{"kind"}}
	capacity = figure{"actor.mailbox.capacity", "messages", "Messages that the mailboxes can hold.", false, []string{"kind"}}
	senders  = figure{"actor.mailbox.waiting", "senders", "Senders that wait for room.", false, []string{"kind"}}
	handled  = figure{"actor.handled", "messages", "Messages that were handled.", true, []string{"kind"}}
	letters  = figure{"actor.dead", "letters", "Messages that were not handled.", true, []string{"kind"}}
	yields   = figure{"actor.throughput", "yields", "Times that an actor had used up its throughput.", true, []string{"kind"}}
	restarts = figure{"actor", "restarts", "Incarnations in place of others.", true, []string{"kind"}}
	exits    = figure{"actor", "exits", "Ends of actors and of incarnations.", true, []string{"kind", "exit"}}

	dropped   = figure{"actor.dropped", "messages", "Messages that a full lane, or the limit of a mailbox, has dropped.", true, []string{"kind", "lane"}}
	slow      = figure{"actor.slow", "handlers", "Handlers that took longer than is usual; kind is empty for those beyond 50 in a second.", true, []string{"kind"}}
	timeouts  = figure{"actor.handler", "timeouts", "Handlers that exceeded their timeout; kind and action are empty for those beyond 50 in a second.", true, []string{"kind", "action"}}
	late      = figure{"actor.late", "replies", "Replies whose asker did not wait any more.", true, nil}
	unhandled = figure{"actor.unhandled", "messages", "Messages that their handler did not know.", true, nil}
	asks      = figure{"actor.ask", "timeouts", "Asks without a deadline that had no answer in time.", true, nil}
	forgotten = figure{"actor.forgotten", "replies", "Of these asks, those whose handler had returned.", true, nil}
	ghosts    = figure{"actor", "ghosts", "Handlers that have not returned since they were killed.", false, nil}

	findings = figure{"findings", "findings", "What is wrong, as of the last look, by the kind of finding.", false, []string{"finding"}}
	stuck    = figure{"actor.stuck", "handlers", "Handlers that have been under way for long and wait for no other actor.", false, nil}
	spares   = figure{"sched.spares.held", "workers", "Spare workers that are held by work that blocks.", false, nil}

	queued   = figure{"sched.queued", "nodes", "Pieces of work that wait.", false, []string{"priority"}}
	jobs     = figure{"sched", "jobs", "Jobs that have not ended.", false, nil}
	overdue  = figure{"sched.overdue", "jobs", "Jobs that have timed out and go on.", false, nil}
	refused  = figure{"sched.spare.limit", "refusals", "Blocked workers that could not be replaced.", true, nil}
	awake    = figure{"sched.awake", "workers", "Workers that are neither blocked nor retired.", false, nil}
	ran      = figure{"sched.worker", "runs", "Pieces of work that were begun or continued.", true, []string{"worker"}}
	stolen   = figure{"sched.worker", "steals", "Pieces of work that were taken from other workers.", true, []string{"worker"}}
	parked   = figure{"sched.worker", "parks", "Times that a worker fell asleep.", true, []string{"worker"}}
	suspends = figure{"sched.worker", "suspensions", "Waits that did not hold the worker.", true, []string{"worker"}}
	preempts = figure{"sched.worker", "preemptions", "Times that work gave way to critical work.", true, []string{"worker"}}
	blocks   = figure{"sched.worker", "blocks", "Times that a worker was held and replaced.", true, []string{"worker"}}

	// all has them in order.
	all = []*figure{
		&actors, &mailbox, &capacity, &senders, &handled, &letters, &yields, &restarts, &exits,
		&dropped, &slow, &timeouts, &late, &unhandled, &asks, &forgotten, &ghosts, &findings, &stuck, &spares,
		&queued, &jobs, &overdue, &refused, &awake, &ran, &stolen, &parked, &suspends, &preempts, &blocks,
	}
)

// The figures that are measured.
var (
	latency  = figure{"actor.message.latency", "s", "Time from the sending of a message to its handler, of a sample.", true, []string{"kind"}}
	duration = figure{"actor.handler.duration", "s", "Time that a handler took, of a sample, and that each hook took.", true, []string{"kind", "handler"}}
	delay    = figure{"sched.delay", "s", "Time that work waits for a worker, of a sample.", true, []string{"priority"}}

	measured = []*figure{&latency, &duration, &delay}
)

// The figures that say how old something is.
var (
	oldestHandler = figure{"actor.handler.oldest", "s", "Time that the longest handler has been under way.", false, nil}
	oldestMessage = figure{"actor.message.oldest", "s", "Time that the oldest message has waited, 0 if it came since the last look.", false, []string{"kind"}}

	ages = []*figure{&oldestHandler, &oldestMessage}
)

// observeAges emits how old things are, in seconds.
func observeAges(m inspect.Metrics, emit func(f *figure, seconds float64, labels ...string)) {
	emit(&oldestHandler, m.LongestHandlerSeconds)
	for _, k := range m.Kinds {
		emit(&oldestMessage, k.OldestMessageSeconds, k.Kind)
	}
}

// observe looks at the system once, and emits what is counted.
func observe(m inspect.Metrics, w inspect.Workers, emit func(f *figure, value uint64, labels ...string)) {
	for _, k := range m.Kinds {
		emit(&actors, uint64(k.Actors), k.Kind)
		emit(&mailbox, uint64(k.Mailbox), k.Kind)
		emit(&capacity, uint64(k.Capacity), k.Kind)
		emit(&senders, uint64(k.Senders), k.Kind)
		emit(&handled, k.Handled, k.Kind)
		emit(&letters, k.DeadLetters, k.Kind)
		emit(&yields, k.Yields, k.Kind)
		emit(&restarts, k.Restarts, k.Kind)
		for exit, n := range k.Exits {
			emit(&exits, n, k.Kind, exit)
		}
		observeHandlers(&k, emit)
	}
	emit(&slow, m.SlowSuppressed, "")
	emit(&timeouts, m.TimeoutsSuppressed, "", "")
	emit(&late, m.LateReplies)
	emit(&unhandled, m.Unhandled)
	emit(&asks, m.AskTimeouts)
	emit(&forgotten, m.Forgotten)
	emit(&ghosts, uint64(max(0, m.Ghosts)))
	for kind, n := range m.Findings {
		emit(&findings, uint64(n), kind)
	}
	emit(&stuck, uint64(m.StuckHandlers))
	emit(&spares, uint64(m.SparesHeld))
	observeWorkers(w, emit)
}

// observeHandlers emits what is known of the handlers of a kind.
func observeHandlers(k *inspect.KindMetrics, emit func(f *figure, value uint64, labels ...string)) {
	for lane, n := range k.Dropped {
		emit(&dropped, n, k.Kind, lane)
	}
	emit(&slow, k.SlowHandlers, k.Kind)
	for action, n := range k.Timeouts {
		emit(&timeouts, n, k.Kind, action)
	}
}

func observeWorkers(w inspect.Workers, emit func(f *figure, value uint64, labels ...string)) {
	for priority, n := range w.Queued {
		emit(&queued, uint64(n), priority)
	}
	emit(&jobs, uint64(w.Jobs))
	emit(&overdue, uint64(w.Overdue))
	emit(&refused, w.SpareLimitReached)
	emit(&awake, uint64(max(0, w.Awake)))
	for _, w := range w.Workers {
		id := strconv.Itoa(w.ID)
		emit(&ran, w.Ran, id)
		emit(&stolen, w.Stolen, id)
		emit(&parked, w.Parked, id)
		emit(&suspends, w.Suspended, id)
		emit(&preempts, w.Preempted, id)
		emit(&blocks, w.Blocked, id)
	}
}
