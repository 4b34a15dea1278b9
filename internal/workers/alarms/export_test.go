package alarms

// StopTimers stops the timers, and returns how many were set.
func (a *Alarms) StopTimers() (set int) {
	for i := range a.heaps {
		if t := a.heaps[i].timer; t != nil && t.Stop() {
			set++
		}
	}
	return set
}
