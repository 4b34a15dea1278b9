//go:build amd64 && !race && !modelcheck && !yielding

package xatomic

import (
	"sync/atomic"
	"unsafe"
)

// Release stores v as the last step of what only the caller may do, such as to
// hold a lock that x is. A thread that sees v also sees all that the caller did before.
// Unlike Store it does not order what the caller does afterwards, and so costs
// no more than a plain store: amd64 makes stores visible in their order.
func Release(x *Uint32, v uint32) { *(*uint32)(unsafe.Pointer(x)) = v }

// ReleaseInt32 is Release for a number that no model explores.
func ReleaseInt32(x *atomic.Int32, v int32) { *(*int32)(unsafe.Pointer(x)) = v }
