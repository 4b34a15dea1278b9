package strand

import (
	"runtime"
	"sync"
	"syscall"
	"unsafe"

	"golang.org/x/sys/unix"
)

// poller waits for changes of descriptors on behalf of all strands, on one thread.
// Each descriptor is entered once, for both directions, and only changes are told,
// so that a connection costs no call for each wait.
type poller struct {
	fd, wake int // The queue, and what makes the thread look up.

	mu    sync.Mutex
	conns map[int32]*polled
}

// pollBatch is how many changes are taken at once: 1.5 KB.
const pollBatch = 128

func newPoller() (*poller, error) {
	fd, err := unix.EpollCreate1(unix.EPOLL_CLOEXEC)
	if err != nil {
		return nil, err
	}
	wake, err := unix.Eventfd(0, unix.EFD_CLOEXEC|unix.EFD_NONBLOCK)
	if err != nil {
		_ = unix.Close(fd) // It holds nothing.
		return nil, err
	}
	p := &poller{fd: fd, wake: wake, conns: map[int32]*polled{}}
	if err := unix.EpollCtl(fd, unix.EPOLL_CTL_ADD, wake, &unix.EpollEvent{Events: unix.EPOLLIN, Fd: int32(wake)}); err != nil {
		p.close()
		return nil, err
	}
	return p, nil
}

func (p *poller) add(c *polled) error {
	p.mu.Lock()
	p.conns[int32(c.fd)] = c
	p.mu.Unlock()
	var edge uint32 = unix.EPOLLET // It does not fit an int where that is short.
	err := unix.EpollCtl(p.fd, unix.EPOLL_CTL_ADD, c.fd, &unix.EpollEvent{
		Events: unix.EPOLLIN | unix.EPOLLOUT | unix.EPOLLRDHUP | edge, Fd: int32(c.fd),
	})
	if err != nil {
		p.mu.Lock()
		delete(p.conns, int32(c.fd))
		p.mu.Unlock()
	}
	return err
}

// remove is called before the descriptor is closed.
func (p *poller) remove(c *polled) {
	p.mu.Lock()
	delete(p.conns, int32(c.fd))
	p.mu.Unlock()
	_ = unix.EpollCtl(p.fd, unix.EPOLL_CTL_DEL, c.fd, nil) // Closing it does the same.
}

func (p *poller) stop() { _, _ = unix.Write(p.wake, []byte{1, 0, 0, 0, 0, 0, 0, 0}) } // The queue has room for one.

func (p *poller) close() {
	_ = unix.Close(p.wake) // They hold nothing.
	_ = unix.Close(p.fd)
}

// run tells of changes until it is stopped. See looks.
func (p *poller) run() {
	defer p.close()
	var events [pollBatch]unix.EpollEvent
	var l looks
	for wait := true; ; {
		n, err := p.take(events[:], wait)
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

// take returns what has changed. Of a look that does not wait the runtime is not told,
// like in callNow.
func (p *poller) take(events []unix.EpollEvent, wait bool) (int, error) {
	if wait {
		return unix.EpollWait(p.fd, events, -1)
	}
	n, _, err := syscall.RawSyscall6(unix.SYS_EPOLL_PWAIT, uintptr(p.fd), uintptr(unsafe.Pointer(&events[0])), uintptr(len(events)), 0, 0, 0)
	if err != 0 {
		return 0, err
	}
	return int(n), nil
}

// tell passes changes on. It returns true if the poller was stopped.
func (p *poller) tell(events []unix.EpollEvent) (stopped bool) {
	if len(events) == 0 {
		return false
	}
	var told [pollBatch]*polled
	p.mu.Lock()
	for i := range events {
		told[i] = p.conns[events[i].Fd]
	}
	p.mu.Unlock()
	for i, c := range told[:len(events)] {
		what := events[i].Events
		switch {
		case events[i].Fd == int32(p.wake):
			stopped = true
			continue
		case c == nil:
			continue
		}
		if what&(unix.EPOLLRDHUP|unix.EPOLLHUP|unix.EPOLLERR) != 0 {
			c.hungUp.Store(true)
		}
		if what&(unix.EPOLLIN|unix.EPOLLRDHUP|unix.EPOLLHUP|unix.EPOLLERR) != 0 {
			c.in.changed()
		}
		if what&(unix.EPOLLOUT|unix.EPOLLHUP|unix.EPOLLERR) != 0 {
			c.out.changed()
		}
	}
	return stopped
}
