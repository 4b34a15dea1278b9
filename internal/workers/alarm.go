package workers

import (
	"time"

	"github.com/troupe-go/troupe/internal/workers/alarms"
)

// SetAlarm has the fiber resumed at a given time, with the priority of its work,
// in place of an alarm that was set before. Work that waits until then, or for
// something else at the same time, sets it, waits in a loop that looks at the clock,
// and at the end calls StopAlarm. It must be called from the fiber's goroutine. With
// StopAlarm it costs about 200 ns and no memory.
func (f *Fiber) SetAlarm(at time.Time) { f.s.alarms.Set(f.w.id, at, (*sleeper)(f)) }

// StopAlarm ends what SetAlarm has begun. A resume may come all the same, if its
// time has come.
func (f *Fiber) StopAlarm() { f.s.alarms.Stop(&f.alarm) }

// sleeper is a fiber as its alarms see it.
type sleeper Fiber

// Alarm returns the number of the fiber's alarms.
func (s *sleeper) Alarm() *alarms.Number { return &s.alarm }

// Wake resumes the fiber.
func (s *sleeper) Wake() { (*Fiber)(s).Resume(nil, Own) }
