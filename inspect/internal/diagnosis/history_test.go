package diagnosis

import (
	"testing"
	"time"
)

func TestHistoryForgets(t *testing.T) {
	var h history[int]
	for n := range 5 {
		h.add(1, after(n), "x")
	}
	if n := len(h.all(after(5), 5)); n != 1 {
		t.Errorf("%d episodes of five", n)
	}
	if n := len(h.all(after(5), 6)); n != 0 {
		t.Errorf("%d episodes of six", n)
	}
	if n := len(h.all(after(62), 1)); n != 0 || len(h) != 0 {
		t.Errorf("after a minute there are %d, of %d", n, len(h))
	}
}

// An even rate is counted as one.
func TestHistoryOfEvenRate(t *testing.T) {
	var h history[int]
	for second := range 600 {
		e := h.add(1, after(second), "x")
		if n, ok := e.lately(after(second)); second > 120 && (!ok || n < 55 || n > 65) {
			t.Fatalf("after %d s there were %d in the last minute, %v", second, n, ok)
		}
	}
	if first := h[1].first; first != after(0) {
		t.Errorf("it began at %v", first)
	}
}

func TestHistoryIsBounded(t *testing.T) {
	var h history[int]
	for n := range 10 * maxKnown {
		h.add(n, start.Add(time.Duration(n)*time.Millisecond), "x")
	}
	if len(h) > maxKnown {
		t.Errorf("%d are remembered", len(h))
	}
}
