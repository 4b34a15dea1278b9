package line_test

import (
	"slices"
	"testing"

	"pgregory.net/rapid"

	"github.com/troupe-go/troupe/internal/kernel/line"
)

// A line is like a list of numbers.
func TestAgainstModel(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		l := &line.Line[int]{}
		var entries []*line.Entry[int]
		var model []int
		t.Repeat(map[string]func(*rapid.T){
			"push": func(*rapid.T) {
				e := &line.Entry[int]{Value: len(entries)}
				entries = append(entries, e)
				l.Push(e)
				model = append(model, e.Value)
			},
			"remove": func(t *rapid.T) {
				if len(entries) == 0 {
					t.Skip("none")
				}
				n := rapid.IntRange(0, len(entries)-1).Draw(t, "number")
				l.Remove(entries[n])
				model = slices.DeleteFunc(model, func(m int) bool { return m == n })
			},
			"push again": func(t *rapid.T) {
				if len(entries) == 0 {
					t.Skip("none")
				}
				n := rapid.IntRange(0, len(entries)-1).Draw(t, "number")
				l.Remove(entries[n])
				l.Push(entries[n])
				model = append(slices.DeleteFunc(model, func(m int) bool { return m == n }), n)
			},
			"copy": func(*rapid.T) {
				other := *l
				l = &other
			},
			"": func(t *rapid.T) {
				var got []int
				for e := l.First(); e != nil; e = e.Behind() {
					got = append(got, e.Value)
				}
				if !slices.Equal(got, model) || int(l.Len()) != len(model) {
					t.Fatalf("the line is %v, and has %d entries, want %v", got, l.Len(), model)
				}
			},
		})
	})
}
