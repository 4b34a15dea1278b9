//go:build !linux && !modelcheck

package xatomic

import "runtime"

// rest lets other goroutines run.
func rest(int64) { runtime.Gosched() }
