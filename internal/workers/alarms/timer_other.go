//go:build !linux

package alarms

import "time"

// systemTimer does what Linux needs, and nothing elsewhere.
type systemTimer struct{}

func (systemTimer) set(time.Duration) {}
func (systemTimer) close()            {}
