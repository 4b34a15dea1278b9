package prefetch_test

import (
	"testing"
	"unsafe"

	"github.com/troupe-go/troupe/internal/prefetch"
)

// TestHintsAreHarmless gives addresses of all kinds, behind some of which there is no
// memory: an instruction that reads would end the process.
func TestHintsAreHarmless(t *testing.T) {
	own := [2 * prefetch.Line]byte{1, 2, 3}
	before := own
	for _, at := range []uintptr{0, 1, 1 << 12, ^uintptr(0) >> 17, ^uintptr(0), uintptr(unsafe.Pointer(&own))} {
		for _, n := range []int{1, 2, 1000} {
			prefetch.Lines(at, n)
		}
	}
	if own != before {
		t.Errorf("what was fetched has become %v", own)
	}
}

func BenchmarkLines(b *testing.B) {
	var own [8 * prefetch.Line]byte
	at := uintptr(unsafe.Pointer(&own))
	for b.Loop() {
		prefetch.Lines(at, 8)
	}
}
