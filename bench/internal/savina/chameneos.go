package savina

import "github.com/troupe-go/troupe/internal/bench/suite"

var chameneos = suite.Workload{
	Name: Chameneos, Family: suite.Actors, Baseline: channels, Unit: "ns/meeting", Size: 100, TinySize: 10, TinyN: 100,
	About: "100 creatures meet in pairs, by way of one mall, and change their colours (Savina); " +
		"the result is the meetings that all of them remember",
	Want: func(n, _ int) int64 { return 2 * int64(n) },
}

// Colour is the colour of a creature: yellow, blue or red.
type Colour uint8

// ColourOf is the colour that creature i begins with.
func ColourOf(i int) Colour { return Colour(i % 3) }

// Meet returns the colour of one that has met another: the same if they had the
// same, else the third.
func (c Colour) Meet(other Colour) Colour {
	if c == other {
		return c
	}
	return 3 - c - other
}
