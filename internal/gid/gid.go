// Package gid tells one goroutine from another, cheaply.
//
// A context travels anywhere: a handler may hand its own to a goroutine that
// it starts. What the context knows about the worker below it holds only on
// the goroutine that runs the handler, so whoever takes a worker-local path
// first compares identities. That comparison is on the path of every message;
// it costs about 1.3 ns, where parsing [runtime.Stack] costs about 1 µs.
//
// The identity is the address of the runtime's descriptor of the goroutine,
// read from the register or thread-local slot in which Go's assembler exposes
// it. Nothing behind the address is read but for a goroutine's number. Addresses are used again after a
// goroutine has ended, so an identity says something only about a goroutine
// that is known to be alive.
package gid

// ID is the identity of a goroutine. The zero ID is nobody's.
type ID uintptr

// Current returns the identity of the calling goroutine, or 0 on an
// architecture where it is not known. Callers treat 0 as "not the goroutine
// that you are looking for" and take their general path.
func Current() ID { return ID(current()) }
