// Package stacks finds the stack of a goroutine by its number.
package stacks

import (
	"bytes"
	"fmt"
	"runtime"
	"strconv"
)

const (
	// maxDump bounds the memory for the stacks of all goroutines.
	maxDump = 256 << 20
	// usualStack is more than the text of most stacks. Too little costs another stop of the program.
	usualStack = 2 << 10
)

// Dump has the stacks of all goroutines, or the first of them if it was cut, in an order that says nothing: the runtime
// uses descriptors of goroutines again.
type Dump struct {
	text []byte
	cut  bool
}

// All stops the whole program, and writes down the stacks of all goroutines, up to 256 MB.
func All() Dump { return all(maxDump) }

func all(limit int) Dump {
	for size := max(64<<10, runtime.NumGoroutine()*usualStack); ; size *= 2 {
		size = min(size, limit)
		buf := make([]byte, size)
		if n := runtime.Stack(buf, true); n < size || size == limit {
			return Dump{buf[:n], n == size}
		}
	}
}

// Of returns the part about one goroutine, "" if there is no such goroutine, and a line that says so if the dump was cut
// before it.
func (d Dump) Of(goroutine uint64) string {
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
