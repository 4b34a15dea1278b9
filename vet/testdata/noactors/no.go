// Package noactors does not use actors.
package noactors

import "runtime"

// Lock locks.
func Lock() { runtime.LockOSThread() }
