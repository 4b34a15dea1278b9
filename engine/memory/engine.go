package memory

import (
	"context"
	"errors"
	"fmt"
	"sync"
	"time"

	"github.com/troupe-go/troupe/engine"
	"github.com/troupe-go/troupe/engine/internal/guard"
)

var _ engine.Engine = (*Engine)(nil)

// Engine is the engine of one node. It implements [engine.Engine].
type Engine struct {
	store  *Store
	node   string
	bus    engine.Bus
	closed chan struct{}
	once   sync.Once

	mu     sync.Mutex
	guards map[string]*guard.Guard
}

// Engine returns an engine for the named node, which shares the store with others. The bus
// may be nil if nothing uses it. Close does not close the bus.
func (s *Store) Engine(node string, bus engine.Bus) *Engine {
	return &Engine{store: s, node: node, bus: bus, closed: make(chan struct{}), guards: map[string]*guard.Guard{}}
}

// Bus implements [engine.Engine].
func (e *Engine) Bus() engine.Bus { return e.bus }

// Close implements [engine.Engine].
func (e *Engine) Close() error {
	e.once.Do(func() { close(e.closed) })
	return nil
}

// Table implements [engine.Engine].
func (e *Engine) Table(ctx context.Context, name string) (engine.Table, error) {
	if err := engine.CheckName("table", name); err != nil {
		return nil, err
	}
	if err := e.usable(ctx, "opening table "+name); err != nil {
		return nil, err
	}
	s := e.store
	s.mu.Lock()
	defer s.mu.Unlock()
	d := s.tables[name]
	if d == nil {
		d = &tableData{entries: map[string]*entry{}}
		s.tables[name] = d
	}
	where := fmt.Sprintf("table %q", name)
	return &table{e: e, name: name, where: where, data: d, guard: e.guard(where)}, nil
}

// Log implements [engine.Engine].
func (e *Engine) Log(ctx context.Context, name string, c engine.LogConfig) (engine.Log, error) {
	if err := errors.Join(engine.CheckName("log", name), c.Check()); err != nil {
		return nil, err
	}
	if err := e.usable(ctx, "opening log "+name); err != nil {
		return nil, err
	}
	s := e.store
	s.mu.Lock()
	defer s.mu.Unlock()
	d := s.logs[name]
	if d == nil {
		d = &logData{config: c, ids: map[string]dedup{}, groups: map[string]*groupData{}}
		s.logs[name] = d
	}
	where := fmt.Sprintf("log %q", name)
	if d.config != c {
		return nil, fmt.Errorf("engine: %s %w: %+v, not %+v; open it with that, or use another name", where, engine.ErrExists, d.config, c)
	}
	return &log{e: e, name: name, where: where, data: d, guard: e.guard(where)}, nil
}

// guard returns the guard of a table or log, one for all who open it on this node.
func (e *Engine) guard(where string) *guard.Guard {
	e.mu.Lock()
	defer e.mu.Unlock()
	g := e.guards[where]
	if g == nil {
		g = &guard.Guard{Where: where}
		e.guards[where] = g
	}
	return g
}

// usable returns an error if nothing can be done.
func (e *Engine) usable(ctx context.Context, what string) error {
	select {
	case <-e.closed:
		return fmt.Errorf("%s: %w", what, engine.ErrClosed)
	default:
		return engine.Ended(ctx, what)
	}
}

// result is what a write returns. Fresh says that it has stored something.
type result struct {
	revision uint64
	fresh    bool
	err      error
}

// write makes a write, or what the injected fault makes of it. Apply is called with the
// store locked, at once or later.
func (e *Engine) write(ctx context.Context, op Op, g *guard.Guard, apply func() result) (uint64, error) {
	what := fmt.Sprintf("%s of %s", op.Kind, g.Where)
	if err := e.usable(ctx, what); err != nil {
		return 0, err
	}
	before, err := g.Begin()
	if err != nil {
		return 0, err
	}
	fault, err := e.store.fault(op)
	if err != nil {
		return 0, fmt.Errorf("engine: %s: %w: %w", what, engine.ErrUnavailable, err)
	}
	done := make(chan result, 1)
	run := func() { done <- e.store.commit(fault, apply) }
	if fault.Delay > 0 {
		time.AfterFunc(fault.Delay, run)
	} else {
		run()
	}
	select {
	case r := <-done:
		if r.err != nil || !r.fresh {
			return r.revision, r.err
		}
		if fault.Kind == LoseAnswer {
			return 0, fmt.Errorf("engine: %s: the answer is lost: %w", what, engine.ErrUnknownOutcome)
		}
		return r.revision, g.Acknowledged(before, r.revision)
	case <-ctx.Done():
		return 0, fmt.Errorf("engine: %s: %w: %w", what, engine.ErrUnknownOutcome, context.Cause(ctx))
	case <-e.closed:
		return 0, fmt.Errorf("engine: %s: %w: %w", what, engine.ErrUnknownOutcome, engine.ErrClosed)
	}
}

// read prepares a read.
func (e *Engine) read(ctx context.Context, op Op) error {
	what := fmt.Sprintf("%s of %q", op.Kind, op.Name)
	if err := e.usable(ctx, what); err != nil {
		return err
	}
	fault, err := e.store.fault(op)
	if err == nil {
		err = e.pause(ctx, fault.Delay)
	} else {
		err = fmt.Errorf("%w: %w", engine.ErrUnavailable, err)
	}
	if err != nil {
		return fmt.Errorf("engine: %s: %w", what, err)
	}
	return nil
}

// pause waits for a time.
func (e *Engine) pause(ctx context.Context, d time.Duration) error {
	if d <= 0 {
		return nil
	}
	t := time.NewTimer(d)
	defer t.Stop()
	select {
	case <-t.C:
		return nil
	case <-ctx.Done():
		return context.Cause(ctx)
	case <-e.closed:
		return engine.ErrClosed
	}
}
