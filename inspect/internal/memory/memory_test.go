package memory_test

import (
	"fmt"
	"slices"
	"testing"
	"time"

	"github.com/troupe-go/troupe/inspect/internal/memory"
)

// begin is when these tests begin.
var begin = time.Date(2026, 11, 28, 12, 0, 0, 0, time.UTC)

func second(n int) time.Time { return begin.Add(time.Duration(n) * time.Second) }

func TestSeriesKeepsTheLastRows(t *testing.T) {
	s := memory.NewSeries(3, "a", "b")
	if p := s.Since(time.Time{}); len(p.Times) != 0 || p.Figures["a"] == nil {
		t.Errorf("at first there is %+v", p)
	}
	for n := range 8 {
		s.Add(second(n), float64(n), float64(-n))
		p := s.Since(time.Time{})
		var want []float64
		for at := max(0, n-2); at <= n; at++ {
			want = append(want, float64(at))
		}
		if !slices.Equal(p.Figures["a"], want) || p.Figures["b"][0] != -want[0] || p.Times[0] != second(int(want[0])).UnixMilli() {
			t.Fatalf("after %d rows there is %+v, want %v", n+1, p, want)
		}
	}
	if p := s.Since(second(5)); !slices.Equal(p.Figures["a"], []float64{6, 7}) || !slices.Equal(p.Figures["b"], []float64{-6, -7}) {
		t.Errorf("since row 5 there is %+v", p)
	}
	if p := s.Since(second(7)); len(p.Times) != 0 {
		t.Errorf("since the last row there is %+v", p)
	}
	s.Add(second(8), 8) // A figure that is not given is 0, and not what was there before.
	if p := s.Since(second(7)); !slices.Equal(p.Figures["b"], []float64{0}) {
		t.Errorf("got %+v, want b to be 0", p)
	}
}

func TestIncidentsBeginAndEnd(t *testing.T) {
	i := memory.Incidents{Limit: 2}
	i.Note(second(1), []memory.Incident{{ID: "a", Text: "one", First: second(-5)}, {ID: "b"}})
	i.Note(second(2), []memory.Incident{{ID: "a", Text: "two"}})
	all := i.All()
	if len(all) != 2 || all[0].ID != "a" || all[0].Text != "two" || all[0].First != second(-5) || all[0].Last != second(2) || all[0].Over {
		t.Fatalf("got %+v, want a with its first time and last text", all)
	}
	if all[1].ID != "b" || !all[1].Over || all[1].First != second(1) || all[1].Last != second(1) {
		t.Errorf("got %+v, want b to be over", all[1])
	}
	i.Note(second(3), []memory.Incident{{ID: "b"}}) // Again: that is another incident.
	if all = i.All(); len(all) != 3 || all[0].ID != "b" || all[0].First != second(3) || all[1].ID != "a" || all[2].First != second(1) {
		t.Errorf("got %+v, want b, then a and the first b", all)
	}
	i.Note(second(4), nil)
	if all = i.All(); len(all) != 2 || all[0].ID != "b" || all[1].ID != "a" {
		t.Errorf("got %+v, want the last two", all)
	}
}

func TestGroupsCountByKey(t *testing.T) {
	g := memory.Groups[string, int]{Limit: 2}
	g.Add("a", 1, second(1), 10)
	g.Add("b", 3, second(2), 20)
	g.Add("a", 2, second(3), 30)
	all, left := g.All()
	want := []memory.Group[int]{{3, second(1), second(3), 30}, {3, second(2), second(2), 20}}
	if !slices.Equal(all, want) || left != 0 {
		t.Fatalf("got %+v and %d, want %+v", all, left, want)
	}
	g.Add("c", 1, second(4), 40) // There is no room for b any more.
	if all, left = g.All(); left != 1 || len(all) != 2 || all[0].Event != 40 || all[1].Event != 30 {
		t.Errorf("got %+v and %d, want c and a", all, left)
	}
	g.Add("b", 1, second(5), 50)
	if all, _ = g.All(); all[0].Count != 1 || all[0].First != second(5) {
		t.Errorf("got %+v, want b to begin anew", all[0])
	}
	var none memory.Groups[string, int]
	none.Add("a", 1, begin, 1)
	if all, _ = none.All(); len(all) != 0 {
		t.Errorf("the zero Groups keeps %+v", all)
	}
}

// Groups and incidents stay within their limits.
func TestMemoryIsBounded(t *testing.T) {
	g, i := memory.Groups[string, int]{Limit: 10}, memory.Incidents{Limit: 10}
	for n := range 1000 {
		g.Add(fmt.Sprint(n), 1, second(n), n)
		i.Note(second(n), []memory.Incident{{ID: fmt.Sprint(n)}})
	}
	if all, left := g.All(); len(all) != 10 || left != 990 {
		t.Errorf("there are %d groups, %d left out", len(all), left)
	}
	if all := i.All(); len(all) != 11 || all[0].ID != "999" || all[10].ID != "989" {
		t.Errorf("there are %d incidents: %+v", len(all), all)
	}
}
