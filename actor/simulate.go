package actor

import (
	"context"
	"fmt"
	"reflect"
	"strings"
	"time"

	"github.com/troupe-go/troupe/internal/workers"
)

// In a simulation (see simtest) each message is a step of its own, other work
// may come first at each send, and a trace says what was handled. Elsewhere that
// costs a look at System.simulated.

// interleave lets other work go first, if that is so decided.
func (s *System) interleave(ctx context.Context) {
	if f := workers.Current(ctx); f != nil {
		f.Interleave()
	} else {
		s.scheduler.AwaitTurn()
	}
}

// explain says what the caller waits for from now on.
func (s *System) explain(ctx context.Context, what func() string) {
	if f := workers.Current(ctx); f != nil {
		f.ExplainLater(what)
	} else {
		s.scheduler.Explain(what)
	}
}

// explainWait says for a simulation that the caller waits for the answer of target, which
// is nil if nobody knows it.
func (s *asking) explainWait(ctx context.Context, sys *System, target *proc, round uint64) {
	sys.explain(ctx, func() string { return s.describe(round, target) })
}

// describe says which actor has to answer, and whether its handler has returned without a
// reply.
func (s *asking) describe(round uint64, target *proc) string {
	text := "for the answer of an actor"
	if target != nil {
		text = "for the answer of " + target.String()
	}
	if !s.pin(round) {
		return text
	}
	holder, returned := s.holder, s.returned
	s.unpin(round)
	if holder != nil && holder != target {
		text += fmt.Sprintf(", which %s has to give", holder)
	}
	if returned {
		text += ": its handler has returned without a reply"
	}
	return text
}

// joinSimulation has the system take part in a simulation.
func (s *System) joinSimulation() {
	s.simulated = true
	s.clock = simulatedClock{scheduler: s.scheduler}
	s.scheduler.OnFail(func(id any, reason error) bool {
		pid, ok := id.(PID)
		p := s.lookup(pid)
		if !ok || p == nil {
			return false
		}
		p.mu.Lock()
		if p.stopped.Load() {
			p.mu.Unlock()
			return false
		}
		p.killLocked(reason)
		return true
	})
}

// errorOf is why a handler has failed that has panicked with v. A simulation has a handler
// return an error by such a panic, too.
func errorOf(v any) error {
	if injected, ok := v.(workers.Injected); ok {
		return injected.Err
	}
	return workers.NewPanicError(v)
}

// maxTraced is how much of a message a trace shows.
const maxTraced = 120

// traceMessage says that p handles m.
func traceMessage(f *workers.Fiber, p *proc, which Lane, m reflect.Value) {
	f.Trace("handles", func() string { return fmt.Sprintf("%s %v %s", p, which, shown(m)) })
	if f.Handling(p.opts.name) {
		_ = p.kill()
	}
}

// trace adds a line to the trace of a simulation about what has become of p.
func (p *proc) trace(kind string, reason error) {
	p.sys.scheduler.Event(kind, func(string) string {
		if reason == nil {
			return p.String()
		}
		return fmt.Sprintf("%s: %s", p, firstLine(reason))
	})
}

// traceLost says that m has become a dead letter.
func (p *proc) traceLost(which Lane, m any, reason error) {
	p.sys.scheduler.Event("lost", func(string) string {
		return fmt.Sprintf("to %s %v %s: %s", p, which, shown(reflect.ValueOf(m)), firstLine(reason))
	})
}

// traceSend says that the caller sends to p, unless that is queued by it, which shows.
func (p *proc) traceSend(which Lane) {
	state := p.mu.Load()
	doing := "is queued already"
	switch {
	case state&dead != 0 || state&(running|queuedNormal|queuedUrgent) == 0:
		return
	case state&running != 0:
		doing = "is at work"
	}
	p.sys.scheduler.Event("sends", func(caller string) string {
		return fmt.Sprintf("%s to %s %v, which %s", caller, p, which, doing)
	})
}

// traceLate says that the caller has waited long enough.
func (s *System) traceLate(cause error) {
	s.scheduler.Event("gives up", func(caller string) string { return fmt.Sprintf("%s: %s", caller, firstLine(cause)) })
}

func firstLine(err error) string {
	if err == nil {
		return "no reason"
	}
	line, _, _ := strings.Cut(err.Error(), "\n")
	return line
}

// shown is a message as a trace shows it: with its type, up to a length.
func shown(m reflect.Value) string {
	if !m.IsValid() {
		return "nil"
	}
	if !m.CanAddr() { // So that show can look at fields that are not exported.
		addressable := reflect.New(m.Type()).Elem()
		addressable.Set(m)
		m = addressable
	}
	var b strings.Builder
	show(&b, m)
	text := b.String()
	if len(text) > maxTraced {
		text = text[:maxTraced] + "..."
	}
	return fmt.Sprintf("%T%s", m.Interface(), text)
}

// show writes what is the same in each run with the same schedule: no address,
// and nothing behind one.
func show(b *strings.Builder, v reflect.Value) {
	if b.Len() > maxTraced {
		return
	}
	switch v.Type() {
	case reflect.TypeFor[time.Duration]():
		fmt.Fprintf(b, "(%v)", time.Duration(v.Int()))
		return
	case reflect.TypeFor[time.Time]():
		if v.CanAddr() {
			at := *(*time.Time)(v.Addr().UnsafePointer())
			fmt.Fprintf(b, "(%s)", at.UTC().Format(time.RFC3339Nano))
		}
		return
	}
	switch v.Kind() {
	case reflect.Bool, reflect.Int, reflect.Int8, reflect.Int16, reflect.Int32, reflect.Int64,
		reflect.Uint, reflect.Uint8, reflect.Uint16, reflect.Uint32, reflect.Uint64,
		reflect.Float32, reflect.Float64, reflect.Complex64, reflect.Complex128:
		fmt.Fprintf(b, "(%v)", v)
	case reflect.String:
		fmt.Fprintf(b, "(%q)", v.String())
	case reflect.Struct:
		if v.Type().PkgPath() == reflect.TypeFor[PID]().PkgPath() {
			return // A Ref or a Reply: nothing else in it can be seen.
		}
		b.WriteByte('{')
		for i := range v.NumField() {
			if i > 0 {
				b.WriteByte(' ')
			}
			b.WriteString(v.Type().Field(i).Name)
			show(b, v.Field(i))
		}
		b.WriteByte('}')
	case reflect.Slice, reflect.Map:
		fmt.Fprintf(b, "[%d]", v.Len())
	case reflect.Interface:
		if !v.IsNil() {
			fmt.Fprintf(b, " %v", v.Elem().Type())
			show(b, v.Elem())
		}
	}
}
