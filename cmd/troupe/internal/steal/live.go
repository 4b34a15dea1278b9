package steal

import (
	"context"
	"errors"
	"fmt"
	"io"
	"time"

	tea "charm.land/bubbletea/v2"
)

// drawEvery is how often the live view is drawn: to be read, not to be fluent.
const drawEvery = 200 * time.Millisecond

// Live shows a stage in a terminal until somebody quits, ctx ends, the stage
// fails or, if duration is positive, that has passed. The terminal is as before
// when it returns, also after a panic. Interrupted says whether ctx or Ctrl-C
// ended it.
func Live(
	ctx context.Context, scene Scene, in io.Reader, out io.Writer, environment []string, duration time.Duration,
) (interrupted bool, err error) {
	p := tea.NewProgram(NewModel(scene, drawEvery, duration),
		tea.WithInput(in), tea.WithOutput(out), tea.WithEnvironment(environment), tea.WithoutSignalHandler(),
		tea.WithWindowSize(80, 24)) // For an output that can't be asked.
	stop := context.AfterFunc(ctx, func() { p.Send(interruptMsg{}) })
	defer stop()
	final, err := p.Run()
	m, ok := final.(Model)
	switch {
	case errors.Is(err, tea.ErrProgramPanic):
		return false, fmt.Errorf("the live view panicked: %w", err)
	case err != nil:
		return false, fmt.Errorf("showing the live view: %w", err)
	case !ok:
		return false, errors.New("the live view ended without a model")
	}
	return m.Interrupted(), m.Err()
}
