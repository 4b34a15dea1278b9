//go:build cgo && (linux || darwin) && (amd64 || arm64)

package main

// #include "runtime.h"
import "C"

import (
	"context"
	"os"
	"runtime"
	"sync"
	"sync/atomic"
	"time"

	"github.com/troupe-go/troupe/internal/workers"
)

// A run is the runtime from troupe_init to the end of troupe_shutdown.
type run struct {
	s        *workers.Scheduler
	budget   C.int32_t
	limit    int           // Of processes.
	sections chan struct{} // Holds one for each process in a blocking section.

	mu       sync.Mutex
	main     *process
	alive    int
	spawned  uint64
	stopping bool
	alone    chan struct{} // Closed when the runtime stops and only the main process is left.
	names    map[string]*process
	monitors map[uint64]monitor
	timers   map[uint64]*time.Timer
	lastRef  uint64
}

// current is the run that there is, or nil.
var current atomic.Pointer[run]

// starting is held while a run begins or ends.
var starting sync.Mutex

// apart calls f on a goroutine of its own. A call from C runs on a goroutine that is bound to its
// thread, and what it creates would be bound too.
func apart(f func()) {
	done := make(chan struct{})
	go func() {
		defer close(done)
		f()
	}()
	<-done
}

//export troupeStart
func troupeStart(c *C.troupe_config, index *C.uint32_t) (rc C.int) {
	starting.Lock()
	defer starting.Unlock()
	if current.Load() != nil {
		return C.TROUPE_EALREADY
	}
	if !complete(c) {
		return C.TROUPE_EINVAL
	}
	apart(func() { rc = start(c, index) })
	return rc
}

// complete sets the defaults and reports whether all values are possible.
func complete(c *C.troupe_config) bool {
	defaults(&c.workers, C.uint32_t(runtime.GOMAXPROCS(0)))
	defaults(&c.reductions, 4000)
	defaults(&c.max_spares, 256)
	defaults(&c.max_blocking, 256)
	defaults(&c.max_processes, maxSlots)
	defaults(&c.max_message, 64<<20)
	defaults(&c.stack_size, 64<<10)
	defaults(&c.exit_timeout, 5000)
	const least = 16 << 10
	page := C.uint64_t(os.Getpagesize())
	c.stack_size = (c.stack_size + page - 1) / page * page
	return c.reserved == 0 && (c.max_spares <= 4096 || c.max_spares == C.TROUPE_NONE) && c.workers <= 1024 && c.high_workers < c.workers && c.reductions <= 1_000_000 && c.max_blocking <= 4096 &&
		c.max_processes <= maxSlots && c.max_message <= 1<<30 && c.stack_size >= max(least, 2*page) && c.stack_size <= 64<<20 &&
		c.exit_timeout >= -1 && c.exit_timeout <= 1<<40
}

func defaults[T C.uint32_t | C.uint64_t | C.int64_t](field *T, value T) {
	if *field == 0 {
		*field = value
	}
}

func start(c *C.troupe_config, index *C.uint32_t) C.int {
	cfg := workers.Config{Workers: int(c.workers), Reductions: int(c.reductions)}
	cfg.Reserved[workers.High] = int(c.high_workers)
	if cfg.MaxSpares = int(c.max_spares); c.max_spares == C.TROUPE_NONE {
		cfg.MaxSpares = -1
	}
	s, err := workers.New(cfg)
	if err != nil {
		return C.TROUPE_ESYSTEM
	}
	r := &run{
		s: s, budget: C.int32_t(c.reductions), limit: int(c.max_processes),
		sections: make(chan struct{}, int(c.max_blocking)), alone: make(chan struct{}),
		names: map[string]*process{}, monitors: map[uint64]monitor{}, timers: map[uint64]*time.Timer{},
	}
	C.troupe__configure(c.stack_size, c.max_message, r.budget)
	r.mu.Lock()
	p, rc := r.create(C.THREAD, C.TROUPE_NORMAL, nil, nil, 0)
	r.main = p
	r.mu.Unlock()
	if rc != C.TROUPE_OK {
		_ = s.Stop(context.Background())
		return rc
	}
	*index = C.uint32_t(p.index)
	current.Store(r)
	C.troupe__phase(C.UP)
	return C.TROUPE_OK
}

//export troupeShutdown
func troupeShutdown(timeout C.int64_t) (rc C.int) {
	starting.Lock()
	defer starting.Unlock()
	r := current.Load()
	if r == nil {
		return C.TROUPE_ENOTRUNNING
	}
	apart(func() { rc = r.shutdown(int64(timeout)) })
	return rc
}

// shutdown ends all processes, then the workers, then the main process.
func (r *run) shutdown(timeout int64) C.int {
	ctx := context.Background()
	if timeout >= 0 {
		var cancel func()
		ctx, cancel = context.WithTimeout(ctx, time.Duration(timeout)*time.Millisecond)
		defer cancel()
	}
	r.mu.Lock()
	r.beginStop()
	r.mu.Unlock()
	select {
	case <-r.alone:
	case <-ctx.Done():
		select {
		case <-r.alone:
		default:
			return C.TROUPE_ETIMEDOUT
		}
	}
	// No process is left, so the workers have nothing to wait for: this takes no time worth a limit.
	_ = r.s.Stop(context.WithoutCancel(ctx))
	r.mu.Lock()
	defer r.mu.Unlock()
	r.bury(r.main)
	current.Store(nil)
	C.troupe__phase(C.DOWN)
	return C.TROUPE_OK
}

// beginStop refuses new work and has all processes but the main one end. It holds r.mu.
func (r *run) beginStop() {
	if r.stopping {
		return
	}
	r.stopping = true
	C.troupe__phase(C.STOPPING)
	for ref, t := range r.timers {
		t.Stop()
		delete(r.timers, ref)
	}
	for i := range table.generations {
		if p := at(uint32(i)); p != nil && p != r.main {
			r.doom(nil, p, fate{kind: C.TROUPE_EXIT_KILLED})
		}
	}
	C.troupe__wake_main(C.uint32_t(r.main.index))
	r.tellAlone()
}

// tellAlone wakes the shutdown when the main process is alone. It holds r.mu.
func (r *run) tellAlone() {
	if r.stopping && r.alive == 1 {
		select {
		case <-r.alone:
		default:
			close(r.alone)
		}
	}
}
