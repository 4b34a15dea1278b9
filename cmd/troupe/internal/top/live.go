package top

import (
	"context"
	"errors"
	"fmt"
	"io"
	"time"

	tea "charm.land/bubbletea/v2"

	"github.com/troupe-go/troupe/inspect"
)

// MinEvery is how often a live view may look at most.
const MinEvery = 100 * time.Millisecond

// Live shows a program in a terminal until somebody quits or ctx ends. The
// terminal is as before when it returns, also after a panic. Interrupted says
// whether ctx or Ctrl-C ended it. A program that does not answer at the begin is
// an error; one that is lost later is waited for.
func Live(
	ctx context.Context, source Source, q inspect.Query, view View, every time.Duration, in io.Reader, out io.Writer, environment []string,
) (interrupted bool, err error) {
	q.Limit = 1
	first, err := source.Look(ctx, q)
	if err != nil {
		return false, err
	}
	m := NewModel(source, q, view, every)
	m.look.Name, m.look.Sample = first.Name, first.Sample
	p := tea.NewProgram(m, tea.WithInput(in), tea.WithOutput(out), tea.WithEnvironment(environment), tea.WithoutSignalHandler(),
		tea.WithWindowSize(80, 24)) // For an output that can't be asked.
	stop := context.AfterFunc(ctx, func() { p.Send(interruptMsg{}) })
	defer stop()
	final, err := p.Run()
	last, ok := final.(Model)
	switch {
	case errors.Is(err, tea.ErrProgramPanic):
		return false, fmt.Errorf("the live view panicked: %w", err)
	case err != nil:
		return false, fmt.Errorf("showing the live view: %w", err)
	case !ok:
		return false, errors.New("the live view ended without a model")
	}
	return last.Interrupted(), nil
}
