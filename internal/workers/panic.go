package workers

import (
	"bytes"
	"fmt"
	"runtime"
)

// PanicError is the result of a job that panicked.
type PanicError struct {
	Value any // The argument of panic.

	callers []uintptr
}

// maxCallers is how much of a stack is kept. Handlers are called from a fiber's
// loop, so most stacks have 10 to 30 calls.
const maxCallers = 64

// NewPanicError returns the error of a panic with the given value, with the
// stack of its caller: it is to be called by the deferred function that has
// recovered the panic. It keeps the addresses of the calls alone, which takes a
// microsecond; their names took 20.
func NewPanicError(value any) *PanicError {
	var callers [maxCallers]uintptr
	n := runtime.Callers(2, callers[:])
	return &PanicError{Value: value, callers: append([]uintptr(nil), callers[:n]...)}
}

// Stack returns the stack of the goroutine that panicked, up to 64 calls, the
// last first: for each its function, and its file and line, as
// runtime/debug.Stack formats them, without arguments.
func (e *PanicError) Stack() []byte {
	var b bytes.Buffer
	frames := runtime.CallersFrames(e.callers)
	for len(e.callers) > 0 {
		frame, more := frames.Next()
		fmt.Fprintf(&b, "%s(...)\n\t%s:%d\n", frame.Function, frame.File, frame.Line)
		if !more {
			break
		}
	}
	return b.Bytes()
}

// Error returns the value that was given to panic; the stack is not part of it.
func (e *PanicError) Error() string { return fmt.Sprintf("panic: %v", e.Value) }

// Unwrap returns the panic's value if that is an error, else nil.
func (e *PanicError) Unwrap() error {
	err, _ := e.Value.(error)
	return err
}
