package suite_test

import (
	"errors"
	"reflect"
	"testing"

	"github.com/troupe-go/troupe/internal/bench/suite"
)

func TestBatches(t *testing.T) {
	var got []int
	r := &suite.Run{N: 25, Size: 10}
	err := r.Batches(func(k int) error { got = append(got, k); return nil })
	if err != nil || !reflect.DeepEqual(got, []int{10, 10, 5}) {
		t.Errorf("batches = %v, %v", got, err)
	}
	failure := errors.New("enough")
	calls := 0
	err = r.Batches(func(int) error { calls++; return failure })
	if !errors.Is(err, failure) || calls != 1 {
		t.Errorf("%d calls, error %v, want one and the failure", calls, err)
	}
}
