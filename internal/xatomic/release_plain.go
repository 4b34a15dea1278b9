//go:build amd64 && !race && !modelcheck

package xatomic

import "unsafe"

// Release stores v as the last step of what only the caller may do, such as to
// hold a lock that x is. Whoever sees v also sees all that the caller did before.
// Unlike Store it does not order what the caller does afterwards, and so costs
// no more than a plain store: amd64 makes stores visible in their order.
func Release(x *Uint32, v uint32) { *(*uint32)(unsafe.Pointer(x)) = v }
