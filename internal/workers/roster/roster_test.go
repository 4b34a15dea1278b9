package roster_test

import (
	"slices"
	"sync"
	"testing"

	"github.com/troupe-go/troupe/internal/workers/roster"
)

func TestList(t *testing.T) {
	var l roster.List[string]
	if got := l.All(); len(got) != 0 {
		t.Errorf("the zero List has %v", got)
	}
	l.Remove("nothing")
	l.Add("a")
	l.Add("b")
	before := l.All()
	l.Remove("a")
	l.Add("c")
	l.Remove("nothing")
	if got := l.All(); !slices.Equal(got, []string{"b", "c"}) {
		t.Errorf("got %v, want b and c", got)
	}
	if !slices.Equal(before, []string{"a", "b"}) {
		t.Errorf("what All returned before has become %v", before)
	}
}

// Many add and remove at the same time; what each reader sees is whole.
func TestListByMany(t *testing.T) {
	var l roster.List[int]
	var all sync.WaitGroup
	for n := range 8 {
		all.Go(func() {
			for range 200 {
				l.Add(n)
				if !slices.Contains(l.All(), n) {
					t.Errorf("%d is not in the list after Add", n)
				}
				l.Remove(n)
				if slices.Contains(l.All(), n) {
					t.Errorf("%d is in the list after Remove", n)
				}
			}
		})
	}
	all.Wait()
	if left := l.All(); len(left) != 0 {
		t.Errorf("left are %v", left)
	}
}
