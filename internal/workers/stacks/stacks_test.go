package stacks_test

import (
	"runtime"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/troupe-go/troupe/internal/patience"
	"github.com/troupe-go/troupe/internal/workers/stacks"
)

// A stack that is not in a dump, or not all of it, is not passed off as none, or as
// whole, where the dump was cut.
func TestStacksInDumps(t *testing.T) {
	const text = "goroutine 7 [running]:\nmain.a()\n\ngoroutine 17 [select]:\nmain.b()\n\ngoroutine 8 [chan receive]:\nmain.c()\n\tc.go:1"
	for _, c := range []struct {
		text string
		cut  bool
		of   uint64
		want string
	}{
		{text, false, 7, "goroutine 7 [running]:\nmain.a()"},
		{text, true, 7, "goroutine 7 [running]:\nmain.a()"},
		{text, true, 17, "goroutine 17 [select]:\nmain.b()"},
		{text, false, 8, "goroutine 8 [chan receive]:\nmain.c()\n\tc.go:1"},
		{text, true, 8, "goroutine 8 [chan receive]:\nmain.c()\n\tc.go:1\n(cut off here, since the stacks of all goroutines are longer than 0 MB)"},
		{text, false, 1, ""},
		{text, true, 1, "goroutine 1: its stack is not known, since those of all goroutines are longer than 0 MB"},
		{text, true, 0, ""},
		{"", false, 7, ""},
	} {
		if got := stacks.NewDump(c.text, c.cut).Of(c.of); got != c.want {
			t.Errorf("goroutine %d, cut %v: got %q, want %q", c.of, c.cut, got, c.want)
		}
	}
}

// A dump says itself that it was cut.
func TestDumpIsCut(t *testing.T) {
	gate := make(chan struct{})
	defer close(gate)
	for range 100 {
		go blockHere(gate)
	}
	var blocked []string // Of those goroutines.
	all := make([]byte, 1<<22)
	patience.Until(t, patience.Context(t), func() bool {
		all = all[:runtime.Stack(all[:cap(all)], true)]
		blocked = slices.DeleteFunc(strings.Split(string(all), "\n\n"), func(s string) bool { return !strings.Contains(s, "blockHere(") })
		return len(blocked) == 100
	})
	digits, _, _ := strings.Cut(strings.TrimPrefix(blocked[99], "goroutine "), " ")
	number, err := strconv.ParseUint(digits, 10, 64)
	if err != nil {
		t.Fatal(err)
	}
	if got := stacks.Within(len(all) / 2).Of(number); !strings.Contains(got, "is not known") {
		t.Errorf("half of a dump has of its last goroutine %q", got)
	}
	if got := stacks.Within(10 * len(all)).Of(number); !strings.Contains(got, "goroutine "+digits+" [") || strings.Contains(got, "cut off") {
		t.Errorf("a whole dump has of its last goroutine %q", got)
	}
}

// blockHere is the function of the goroutines that the test looks for.
func blockHere(gate chan struct{}) { <-gate }
