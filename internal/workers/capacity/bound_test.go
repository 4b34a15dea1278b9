package capacity_test

import (
	"testing"

	"github.com/troupe-go/troupe/internal/workers/capacity"
)

// submitter counts how often it was woken.
type submitter struct{ woken int }

func (s *submitter) WakeUp() { s.woken++ }

func TestBoundWakesTheFirstThatWaits(t *testing.T) {
	var b capacity.Bound
	b.Init(2, false)
	for place := range 3 {
		if got := b.TryEnter(); got != (place < 2) {
			t.Fatalf("place %d of two is taken: %t", place+1, got)
		}
	}
	first, second := &submitter{}, &submitter{}
	b.Add(first)
	b.Add(second)
	b.Leave()
	if first.woken != 1 || second.woken != 0 || b.Waiting() != 2 {
		t.Fatalf("woken %d and %d times, %d wait", first.woken, second.woken, b.Waiting())
	}
	b.Remove(first) // It has given up, so the place is the second's.
	if second.woken != 1 || !b.TryEnter() {
		t.Fatal("a place was lost with the submitter that left")
	}
	b.Remove(second)
	if b.Waiting() != 0 || b.Queued() != 2 {
		t.Errorf("%d wait, %d are queued", b.Waiting(), b.Queued())
	}
}

func TestWhatAJobSubmitsIsAcceptedBeyondTheBoundUnlessRejected(t *testing.T) {
	for _, reject := range []bool{false, true} {
		var b capacity.Bound
		b.Init(1, reject)
		if !b.Enter() || b.Enter() == reject || b.Rejects() != reject {
			t.Errorf("rejecting: %t; %d are queued", reject, b.Queued())
		}
	}
}

func TestWithoutALimitNothingIsCounted(t *testing.T) {
	var b capacity.Bound
	b.Init(0, true)
	for range 10 {
		if !b.Enter() {
			t.Fatal("refused")
		}
	}
	b.Leave()
	if b.IsBounded() || b.Queued() != 0 {
		t.Errorf("%d are queued", b.Queued())
	}
}

func TestWakeAllWakesAll(t *testing.T) {
	var b capacity.Bound
	b.Init(1, false)
	b.Enter()
	all := [3]submitter{}
	for i := range all {
		b.Add(&all[i])
	}
	b.WakeAll()
	for i := range all {
		if all[i].woken != 1 {
			t.Errorf("submitter %d was woken %d times", i, all[i].woken)
		}
	}
}
