package diagnosis

import "time"

// The words of findings.
var (
	Number    = number
	Span      = span
	Some      = some
	Join      = join
	ShortKind = shortKind
	FirstLine = firstLine
)

// Place returns where a goroutine with that stack is, and what it does.
func Place(stack string) (where, does string) {
	p := placeOf(stack)
	return p.where, p.does()
}

// The bounds of what is remembered.
const (
	MaxPoints = maxPoints
	MaxKnown  = maxKnown
)

// Memory is what is remembered of a mailbox.
type Memory struct{ m *mailbox }

func NewMemory() Memory { return Memory{&mailbox{every: 1}} }

func (m Memory) Add(at time.Time, handled uint64, length int) { m.m.add(point{at, handled, length}) }

func (m Memory) Age(now time.Time) time.Duration { return m.m.age(now) }

func (m Memory) Rates() (handled, growth float64) { return m.m.rates() }

func (m Memory) Points() int { return len(m.m.points) }

// History counts by numbers.
type History struct{ h history[int] }

// Add takes note of one, and returns how many there were lately, and when they began.
func (h *History) Add(key int, now time.Time) (lately int, first time.Time) {
	e := h.h.add(key, now, "x")
	lately, _ = e.lately(now)
	return lately, e.first
}

// Of returns of how many keys there were at least n lately.
func (h *History) Of(n int, now time.Time) int { return len(h.h.all(now, n)) }

// Len returns how many keys are remembered.
func (h *History) Len() int { return len(h.h) }
