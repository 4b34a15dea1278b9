//go:build !linux

package sched

import "time"

// prompt is what Linux needs, see there.
type prompt struct{}

func (prompt) set(time.Duration) {}
func (prompt) close()            {}
