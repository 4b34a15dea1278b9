package xatomic_test

import (
	"runtime"
	"sync"
	"testing"

	"github.com/troupe-go/troupe/internal/patience"
	"github.com/troupe-go/troupe/internal/xatomic"
)

// TestGlanceSeesTheLastStore has a reader wait for what the writer stores last. The race
// detector looks on.
func TestGlanceSeesTheLastStore(t *testing.T) {
	ctx := patience.Context(t)
	var glance xatomic.Glance[int]
	var count xatomic.Count
	if glance.Load() != nil || count.Load() != 0 {
		t.Fatal("the zero values are not empty")
	}
	values := make([]int, 1000)
	last := &values[len(values)-1]
	var all sync.WaitGroup
	all.Go(func() {
		for i := range values {
			values[i] = i
			glance.Store(&values[i])
			count.Store(uintptr(i))
		}
	})
	patience.Until(t, ctx, func() bool {
		return glance.Load() == last && count.Load() == uintptr(len(values)-1)
	})
	all.Wait()
	runtime.KeepAlive(values)
	glance.Store(nil)
	if glance.Load() != nil {
		t.Error("nil was not stored")
	}
}
