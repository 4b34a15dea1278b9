package inspect_test

import (
	"fmt"
	"testing"

	"github.com/troupe-go/troupe/actor"
	"github.com/troupe-go/troupe/inspect"
)

func TestWaitGraphFindsRings(t *testing.T) {
	for edges, want := range map[string]int{
		"":                        0,
		"1>2 2>3":                 0,
		"1>1":                     1,
		"1>2 2>1":                 2,
		"1>2 2>3 3>2 4>1":         2, // Two lead into the ring.
		"1>2 2>1 3>4 4>3 5>6":     4,
		"1>2 1>3 2>1 3>4":         2, // One waits for two.
		"1>2 2>3 3>1 3>4 4>5":     3,
		"9>8 8>7 7>6 6>5 5>9 1>9": 5,
	} {
		var waits []inspect.Wait
		for rest := edges; rest != ""; {
			var from, to uint32
			_, err := fmt.Sscanf(rest, "%d>%d", &from, &to)
			wantNoErr(t, err)
			waits = append(waits, inspect.Wait{From: actor.PIDFromNumber(uint64(from)<<32 | 1), To: actor.PIDFromNumber(uint64(to)<<32 | 1)})
			rest = rest[min(len(rest), 4):]
		}
		g := inspect.GraphOf(waits)
		if g.InCycle != want || g.Total != len(waits) {
			t.Errorf("%q: got %d in rings of %d, want %d", edges, g.InCycle, g.Total, want)
		}
		for n, w := range g.Waits {
			if w.InCycle != (n < want) {
				t.Errorf("%q: got %+v as number %d, want the rings first", edges, w, n)
			}
		}
	}
}
