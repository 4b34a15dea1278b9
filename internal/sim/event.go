package sim

import (
	"fmt"
	"time"
)

// Event adds a line about what the calling work has brought about, or the body. It does
// nothing for other goroutines: it is chance when they do something. The function
// what gets the name of the caller.
func (e *Engine) Event(kind string, what func(caller string) string) {
	if e.trace == nil {
		return
	}
	switch m := current(); {
	case m.engine != e:
	case m.work:
		e.trace(kind, what(e.Running()))
	default:
		traceBody(e, kind, what(theBody.name))
	}
}

// traceBody adds a line about the body. While a step runs, which may block, the body is
// beside it: then the line comes after the step's lines, and says how old it is.
func traceBody(e *Engine, kind, text string) {
	at := time.Now()
	e.mu.Lock()
	beside := e.inStep.Load() || len(e.errands) > 0
	if beside {
		e.errands = append(e.errands, errand{first, func() {
			if ago := time.Since(at); ago > 0 {
				text += fmt.Sprintf(" (%v ago)", ago)
			}
			e.trace(kind, text)
		}})
	}
	e.mu.Unlock()
	if !beside {
		e.trace(kind, text)
	}
}
