// Package xatomic is the seam through which lock-free code does its atomic
// operations, so that it can be checked.
//
// In an ordinary build its types are the types of sync and sync/atomic, under
// another name and at no cost. In a build with the tag modelcheck each operation
// is preceded by a point at which package modelcheck may let another thread go
// first. In one with the tag yielding, another goroutine goes first now and then, so
// that ordinary tests come to narrow windows as well.
package xatomic
