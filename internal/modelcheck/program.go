package modelcheck

import (
	"errors"
	"fmt"
	"path/filepath"
	"runtime"
	"runtime/debug"
	"strings"
	"unsafe"

	"github.com/troupe-go/troupe/internal/coro"
)

// Program is one run of the program under exploration.
type Program struct {
	threads []*thread
	finally []func() error
	tracing bool
	trace   []string
}

// maxThreads is how many threads a program may have. More than a few can't be
// explored anyway.
const maxThreads = 8

// thread is a coroutine that stops before each operation.
type thread struct {
	name   string
	co     *coro.Coro
	op     Op // Its next operation.
	where  string
	exits  bool // It may end by runtime.Goexit.
	done   bool
	err    error
	caller func() string // Set while tracing.
}

// Op is an operation on shared memory.
type Op struct {
	Kind Kind
	Addr unsafe.Pointer
	// Ready reports whether the operation can be done now; nil means always.
	Ready func() bool
}

// Kind says whether operations of different threads on one address commute.
type Kind uint8

// The kinds of operation. Two reads commute, all else on one address does not.
// An operation without an address commutes with none.
const (
	Read Kind = iota
	Write
)

func (o Op) independent(other Op) bool {
	if o.Addr == nil || other.Addr == nil {
		return false
	}
	return o.Addr != other.Addr || o.Kind == Read && other.Kind == Read
}

// running is the thread whose step is being done. It is nil outside a step, so
// operations of the set-up and of the final check are done at once. Only the
// goroutine of Explore and the coroutines on it get here.
var running *thread

// aborting is set while the threads of a run that is over are ended.
var aborting bool

// Point is called before an operation. In a thread of an exploration it stops
// the thread until the explorer lets it do the operation.
func Point(kind Kind, addr unsafe.Pointer, ready func() bool) {
	if aborting {
		panic(errAborted) // Again: the program has recovered from the first one.
	}
	t := running
	if t == nil {
		return
	}
	t.op = Op{kind, addr, ready}
	if t.caller != nil {
		t.where = t.caller()
	}
	if !t.co.Yield() {
		panic(errAborted)
	}
}

// Outside is called by a thread before it does something that others may see or
// wait for and that does not go through package xatomic, such as to end a
// context.
func Outside() { Point(Write, nil, nil) }

var errAborted = errors.New("modelcheck: the run is over")

// Go adds a thread.
func (p *Program) Go(name string, f func()) {
	if len(p.threads) == maxThreads {
		panic(fmt.Sprintf("modelcheck: more than %d threads", maxThreads))
	}
	t := &thread{name: name, where: "begins"}
	t.co = coro.New(func(*coro.Coro) {
		defer func() {
			if v := recover(); v != nil && v != any(errAborted) {
				t.err = fmt.Errorf("thread %s: panic: %v\n%s", t.name, v, debug.Stack())
			}
			t.done = true
		}()
		f()
	})
	t.op = Op{Kind: Read, Addr: unsafe.Pointer(t)} // Its beginning concerns nobody.
	p.threads = append(p.threads, t)
}

// GoExiting is Go for a thread that may end by runtime.Goexit. Its steps cost more, some
// microseconds each.
func (p *Program) GoExiting(name string, f func()) {
	p.Go(name, f)
	p.threads[len(p.threads)-1].exits = true
}

// enter calls f, which resumes or stops the thread's coroutine. A Goexit in a
// coroutine also ends the goroutine that has resumed it.
func (t *thread) enter(f func()) {
	if !t.exits {
		f()
		return
	}
	over := make(chan struct{})
	go func() {
		defer close(over)
		f()
	}()
	<-over
}

// Finally adds a check that runs when all threads are done.
func (p *Program) Finally(check func() error) { p.finally = append(p.finally, check) }

func newProgram(build func(*Program)) *Program {
	p := &Program{}
	build(p)
	return p
}

// enabled returns the threads that can do their next operation.
func (p *Program) enabled() (set threads) {
	for i, t := range p.threads {
		if !t.done && (t.op.Ready == nil || t.op.Ready()) {
			set |= 1 << i
		}
	}
	return set
}

func (p *Program) next() []Op {
	ops := make([]Op, len(p.threads))
	for i, t := range p.threads {
		ops[i] = t.op
	}
	return ops
}

// step lets a thread do its next operation, and all that follows up to the one
// after.
func (p *Program) step(i int) error {
	t := p.threads[i]
	if p.tracing {
		p.trace = append(p.trace, fmt.Sprintf("%s: %s", t.name, t.where))
		t.caller = caller
	}
	running = t
	t.enter(func() { t.co.Resume() })
	running = nil
	return t.err
}

// finish is called when no thread can go on.
func (p *Program) finish() error {
	var stuck []string
	for _, t := range p.threads {
		if !t.done {
			stuck = append(stuck, t.name)
		}
	}
	if stuck != nil {
		return fmt.Errorf("deadlock: %s wait for ever", strings.Join(stuck, ", "))
	}
	for _, check := range p.finally {
		if err := check(); err != nil {
			return err
		}
	}
	return nil
}

// abort ends the threads that are left.
func (p *Program) abort() {
	aborting = true
	defer func() { aborting = false }()
	for _, t := range p.threads {
		t.enter(t.co.Stop)
	}
}

// caller returns the line in whose course the operation is done: the innermost
// outside the explorer and xatomic.
func caller() string {
	var pcs [16]uintptr
	frames := runtime.CallersFrames(pcs[:runtime.Callers(3, pcs[:])])
	var inner string
	for {
		f, more := frames.Next()
		if strings.Contains(f.Function, "/xatomic.") || strings.HasSuffix(f.Function, "/modelcheck.Outside") {
			inner = f.Function[strings.LastIndexByte(f.Function, '.')+1:]
		} else {
			return fmt.Sprintf("%s at %s:%d", inner, filepath.Base(f.File), f.Line)
		}
		if !more {
			return inner
		}
	}
}
