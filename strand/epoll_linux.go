package strand

import (
	"runtime"
	"sync"

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

// run tells of changes until it is stopped. It looks without waiting as long as
// there are any, after others had their turn, since to wait costs a thread's
// sleep.
func (p *poller) run() {
	defer p.close()
	var events [pollBatch]unix.EpollEvent
	timeout := -1
	for {
		n, err := unix.EpollWait(p.fd, events[:], timeout)
		switch {
		case err == unix.EINTR:
			continue
		case err != nil:
			panic("strand: the poller failed: " + err.Error()) // It can't, but for a bug.
		case n == 0:
			timeout = -1
			continue
		}
		if p.tell(events[:n]) {
			return
		}
		timeout = 0
		runtime.Gosched()
	}
}

// tell passes changes on. It returns true if the poller was stopped.
func (p *poller) tell(events []unix.EpollEvent) (stopped bool) {
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
