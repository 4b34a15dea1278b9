package counters_test

import (
	"reflect"
	"sync/atomic"
	"testing"
	"time"

	"github.com/troupe-go/troupe/internal/workers/counters"
)

// Each counter is published under its name.
func TestPublish(t *testing.T) {
	var c counters.Counters
	own := reflect.ValueOf(&c).Elem()
	for i := range own.NumField() {
		own.Field(i).SetUint(uint64(100 + i))
	}
	var p counters.Published
	p.Publish(&c)
	public := reflect.ValueOf(&p).Elem()
	for i := range public.NumField() {
		name := public.Type().Field(i).Name
		if name == "Blocked" {
			continue
		}
		if got, want := public.Field(i).Addr().Interface().(*atomic.Uint64).Load(), own.FieldByName(name).Uint(); got != want {
			t.Errorf("%s is published as %d, want %d", name, got, want)
		}
	}
}

// The published pace follows the mean to a quarter of it, and not more closely.
func TestPace(t *testing.T) {
	var p counters.Pace
	if p.Known() != 0 || p.Or(time.Second) != time.Second {
		t.Error("a pace is known that was not measured")
	}
	p.Measured(time.Millisecond)
	if p.Known() != time.Millisecond || p.Or(time.Second) != time.Millisecond {
		t.Errorf("got %v after the first measurement", p.Known())
	}
	p.Measured(2 * time.Millisecond)
	if p.Known() != time.Millisecond {
		t.Errorf("a mean that has changed by an eighth is published: %v", p.Known())
	}
	for range 100 {
		p.Measured(2 * time.Millisecond)
	}
	if got := p.Known(); got < 3*time.Millisecond/2 || got > 2*time.Millisecond {
		t.Errorf("got %v after many measurements of 2 ms", got)
	}
}
