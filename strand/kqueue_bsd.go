//go:build darwin || freebsd || netbsd || openbsd || dragonfly

package strand

import (
	"runtime"
	"sync"

	"golang.org/x/sys/unix"
)

// poller waits for changes of descriptors on behalf of all strands, on one thread.
// Each descriptor is entered once, for both directions, and only changes are told
// (EV_CLEAR), so that a connection costs no call for each wait.
type poller struct {
	fd   int
	wake [2]int // A pipe that makes the thread look up.

	mu    sync.Mutex
	conns map[uint64]*polled
}

// pollBatch is how many changes are taken at once: 4 KB.
const pollBatch = 128

func newPoller() (*poller, error) {
	fd, err := unix.Kqueue()
	if err != nil {
		return nil, err
	}
	unix.CloseOnExec(fd)
	p := &poller{fd: fd, conns: map[uint64]*polled{}}
	if err := unix.Pipe(p.wake[:]); err != nil {
		_ = unix.Close(fd) // It holds nothing.
		return nil, err
	}
	for _, end := range p.wake {
		unix.CloseOnExec(end)
		_ = unix.SetNonblock(end, true) // If it blocks, nothing is lost: one byte is written.
	}
	if err := p.enter(p.wake[0], unix.EVFILT_READ); err != nil {
		p.close()
		return nil, err
	}
	return p, nil
}

func (p *poller) enter(fd int, filters ...int) error {
	changes := make([]unix.Kevent_t, len(filters))
	for i, filter := range filters {
		unix.SetKevent(&changes[i], fd, filter, unix.EV_ADD|unix.EV_CLEAR)
	}
	_, err := unix.Kevent(p.fd, changes, nil, nil)
	return err
}

func (p *poller) add(c *polled) error {
	p.mu.Lock()
	p.conns[uint64(c.fd)] = c
	p.mu.Unlock()
	err := p.enter(c.fd, unix.EVFILT_READ, unix.EVFILT_WRITE)
	if err != nil {
		p.remove(c)
	}
	return err
}

// remove is called before the descriptor is closed, which takes it out of the
// queue.
func (p *poller) remove(c *polled) {
	p.mu.Lock()
	delete(p.conns, uint64(c.fd))
	p.mu.Unlock()
}

func (p *poller) stop() { _, _ = unix.Write(p.wake[1], []byte{1}) } // The pipe has room for one.

func (p *poller) close() {
	for _, fd := range []int{p.wake[0], p.wake[1], p.fd} {
		_ = unix.Close(fd) // They hold nothing.
	}
}

// run tells of changes until it is stopped. See looks.
func (p *poller) run() {
	defer p.close()
	var events [pollBatch]unix.Kevent_t
	var l looks
	for wait := true; ; {
		var timeout *unix.Timespec
		if !wait {
			timeout = &unix.Timespec{}
		}
		n, err := unix.Kevent(p.fd, nil, events[:], timeout)
		if err != nil && err != unix.EINTR { //nolint:errorlint // A system call's.
			panic("strand: the poller failed: " + err.Error()) // It can't, but for a bug.
		}
		if p.tell(events[:max(n, 0)]) {
			return
		}
		if wait = l.found(n); !wait {
			runtime.Gosched()
		}
	}
}

// tell passes changes on. It returns true if the poller was stopped.
func (p *poller) tell(events []unix.Kevent_t) (stopped bool) {
	for i := range events {
		e := &events[i]
		if uint64(e.Ident) == uint64(p.wake[0]) {
			stopped = true
			continue
		}
		p.mu.Lock()
		c := p.conns[uint64(e.Ident)]
		p.mu.Unlock()
		if c == nil {
			continue
		}
		if e.Flags&unix.EV_EOF != 0 {
			c.hungUp.Store(true)
		}
		if e.Filter == unix.EVFILT_READ {
			c.in.changed()
		} else {
			c.out.changed()
		}
	}
	return stopped
}
