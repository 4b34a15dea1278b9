package diagnosis_test

import (
	"testing"
	"time"

	"github.com/troupe-go/troupe/inspect/internal/diagnosis"
)

func TestHistoryForgets(t *testing.T) {
	var h diagnosis.History
	for n := range 5 {
		h.Add(1, after(n))
	}
	if n := h.Of(5, after(5)); n != 1 {
		t.Errorf("%d episodes of five", n)
	}
	if n := h.Of(6, after(5)); n != 0 {
		t.Errorf("%d episodes of six", n)
	}
	if n := h.Of(1, after(62)); n != 0 || h.Len() != 0 {
		t.Errorf("after a minute there are %d, of %d", n, h.Len())
	}
}

// An even rate is counted as one.
func TestHistoryOfEvenRate(t *testing.T) {
	var h diagnosis.History
	for second := range 600 {
		n, first := h.Add(1, after(second))
		if second > 120 && (n < 55 || n > 65) || first != after(0) {
			t.Fatalf("after %d s there were %d in the last minute, since %v", second, n, first)
		}
	}
}

func TestHistoryIsBounded(t *testing.T) {
	var h diagnosis.History
	for n := range 10 * diagnosis.MaxKnown {
		h.Add(n, start.Add(time.Duration(n)*time.Millisecond))
	}
	if h.Len() > diagnosis.MaxKnown {
		t.Errorf("%d are remembered", h.Len())
	}
}
