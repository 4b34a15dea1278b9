package inspect

import (
	"cmp"
	"slices"
	"sync"
	"sync/atomic"

	"github.com/troupe-go/troupe/actor"
)

// counts are kept by kind of actor: so there are as many as the program's code
// has kinds, however many actors come and go.
type counts struct {
	byKind         sync.Map // From string to *kindCounts.
	slow, timeouts atomic.Uint64

	mu sync.Mutex // Held by a collection.
}

// kindCounts is what is known of the actors of one kind.
type kindCounts struct {
	handledByGone             atomic.Uint64 // By actors that have stopped.
	yields, restarts, letters atomic.Uint64
	exits                     [numExits]atomic.Uint64
	latency, duration         Histogram

	handled uint64 // As it was shown last. Guarded by counts.mu.
}

// numExits is how many kinds of exits there are.
const numExits = int(actor.Linked) + 1

// of returns what is known of a kind.
func (c *counts) of(kind string) *kindCounts {
	if k, ok := c.byKind.Load(kind); ok {
		return k.(*kindCounts)
	}
	k, _ := c.byKind.LoadOrStore(kind, &kindCounts{})
	return k.(*kindCounts)
}

// handled takes note of a message that was measured.
func (c *counts) handled(s actor.Sample) {
	k := c.of(s.Kind)
	if s.Latency >= 0 {
		k.latency.add(s.Latency)
	}
	k.duration.add(s.Duration)
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

	// The fields below count from the beginning of the inspector, except Handled, which
	// counts from the beginning of the present actors.
	Handled     uint64            `json:"handled"`
	DeadLetters uint64            `json:"dead_letters"`
	Yields      uint64            `json:"yields"`
	Restarts    uint64            `json:"restarts"`
	Exits       map[string]uint64 `json:"exits"` // By [actor.ExitKind].

	// Latency is from the sending of a message to its handler, and Duration is the time in
	// the handler, both for one message in Config.SampleEvery.
	Latency  HistogramSnapshot `json:"latency"`
	Duration HistogramSnapshot `json:"duration"`
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
		SlowHandlers: i.counts.slow.Load(), Timeouts: i.counts.timeouts.Load(), Delay: map[string]HistogramSnapshot{},
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
	}
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
