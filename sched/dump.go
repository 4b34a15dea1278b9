package sched

import (
	"bytes"
	"fmt"
	"runtime"
	"strconv"
)

// StackOf returns the stack of a goroutine by the number under which stack dumps
// list it, as runtime.Stack formats it, or "" if there is no such goroutine. It
// stops the whole program for as long as it takes to write down the stacks of all
// goroutines, some us for each, and needs 2 KB for each meanwhile, 256 MB at most:
// the text of most stacks is shorter, so that these are some 200,000. For a
// goroutine that is not among them it returns a line that says so.
func StackOf(goroutine uint64) string {
	if goroutine == 0 {
		return ""
	}
	return allStacks(maxDump).of(goroutine)
}

const (
	// maxDump bounds the memory for the stacks of all goroutines.
	maxDump = 256 << 20
	// usualStack is more than the text of most stacks. Too little costs another stop
	// of the program.
	usualStack = 2 << 10
)

// dump has the stacks of all goroutines, or the first of them if cut, in an
// order that says nothing: goroutines are used again.
type dump struct {
	text []byte
	cut  bool
}

func allStacks(limit int) dump {
	for size := max(64<<10, runtime.NumGoroutine()*usualStack); ; size *= 2 {
		size = min(size, limit)
		buf := make([]byte, size)
		if n := runtime.Stack(buf, true); n < size || size == limit {
			return dump{buf[:n], n == size}
		}
	}
}

// of returns the part that is about one goroutine.
func (d dump) of(goroutine uint64) string {
	if goroutine == 0 {
		return ""
	}
	head := []byte("\n\ngoroutine " + strconv.FormatUint(goroutine, 10) + " ")
	text, found := bytes.CutPrefix(d.text, head[2:])
	if !found {
		_, text, found = bytes.Cut(d.text, head)
	}
	switch {
	case found:
	case d.cut:
		return fmt.Sprintf("goroutine %d: its stack is not known, since those of all goroutines are longer than %d MB", goroutine, len(d.text)>>20)
	default:
		return ""
	}
	text, _, whole := bytes.Cut(text, []byte("\n\n"))
	stack := string(head[2:]) + string(text)
	if d.cut && !whole {
		stack += fmt.Sprintf("\n(cut off here, since the stacks of all goroutines are longer than %d MB)", len(d.text)>>20)
	}
	return stack
}
