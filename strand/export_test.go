package strand

import (
	"context"
	"unsafe"
)

// Size is the size of a strand's record.
const Size = unsafe.Sizeof(Strand{})

// Borrows reports whether the connection holds a buffer.
func (c *Conn) Borrows() bool { return c.buffer != nil }

// Readiness is what is known of one direction of a descriptor.
type Readiness struct{ r readiness }

// Begin takes the word of a change.
func (r *Readiness) Begin() { r.r.begin() }

// Wait waits for a change.
func (r *Readiness) Wait(ctx context.Context) error { return r.r.wait(ctx) }

// Changed tells of one.
func (r *Readiness) Changed() { r.r.changed() }

// Close ends all waits.
func (r *Readiness) Close() { r.r.close() }

// Looks counts how often the poller looks before it waits.
type Looks struct{ l looks }

// Found tells what a look has brought.
func (l *Looks) Found(n int) (wait bool) { return l.l.found(n) }
