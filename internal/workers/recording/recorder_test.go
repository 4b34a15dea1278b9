package recording_test

import (
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/troupe-go/troupe/internal/workers/recording"
)

func always() bool { return true }

func TestSnapshotHasTheEventsOfAllLogsInOrder(t *testing.T) {
	r, err := recording.New(0)
	if err != nil {
		t.Fatal(err)
	}
	logs := make([]recording.Log, 3)
	for i := range logs[:2] {
		r.Attach(&logs[i], false)
	}
	for i := range 10 {
		e := recording.Entry{At: time.Duration(10 - i/2*2), Kind: recording.Mark, Arg: int32(i)}
		logs[i%3].Write(e) // The last log is not recorded.
	}
	r.WriteForeign(recording.Entry{At: 5, Kind: recording.Blocked}, 7)
	if logs[2].On() || !logs[0].On() {
		t.Fatal("the wrong logs are recorded")
	}
	for range 2 { // A snapshot takes nothing away.
		events, missing := r.Snapshot(byID(logs), always)
		if len(events) != 8 || missing != 0 {
			t.Fatalf("%d events, %d missing", len(events), missing)
		}
		if !slices.IsSortedFunc(events, func(a, b recording.Event) int { return int(a.At - b.At) }) {
			t.Errorf("not in the order of time: %v", events)
		}
		for _, e := range events {
			if e.Kind == recording.Mark && e.Worker != e.Arg%3 || e.Kind == recording.Blocked && e.Worker != 7 {
				t.Errorf("an event of another worker: %+v", e)
			}
		}
	}
}

func TestARecorderThatIsNotCurrentHasNothing(t *testing.T) {
	r, err := recording.New(64)
	if err != nil {
		t.Fatal(err)
	}
	logs := make([]recording.Log, 1)
	r.Attach(&logs[0], false)
	logs[0].Write(recording.Entry{Kind: recording.Run})
	if events, missing := r.Snapshot(byID(logs), func() bool { return false }); len(events) != 0 || missing != 0 {
		t.Errorf("%v, %d missing", events, missing)
	}
	r.Detach(&logs[0])
	logs[0].Write(recording.Entry{Kind: recording.Run})
	if events, _ := r.Snapshot(byID(logs), always); len(events) != 0 || logs[0].On() {
		t.Errorf("a log that was detached has %v", events)
	}
}

func TestOldEventsAreCountedAndSpareWorkersKeepLess(t *testing.T) {
	r, err := recording.New(1000) // Rounded up to 1024; a spare has 128.
	if err != nil {
		t.Fatal(err)
	}
	logs := make([]recording.Log, 2)
	r.Attach(&logs[0], false)
	r.Attach(&logs[1], true)
	for i := range 2000 {
		logs[0].Write(recording.Entry{At: time.Duration(i)})
		logs[1].Write(recording.Entry{At: time.Duration(i)})
	}
	events, missing := r.Snapshot(byID(logs), always)
	if uint64(len(events))+missing != 4000 || len(events) < 1024+128-2 || len(events) > 1024+128 {
		t.Errorf("%d events, %d missing", len(events), missing)
	}
}

func TestBadSizesAreNamed(t *testing.T) {
	for _, n := range []int{-1, 1, 63, 1<<20 + 1} {
		if _, err := recording.New(n); err == nil || !strings.Contains(err.Error(), "RecorderConfig.Events is ") {
			t.Errorf("%d events: %v", n, err)
		}
	}
}

func TestKindsAreParsed(t *testing.T) {
	for k := recording.Run; k <= recording.Failure; k++ {
		if got, err := recording.ParseKind(k.String()); got != k || err != nil {
			t.Errorf("%v is parsed as %v, %v", k, got, err)
		}
	}
	if _, err := recording.ParseKind("none"); err == nil {
		t.Error("an unknown kind is parsed")
	}
}

// byID gives each log the number of its place.
func byID(logs []recording.Log) func(yield func(int, *recording.Log) bool) {
	return func(yield func(int, *recording.Log) bool) {
		for i := range logs {
			if !yield(i, &logs[i]) {
				return
			}
		}
	}
}
