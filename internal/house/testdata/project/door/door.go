// Package door exports 7 identifiers at top level: Door, Opener, Same, Open, Closed, Left and Right.
// With methods there are 9: those of hidden are not seen, and those of an interface belong to it.
package door

// Open and Closed are states.
const (
	Open = iota
	Closed
	unknown
)

// Left and Right are sides.
var Left, Right int

// Door embeds a type.
type Door struct{ hinge }

// Close is a method.
func (d *Door) Close() {}

type hinge struct{ hidden hidden }

// Open is a method of each Door.
func (h *hinge) Open() int { return unknown + h.turn() }

func (h *hinge) turn() int { return 0 }

type hidden struct{}

func (hidden) Method() {}

// Opener lists a method.
type Opener interface{ Open() int }

// Same returns its argument.
func Same[T any](v T) T { return v }
