package alarms

import (
	"os"
	"time"

	"golang.org/x/sys/unix"
)

// systemTimer has a process that sleeps wake up in time for the timer of the alarms.
//
// The Go runtime sleeps by epoll_wait, which takes whole milliseconds: the runtime rounds down, and waits one for the rest
// in the end. So in a process that has nothing else to do, a timer of the runtime rings up to a millisecond late, and half
// of one on the average. A timer of the system, which the runtime's poller knows as a file, ends that sleep to some 50 us.
// Nobody reads it: once awake, the runtime looks at its own timers. Where all processors are busy it looks at those anyway.
type systemTimer struct {
	file  *os.File // Nil before it was needed, where there is none, and at the end.
	fd    int
	tried bool
}

// systemFor is how near an alarm is to be so that a millisecond matters: beyond, it is less than a hundredth. It also
// leaves out most deadlines of input and output, which are set again and again and hardly ever ring.
const systemFor = 100 * time.Millisecond

// set sets the timer instead of its earlier time, unless that is of no use. It costs 1 to 3 us.
func (p *systemTimer) set(left time.Duration) {
	if left <= 0 || left > systemFor {
		return
	}
	if !p.tried {
		p.open()
	}
	if p.file != nil {
		spec := unix.ItimerSpec{Value: unix.NsecToTimespec(int64(left))}
		_ = unix.TimerfdSettime(p.fd, 0, &spec, nil) // Else the alarm rings later.
	}
}

// open makes the timer, if the process may have one more file.
func (p *systemTimer) open() {
	p.tried = true
	fd, err := unix.TimerfdCreate(unix.CLOCK_MONOTONIC, unix.TFD_NONBLOCK|unix.TFD_CLOEXEC)
	if err == nil {
		p.file, p.fd = os.NewFile(uintptr(fd), "timerfd"), fd
	}
}

// close ends the use of the timer for good.
func (p *systemTimer) close() {
	p.tried = true
	if p.file != nil {
		_ = p.file.Close() // Nothing was written.
		p.file = nil
	}
}
