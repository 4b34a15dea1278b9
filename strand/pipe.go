package strand

import (
	"context"
	"io"
	"net"
	"sync"
)

// Pipe returns the two ends of a connection in memory. Each direction holds up to
// 4 KB that nobody has read yet, and none while it is empty. It works in a
// simulation, where the operating system's connections have no place.
func Pipe() (one, two *Conn) {
	there, back := newHalf(), newHalf()
	return newConn(&memory{in: back, out: there}), newConn(&memory{in: there, out: back})
}

// memory is one end of a Pipe.
type memory struct{ in, out *half }

// half is one direction.
type half struct {
	mu      sync.Mutex
	data    []byte // At most lent bytes.
	ended   bool   // Nothing more will be written.
	broken  bool   // Nobody reads any more.
	gone    bool   // The writer's end is closed.
	readers waiters
	writers waiters
}

func newHalf() *half { return &half{} }

func (m *memory) addresses() (local, remote net.Addr) { return memoryAddr("pipe"), memoryAddr("pipe") }

func (m *memory) await(ctx context.Context) error {
	h := m.in
	for {
		if ctx.Err() != nil {
			return cause(ctx)
		}
		h.mu.Lock()
		if len(h.data) > 0 || h.ended || h.broken {
			h.mu.Unlock()
			return nil
		}
		if err := h.readers.wait(ctx, &h.mu, nil, "to read from a pipe"); err != nil {
			return err
		}
	}
}

func (m *memory) read(ctx context.Context, p []byte) (int, error) {
	for {
		if err := m.await(ctx); err != nil {
			return 0, err
		}
		if n, err := m.in.take(p); n > 0 || err != nil {
			return n, err
		}
	}
}

func (h *half) take(p []byte) (int, error) {
	h.mu.Lock()
	defer h.mu.Unlock()
	switch {
	case h.broken:
		return 0, net.ErrClosed
	case len(h.data) > 0:
		n := copy(p, h.data)
		if h.data = h.data[n:]; len(h.data) == 0 {
			h.data = nil
		}
		h.writers.wakeOne(nil)
		return n, nil
	case h.ended:
		return 0, io.EOF
	}
	return 0, nil
}

func (m *memory) write(ctx context.Context, p []byte) (done int, err error) {
	h := m.out
	for {
		if ctx.Err() != nil {
			return done, cause(ctx)
		}
		h.mu.Lock()
		n, err := h.put(p[done:])
		if done += n; err != nil || done == len(p) {
			h.mu.Unlock()
			return done, err
		}
		if err := h.writers.wait(ctx, &h.mu, nil, "to write to a pipe"); err != nil {
			return done, err
		}
	}
}

func (m *memory) offer(p []byte) (int, error) {
	m.out.mu.Lock()
	defer m.out.mu.Unlock()
	return m.out.put(p)
}

// put writes what there is room for. The caller holds mu.
func (h *half) put(p []byte) (int, error) {
	switch {
	case h.gone || h.ended:
		return 0, net.ErrClosed
	case h.broken:
		return 0, io.ErrClosedPipe
	}
	n := min(len(p), lent-len(h.data))
	if n > 0 {
		h.data = append(h.data, p[:n]...)
		h.readers.wakeOne(nil)
	}
	return n, nil
}

func (m *memory) closeWrite() error {
	m.out.end(func(h *half) { h.ended = true })
	return nil
}

func (m *memory) close() error {
	m.out.end(func(h *half) { h.ended, h.gone = true, true })
	m.in.end(func(h *half) { h.broken, h.data = true, nil })
	return nil
}

// end changes the half's state and wakes all.
func (h *half) end(change func(h *half)) {
	h.mu.Lock()
	defer h.mu.Unlock()
	change(h)
	for h.readers.wakeOne(nil) || h.writers.wakeOne(nil) {
	}
}
