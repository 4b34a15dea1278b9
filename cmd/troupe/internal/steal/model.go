package steal

import (
	"time"
	"unicode/utf8"

	tea "charm.land/bubbletea/v2"
)

// Scene is what a Model shows and acts upon: a [Stage], or a test's.
type Scene interface {
	Perform(Act) error
	Snapshot() Snapshot
	Err() error
}

// Model is the live view. It follows the Elm architecture of Bubble Tea: Update
// takes a message and returns the next model, View draws it.
type Model struct {
	scene    Scene
	every    time.Duration
	duration time.Duration

	snap, before  Snapshot
	width, height int
	help          bool
	failed        error
	interrupted   bool
	ended         bool
}

// NewModel returns a view of a scene that is drawn again every so often, and ends
// after duration if that is positive.
func NewModel(scene Scene, every, duration time.Duration) Model {
	snap := scene.Snapshot()
	return Model{scene: scene, every: every, duration: duration, snap: snap, before: snap, width: 80, height: 24}
}

// Err returns what ended the view, or nil if somebody or the time did.
func (m Model) Err() error { return m.failed }

// Interrupted reports whether the view was ended by Ctrl-C or a signal.
func (m Model) Interrupted() bool { return m.interrupted }

// lookMsg has the model look at the scene.
type lookMsg struct{}

// interruptMsg ends the view from outside.
type interruptMsg struct{}

// Init begins the looking.
func (m Model) Init() tea.Cmd { return m.lookLater() }

func (m Model) lookLater() tea.Cmd {
	return tea.Tick(m.every, func(time.Time) tea.Msg { return lookMsg{} })
}

// Update reacts to a message.
func (m Model) Update(msg tea.Msg) (tea.Model, tea.Cmd) {
	switch msg := msg.(type) {
	case tea.WindowSizeMsg:
		m.width, m.height = msg.Width, msg.Height
	case lookMsg:
		return m.look()
	case interruptMsg:
		m.interrupted = true
		return m.end(nil)
	case tea.KeyPressMsg:
		return m.press(msg)
	}
	return m, nil
}

func (m Model) look() (tea.Model, tea.Cmd) {
	if err := m.scene.Err(); err != nil {
		return m.end(err)
	}
	m.before, m.snap = m.snap, m.scene.Snapshot()
	if m.duration > 0 && m.snap.At >= m.duration {
		return m.end(nil)
	}
	return m, m.lookLater()
}

func (m Model) press(key tea.KeyPressMsg) (tea.Model, tea.Cmd) {
	switch key.String() {
	case "q":
		return m.end(nil)
	case "ctrl+c":
		m.interrupted = true
		return m.end(nil)
	case "ctrl+z":
		return m, tea.Suspend
	case "?", "h":
		m.help = !m.help
		return m, nil
	case "esc":
		m.help = false
		return m, nil
	}
	r, n := utf8.DecodeRuneInString(key.Text)
	a, ok := ActOf(r)
	if !ok || n != len(key.Text) {
		return m, nil
	}
	if err := m.scene.Perform(a); err != nil {
		return m.end(err)
	}
	m.snap.Note = m.scene.Snapshot().Note
	return m, nil
}

func (m Model) end(err error) (tea.Model, tea.Cmd) {
	m.failed, m.ended = err, true
	return m, tea.Quit
}
