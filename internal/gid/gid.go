// Package gid tells one goroutine from another, cheaply.
//
// A context travels anywhere: a handler may hand its own to a goroutine that
// it starts. A context knows its worker only on the goroutine that runs the handler. So a
// caller that takes a worker-local path compares identities first. That comparison is on the path of every message.
//
// On amd64 and arm64 the identity is the address of the runtime's descriptor of the
// goroutine, read from the register or thread-local slot in which Go's assembler
// exposes it, which costs about 1.3 ns. Nothing behind the address is read but for a
// goroutine's number.
//
// On other processors, and everywhere with the build tag portable, the identity is the
// number of the goroutine, which [runtime.Stack] tells. That costs from 5 us on, and
// the more the deeper the caller's stack is, and is as good otherwise. With 32-bit words
// numbers are taken modulo 2^32.
//
// Identities are used again after a goroutine has ended, so an identity says something
// only about a goroutine that is known to be alive.
package gid

// ID is the identity of a goroutine. No goroutine has the zero ID.
type ID uintptr

// Current returns the identity of the calling goroutine. It is never 0.
func Current() ID { return ID(current()) }
