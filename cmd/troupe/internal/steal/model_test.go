package steal_test

import (
	"errors"
	"slices"
	"strings"
	"testing"
	"time"

	tea "charm.land/bubbletea/v2"

	"github.com/troupe-go/troupe/cmd/troupe/internal/steal"
)

// scene is a stage without a scheduler.
type scene struct {
	snap      steal.Snapshot
	performed []steal.Act
	refuses   error
	failed    error
	panics    bool
}

func (s *scene) Perform(a steal.Act) error {
	s.performed = append(s.performed, a)
	s.snap.Note = "performed " + a.String()
	return s.refuses
}

func (s *scene) Snapshot() steal.Snapshot {
	if s.panics {
		panic("a planted panic")
	}
	snap := s.snap
	snap.Workers = slices.Clone(snap.Workers)
	return snap
}

func (s *scene) Err() error { return s.failed }

// key is the message of a key, as a terminal sends it.
func key(name string) tea.KeyPressMsg {
	switch name {
	case "ctrl+c":
		return tea.KeyPressMsg{Code: 'c', Mod: tea.ModCtrl}
	case "ctrl+z":
		return tea.KeyPressMsg{Code: 'z', Mod: tea.ModCtrl}
	case "esc":
		return tea.KeyPressMsg{Code: tea.KeyEscape}
	case "up":
		return tea.KeyPressMsg{Code: tea.KeyUp}
	}
	return tea.KeyPressMsg{Code: []rune(name)[0], Text: name}
}

// update passes a message and returns the next model, and what its command
// brings.
func update(t *testing.T, m steal.Model, msg tea.Msg) (steal.Model, tea.Cmd) {
	t.Helper()
	next, cmd := m.Update(msg)
	got, ok := next.(steal.Model)
	if !ok {
		t.Fatalf("the model became a %T", next)
	}
	return got, cmd
}

func quits(cmd tea.Cmd) bool {
	if cmd == nil {
		return false
	}
	_, ok := cmd().(tea.QuitMsg)
	return ok
}

func TestEveryKey(t *testing.T) {
	s := &scene{}
	m := steal.NewModel(s, time.Hour, 0)
	var cmd tea.Cmd
	for _, name := range []string{"c", "b", "s", "u", "t", "p", "+", "=", "-"} {
		if m, cmd = update(t, m, key(name)); cmd != nil {
			t.Errorf("the key %s brings a command", name)
		}
		if want := "performed " + s.performed[len(s.performed)-1].String(); !strings.Contains(m.View().Content, want) {
			t.Errorf("after the key %s the view lacks %q:\n%s", name, want, m.View().Content)
		}
	}
	want, err := steal.Acts("cbsutp++-")
	if err != nil || !slices.Equal(s.performed, want) {
		t.Errorf("performed %v, want %v", s.performed, want)
	}
}

func TestKeysWithoutAFunction(t *testing.T) {
	s := &scene{}
	m := steal.NewModel(s, time.Hour, 0)
	before := m.View().Content
	for _, name := range []string{"x", "esc", "up", "cc", "é"} {
		var cmd tea.Cmd
		if m, cmd = update(t, m, key(name)); cmd != nil || len(s.performed) > 0 || m.View().Content != before {
			t.Errorf("the key %s did something", name)
		}
	}
}

func TestHelpComesAndGoes(t *testing.T) {
	m := steal.NewModel(&scene{}, time.Hour, 0)
	const sign = "loop on a worker"
	for i, name := range []string{"?", "?", "h", "esc"} {
		m, _ = update(t, m, key(name))
		if shown := strings.Contains(m.View().Content, sign); shown != (i%2 == 0) {
			t.Errorf("after key %d, %s, the help is shown: %v", i, name, shown)
		}
	}
}

func TestHowItEnds(t *testing.T) {
	failure := errors.New("no more processors")
	for name, c := range map[string]struct {
		scene       scene
		msg         tea.Msg
		duration    time.Duration
		interrupted bool
		err         error
		goesOn      bool
	}{
		"key q":      {msg: key("q")},
		"ctrl+c":     {msg: key("ctrl+c"), interrupted: true},
		"a signal":   {msg: steal.Interrupt, interrupted: true},
		"a failure":  {scene: scene{failed: failure}, msg: steal.Look, err: failure},
		"a refusal":  {scene: scene{refuses: failure}, msg: key("c"), err: failure},
		"its time":   {scene: scene{snap: steal.Snapshot{At: time.Minute}}, msg: steal.Look, duration: time.Minute},
		"not yet":    {scene: scene{snap: steal.Snapshot{At: time.Second}}, msg: steal.Look, duration: time.Minute, goesOn: true},
		"no time":    {scene: scene{snap: steal.Snapshot{At: time.Hour}}, msg: steal.Look, goesOn: true},
		"a resizing": {msg: tea.WindowSizeMsg{Width: 10, Height: 10}, goesOn: true},
	} {
		m := steal.NewModel(&c.scene, time.Microsecond, c.duration)
		m, cmd := update(t, m, c.msg)
		if quits(cmd) == c.goesOn || m.Interrupted() != c.interrupted || !errors.Is(m.Err(), c.err) {
			t.Errorf("%s: quits %v, interrupted %v, error %v; want %+v", name, quits(cmd), m.Interrupted(), m.Err(), c)
		}
		if v := m.View(); v.AltScreen != c.goesOn || !c.goesOn && v.Content != "" {
			t.Errorf("%s: the last view is %+v", name, v)
		}
	}
}

func TestCtrlZSuspends(t *testing.T) {
	_, cmd := update(t, steal.NewModel(&scene{}, time.Hour, 0), key("ctrl+z"))
	if _, ok := cmd().(tea.SuspendMsg); !ok {
		t.Error("ctrl+z does not suspend")
	}
}

func TestModelRefreshesItself(t *testing.T) {
	s := &scene{snap: steal.Snapshot{At: time.Second}}
	m := steal.NewModel(s, time.Microsecond, 0)
	if m.Init() == nil {
		t.Fatal("it does not begin to look")
	}
	s.snap.At = 2 * time.Second
	m, cmd := update(t, m, m.Init()())
	if !strings.Contains(m.View().Content, "2.0 s") || cmd == nil || cmd() != steal.Look {
		t.Errorf("it does not show what it saw, or does not look again:\n%s", m.View().Content)
	}
}
