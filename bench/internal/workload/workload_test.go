package workload_test

import (
	"errors"
	"reflect"
	"testing"

	"go.uber.org/goleak"

	"github.com/troupe-go/troupe/bench/internal/suite"
	"github.com/troupe-go/troupe/bench/internal/workload"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

func TestBatches(t *testing.T) {
	var got []int
	err := workload.Batches(25, 10, func(k int) error { got = append(got, k); return nil })
	if err != nil || !reflect.DeepEqual(got, []int{10, 10, 5}) {
		t.Errorf("batches = %v, %v", got, err)
	}
	failure := errors.New("enough")
	calls := 0
	err = workload.Batches(25, 10, func(int) error { calls++; return failure })
	if !errors.Is(err, failure) || calls != 1 {
		t.Errorf("%d calls, error %v, want one and the failure", calls, err)
	}
}

func TestSelect(t *testing.T) {
	plain := &suite.Workload{Name: "plain"}
	late := &suite.Workload{Name: "late", Kind: suite.Latency, Percentiles: []int{50, 99}}
	all := []*suite.Workload{plain, late}
	for _, c := range []struct {
		names     []string
		workloads int
		rows      map[string]bool
	}{
		{nil, 2, map[string]bool{"plain": true, "late-p50": true, "late-p99": true}},
		{[]string{"late"}, 1, map[string]bool{"plain": false, "late-p50": true, "late-p99": true}},
		{[]string{"late-p99", "plain"}, 2, map[string]bool{"plain": true, "late-p50": false, "late-p99": true}},
	} {
		chosen, rows, err := workload.Select(all, c.names)
		if err != nil || len(chosen) != c.workloads || !reflect.DeepEqual(rows, c.rows) {
			t.Errorf("Select(%v) = %d workloads, %v, %v; want %d, %v", c.names, len(chosen), rows, err, c.workloads, c.rows)
		}
	}
	if _, _, err := workload.Select(all, []string{"plain", "late-p98"}); err == nil {
		t.Error("an unknown row was accepted")
	}
}

func TestFib(t *testing.T) {
	for n, want := range map[int]int{0: 0, 1: 1, 2: 1, 10: 55, 20: 6765, 27: 196418} {
		if got := workload.Fib(n); got != want {
			t.Errorf("Fib(%d) = %d, want %d", n, got, want)
		}
	}
}

func TestStartIdleGivesUp(t *testing.T) {
	failure := errors.New("closed")
	_, err := workload.RunStartIdle(&suite.Run{N: 3}, func(func()) error { return failure })
	if !errors.Is(err, failure) {
		t.Errorf("error = %v, want that of the submission", err)
	}
}

func TestFloodGivesUp(t *testing.T) {
	failure := errors.New("full")
	f := workload.NewFlood(&suite.Run{N: 3, Size: 100})
	_, err := f.Run(func() error { return failure }, func() error { return nil })
	if !errors.Is(err, failure) {
		t.Errorf("error = %v, want that of the flood", err)
	}
}

func TestFloodCountsWhatIsHandled(t *testing.T) {
	r := &suite.Run{N: 5, Size: 50}
	f := workload.NewFlood(r)
	data, urgent := make(chan int, 200), make(chan int, 1)
	ended := make(chan struct{})
	quit := make(chan struct{})
	go func() {
		defer close(ended)
		for {
			select {
			case <-urgent:
				f.Urgent()
			case <-data:
				f.Data()
			case <-quit:
				return
			}
		}
	}()
	n, err := f.Run(func() error { data <- 1; return nil }, func() error { urgent <- 1; return nil })
	if n != 5 || err != nil {
		t.Errorf("Run = %d, %v, want 5 urgent messages", n, err)
	}
	if len(data) > 0 {
		t.Errorf("%d messages of the flood are left", len(data))
	}
	close(quit)
	<-ended
}
