package actor

import (
	"context"
	"fmt"
	"reflect"
	"strings"

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

// describe says of whom the answer is awaited, and why it will not come, as far as that
// is known.
func (s *asking) describe(round uint64, to string, target *proc) string {
	text := "for the answer of " + to
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
	f.Trace("handles", func() string {
		var b strings.Builder
		show(&b, m)
		text := b.String()
		if len(text) > maxTraced {
			text = text[:maxTraced] + "..."
		}
		return fmt.Sprintf("%s %v %T%s", p, which, m.Interface(), text)
	})
	if f.Handling(p.opts.name) {
		p.kill()
	}
}

// show writes what is the same in each run with the same schedule: no address,
// and nothing behind one.
func show(b *strings.Builder, v reflect.Value) {
	if b.Len() > maxTraced {
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
			return // A Ref or a Reply, of which nothing else can be seen.
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
