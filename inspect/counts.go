package inspect

import (
	"cmp"
	"slices"
	"sync"
	"sync/atomic"

	"github.com/troupe-go/troupe/actor"
	"github.com/troupe-go/troupe/inspect/internal/diagnosis"
)

// counts are kept by kind of actor: so there are as many as the program's code
// has kinds, however many actors come and go.
type counts struct {
	byKind         sync.Map // From string to *kindCounts.
	slow, timeouts atomic.Uint64
	// slowLeft and timeoutsLeft count the ones that were not reported.
	slowLeft, timeoutsLeft atomic.Uint64

	mu sync.Mutex // Held by a collection.
}

// kindCounts is what is known of the actors of one kind.
type kindCounts struct {
	handledByGone             atomic.Uint64 // By actors that have stopped.
	yields, restarts, letters atomic.Uint64
	exits                     [numExits]atomic.Uint64
	dropped                   [numLanes]atomic.Uint64
	slow                      atomic.Uint64
	timeouts                  [numActions]atomic.Uint64
	latency, duration         Histogram
	durations                 sync.Map // By handler, from string to *Histogram.

	handled uint64 // As it was shown last. Guarded by counts.mu.
}

// numExits is how many kinds of exits there are.
const numExits = int(actor.Linked) + 1

// numLanes is how many lanes an actor has, and numActions what can be done about a handler.
const (
	numLanes   = int(actor.Control) + 1
	numActions = int(actor.TimeoutStop) + 1
)

// of returns what is known of a kind.
func (c *counts) of(kind string) *kindCounts {
	if k, ok := c.byKind.Load(kind); ok {
		return k.(*kindCounts)
	}
	k, _ := c.byKind.LoadOrStore(kind, &kindCounts{})
	return k.(*kindCounts)
}

// handled takes note of a message or hook that was measured.
func (c *counts) handled(s actor.Sample) {
	k := c.of(s.Kind)
	if s.Latency >= 0 {
		k.latency.add(s.Latency)
	}
	if isMessage(s.Handler) {
		k.duration.add(s.Duration)
	}
	h, ok := k.durations.Load(s.Handler)
	if !ok {
		h, _ = k.durations.LoadOrStore(s.Handler, &Histogram{})
	}
	h.(*Histogram).add(s.Duration)
}

// isMessage reports whether a handler of [actor.HandlerReport] is one of messages.
func isMessage(handler string) bool {
	return handler == "send" || handler == "ask" || handler == "timer"
}

// KindMetrics are the figures of the actors of one kind.
type KindMetrics struct {
	Kind   string `json:"kind"`
	Actors int    `json:"actors"`
	// Mailbox and Capacity are the sums over the actors and their lanes.
	Mailbox  int `json:"mailbox"`
	Capacity int `json:"capacity"`
	// Senders is how many wait for room.
	Senders int `json:"senders"`
	// OldestMessageSeconds is for how long the oldest message has waited, as of the last look, see
	// [Inspector.Findings]; 0 if none has waited since the look before.
	OldestMessageSeconds float64 `json:"oldest_message_seconds"`

	// The fields below count from the beginning of the inspector, except Handled, which
	// counts from the beginning of the present actors.
	Handled     uint64            `json:"handled"`
	DeadLetters uint64            `json:"dead_letters"`
	Yields      uint64            `json:"yields"`
	Restarts    uint64            `json:"restarts"`
	Exits       map[string]uint64 `json:"exits"` // By [actor.ExitKind].
	// Dropped has, by lane, the dead letters that a full lane has dropped, or the limit of a mailbox.
	Dropped map[string]uint64 `json:"dropped"`
	// SlowHandlers and Timeouts, these by [actor.TimeoutAction], count the handlers that were reported; see
	// [Metrics] for the others.
	SlowHandlers uint64            `json:"slow_handlers"`
	Timeouts     map[string]uint64 `json:"timeouts"`

	// Latency is from the sending of a message to its handler, and Duration is the time in
	// the handler, both for one message in Config.SampleEvery.
	Latency  HistogramSnapshot `json:"latency"`
	Duration HistogramSnapshot `json:"duration"`
	// Durations are by what was handled, as [actor.HandlerReport] names it: messages as in Duration, and each hook.
	Durations map[string]HistogramSnapshot `json:"durations"`
}

// Metrics are the figures of a system.
type Metrics struct {
	Kinds []KindMetrics `json:"kinds"` // By name.

	Actors       int    `json:"actors"`
	DeadLetters  uint64 `json:"dead_letters"`
	LateReplies  uint64 `json:"late_replies"`
	Unhandled    uint64 `json:"unhandled"`
	AskTimeouts  uint64 `json:"ask_timeouts"`
	Forgotten    uint64 `json:"forgotten_replies"` // Asks that timed out after their handler had returned.
	Ghosts       int    `json:"ghosts"`
	SlowHandlers uint64 `json:"slow_handlers"`
	Timeouts     uint64 `json:"timeouts"` // Of handlers.
	// SlowSuppressed and TimeoutsSuppressed count the part of SlowHandlers and Timeouts that was not reported, since there
	// are at most 50 reports in a second. The kinds of these handlers are not known.
	SlowSuppressed     uint64 `json:"slow_suppressed"`
	TimeoutsSuppressed uint64 `json:"timeouts_suppressed"`
	// The next four are as of the last look, see [Inspector.Findings]: how many findings there are, by [FindingKind];
	// how many handlers are stuck, see Config.StuckAfter; how long the longest handler has been under way; and how many
	// spare workers are held by work that blocks.
	Findings              map[string]int `json:"findings"`
	StuckHandlers         int            `json:"stuck_handlers"`
	LongestHandlerSeconds float64        `json:"longest_handler_seconds"`
	SparesHeld            int            `json:"spares_held"`
	// Delay is how long work waits for a worker, by priority; see
	// Config.ProbeEvery.
	Delay map[string]HistogramSnapshot `json:"delay"`
}

// Metrics returns the figures so far. It looks at all actors, for about 200 ns
// each.
func (i *Inspector) Metrics() Metrics {
	i.counts.mu.Lock()
	defer i.counts.mu.Unlock()
	st := i.sys.Stats()
	m := Metrics{
		Actors: st.Actors, DeadLetters: st.DeadLetters, LateReplies: st.LateReplies, Unhandled: st.Unhandled, Ghosts: st.Ghosts,
		AskTimeouts: st.AskTimeouts, Forgotten: st.Forgotten,
		SlowHandlers: i.counts.slow.Load(), Timeouts: i.counts.timeouts.Load(),
		SlowSuppressed: i.counts.slowLeft.Load(), TimeoutsSuppressed: i.counts.timeoutsLeft.Load(), Delay: map[string]HistogramSnapshot{},
	}
	byKind := map[string]*KindMetrics{}
	i.counts.byKind.Range(func(kind, k any) bool {
		byKind[kind.(string)] = k.(*kindCounts).metrics(kind.(string))
		return true
	})
	for info := range i.sys.Infos(actor.PID{}) {
		k := byKind[info.Kind]
		if k == nil {
			k = i.counts.of(info.Kind).metrics(info.Kind)
			byKind[info.Kind] = k
		}
		k.add(&info)
	}
	for _, k := range byKind {
		// An actor that stops just now may be counted neither here nor there.
		c := i.counts.of(k.Kind)
		c.handled = max(c.handled, k.Handled)
		k.Handled = c.handled
		m.Kinds = append(m.Kinds, *k)
	}
	slices.SortFunc(m.Kinds, func(a, b KindMetrics) int { return cmp.Compare(a.Kind, b.Kind) })
	i.addFindings(&m)
	for p := range i.delays {
		m.Delay[priorityName(p)] = i.delays[p].Snapshot()
	}
	return m
}

// metrics returns what does not depend on the actors that are there.
func (c *kindCounts) metrics(kind string) *KindMetrics {
	k := &KindMetrics{
		Kind: kind, Handled: c.handledByGone.Load(), DeadLetters: c.letters.Load(), Yields: c.yields.Load(),
		Restarts: c.restarts.Load(), Exits: map[string]uint64{}, Latency: c.latency.Snapshot(), Duration: c.duration.Snapshot(),
		Dropped: map[string]uint64{}, SlowHandlers: c.slow.Load(), Timeouts: map[string]uint64{}, Durations: map[string]HistogramSnapshot{},
	}
	for l := range c.dropped {
		k.Dropped[actor.Lane(l).String()] = c.dropped[l].Load()
	}
	for do := range c.timeouts {
		k.Timeouts[actor.TimeoutAction(do).String()] = c.timeouts[do].Load()
	}
	c.durations.Range(func(handler, h any) bool {
		k.Durations[handler.(string)] = h.(*Histogram).Snapshot()
		return true
	})
	for n := range c.exits {
		k.Exits[actor.ExitKind(n).String()] = c.exits[n].Load()
	}
	return k
}

func (k *KindMetrics) add(i *actor.Info) {
	k.Actors++
	k.Handled += i.Handled
	for l := range i.Mailbox {
		k.Mailbox += i.Mailbox[l]
		k.Capacity += i.Capacity[l]
		k.Senders += i.Senders[l]
	}
}

// addFindings adds what the last look has measured.
func (i *Inspector) addFindings(m *Metrics) {
	f := i.diagnose.Figures()
	m.StuckHandlers, m.LongestHandlerSeconds, m.SparesHeld = f.StuckHandlers, f.LongestHandler.Seconds(), f.SparesHeld
	for n := range m.Kinds {
		m.Kinds[n].OldestMessageSeconds = f.OldestMessage[m.Kinds[n].Kind].Seconds()
	}
	m.Findings = map[string]int{}
	for _, kind := range diagnosis.Kinds {
		m.Findings[kind] = 0
	}
	for _, one := range i.diagnose.Findings() {
		m.Findings[one.Kind]++
	}
}
