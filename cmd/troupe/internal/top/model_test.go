package top_test

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"strings"
	"testing"
	"time"

	tea "charm.land/bubbletea/v2"
	"github.com/charmbracelet/x/ansi"

	"github.com/troupe-go/troupe/actor"
	"github.com/troupe-go/troupe/cmd/troupe/internal/top"
	"github.com/troupe-go/troupe/inspect"
)

// program is a source that says what it was asked.
type program struct {
	asked   []inspect.Query
	err     error
	handled uint64
	lists   []any // The queries of lists that were asked.
}

func pid(n int) actor.PID { return actor.PIDFromNumber(uint64(n)<<32 | 1) }

// stuckActor has all that may be said of an actor, with texts that do harm.
func stuckActor(n int) inspect.Actor {
	return inspect.Actor{
		PID: pid(n), Name: fmt.Sprint("actor", n), Kind: "evil\x1b[2J", State: "running", Lanes: []inspect.Lane{{Name: "data", Length: 7, Capacity: 100, Senders: 2}},
		Handler:  &inspect.Handler{Handler: "timer", Message: "int", Seconds: 3, Slow: true, Stack: "goroutine 1 [chan receive]:\nmain.stuck()\n\tmain.go:1\n"},
		Failures: []inspect.Failure{{Exit: "failed", Error: "broken\x1b]0;owned\x07", Stack: "in main.fails\n"}},
	}
}

func (p *program) Look(_ context.Context, q inspect.Query) (top.Look, error) {
	p.asked = append(p.asked, q)
	l := top.Look{Name: "tested"}
	l.Next, l.Matched = "more", -1
	l.Findings, _ = p.Findings(context.Background())
	for n := range 100 {
		a := stuckActor(n)
		a.Handled = p.handled
		l.Actors = append(l.Actors, a)
	}
	p.handled += 1000
	return l, p.err
}

func (p *program) Tree(context.Context, int) ([]inspect.Node, error) {
	return []inspect.Node{{Actor: stuckActor(1), Below: []inspect.Node{{Actor: stuckActor(2)}}}}, p.err
}

func (p *program) Actor(_ context.Context, id string) (top.ActorLook, error) {
	if id != "3.1" {
		return top.ActorLook{}, fmt.Errorf("no actor %s", id)
	}
	return top.ActorLook{Actor: stuckActor(3), Around: []top.Wait{{Wait: inspect.Wait{From: pid(3), To: pid(4), Kind: "ask"}, InCycle: true}}}, p.err
}

func (p *program) Workers(context.Context) (inspect.Workers, error) {
	return inspect.Workers{Awake: 1, Workers: []inspect.Worker{{State: "blocked"}}, Holders: []inspect.Holder{{Work: "stuck<3.1>", Seconds: 9}}}, p.err
}

func (p *program) Waits(context.Context) (top.WaitsLook, error) {
	return top.WaitsLook{Waits: []top.Wait{{Wait: inspect.Wait{From: pid(3), To: pid(4), Kind: "ask"}, InCycle: true}}, Total: 1, InCycle: 1}, p.err
}

func (p *program) Findings(context.Context) ([]inspect.Finding, error) {
	return []inspect.Finding{{Level: slog.LevelError, Text: "payments stuck \x1b[2J", PID: pid(3)}, {Text: "mailer has a backlog"}}, p.err
}

func (p *program) Events(context.Context) ([]inspect.Event, error) {
	return []inspect.Event{{Kind: inspect.Failed, Text: "first"}, {Kind: inspect.Failed, Text: "second", PID: pid(3), ActorKind: "x"}}, p.err
}

// view is a model that is driven by a test: commands run at once, but for those
// that wait.
type view struct {
	*testing.T
	m top.Model
}

func newView(t *testing.T, p *program) *view {
	v := &view{t, top.NewModel(p, inspect.Query{Sort: inspect.ByMailbox}, top.ActorsView, time.Hour)}
	v.run(v.m.Init())
	return v
}

func (v *view) send(msg tea.Msg) {
	next, cmd := v.m.Update(msg)
	v.m = next.(top.Model)
	v.run(cmd)
}

// run runs a command, and what follows from it; what an answer asks for comes
// after an hour.
func (v *view) run(cmd tea.Cmd) {
	if cmd == nil {
		return
	}
	msg := cmd()
	if top.IsQuit(msg) {
		return
	}
	next, later := v.m.Update(msg)
	v.m = next.(top.Model)
	if !top.IsAnswer(msg) {
		v.run(later)
	}
}

// keys presses keys; those with long names are in brackets.
func (v *view) keys(names ...string) {
	codes := map[string]rune{"enter": tea.KeyEnter, "esc": tea.KeyEscape, "down": tea.KeyDown, "up": tea.KeyUp, "right": tea.KeyRight, "left": tea.KeyLeft, "end": tea.KeyEnd, "home": tea.KeyHome, "pgdown": tea.KeyPgDown, "backspace": tea.KeyBackspace}
	for _, name := range names {
		if code, ok := codes[name]; ok {
			v.send(tea.KeyPressMsg(tea.Key{Code: code}))
			continue
		}
		v.send(tea.KeyPressMsg(tea.Key{Code: []rune(name)[0], Text: name}))
	}
}

func (v *view) text() string { return top.Draw(v.m) }

// wants looks for the parts, and for texts that command the terminal.
func (v *view) wants(parts ...string) {
	v.Helper()
	if strings.Contains(v.text(), "\x1b[2J") || strings.Contains(v.text(), "\x1b]0") {
		v.Errorf("a text commands the terminal: %q", v.text())
	}
	for _, part := range parts {
		if !strings.Contains(ansi.Strip(v.text()), part) {
			v.Errorf("the screen has no %q:\n%s", part, v.text())
		}
	}
}

func TestModelDrillsDown(t *testing.T) {
	v := newView(t, &program{})
	v.wants("tested", "actor0", "by mailbox", "3s")
	v.keys("down", "j", "down", "up", "j", "enter")
	v.wants("actor3 <3.1>", "handling int (timer) for 3s", "main.stuck()", "in a ring", "broken", "in main.fails", "7 of 100, 2 senders")
	v.keys("esc")
	v.wants("by mailbox")
	v.keys("e")
	v.wants("the last 2 events")
	if first, second := strings.Index(v.text(), "first"), strings.Index(v.text(), "second"); second > first {
		t.Error("the latest event is not on top")
	}
	v.keys("enter")
	v.wants("actor3 <3.1>")
	v.keys("esc", "esc")
	v.wants("by mailbox")
	v.keys("w")
	v.wants("blocked", "worker 0 has been on stuck<3.1>")
	v.keys("g")
	v.wants("1 waits, 1 of them in a ring", "in a ring")
	v.keys("t")
	v.wants("  actor2")
	v.keys("down", "enter")
	v.wants("no actor 2.1", "trying again")
}

func TestModelAsks(t *testing.T) {
	p := &program{}
	v := newView(t, p)
	last := func() inspect.Query { return p.asked[len(p.asked)-1] }
	v.keys("s")
	if last().Sort != inspect.BySlow {
		t.Errorf("sorted by %s", last().Sort)
	}
	v.keys("S", "S")
	if last().Sort != inspect.ByPID {
		t.Errorf("sorted by %s", last().Sort)
	}
	v.keys("right")
	if last().Cursor != "more" {
		t.Errorf("the next page has the cursor %q", last().Cursor)
	}
	v.wants("page 2")
	v.keys("left", "left")
	if last().Cursor != "" {
		t.Errorf("the page before has the cursor %q", last().Cursor)
	}
	v.keys("/", "q", "é", "backspace", "enter") // A q here quits nothing.
	if last().Name != "q" {
		t.Errorf("filtered by %q", last().Name)
	}
	v.wants(`begin with "q"`)
	v.keys("esc")
	if last().Name != "" {
		t.Errorf("filtered by %q", last().Name)
	}
	v.keys("/", "x", "esc")
	if last().Name != "" {
		t.Error("a filter that was given up is used")
	}
	asked := len(p.asked)
	v.keys("p")
	v.send(top.LookMsg(v.m))
	if v.wants("paused"); len(p.asked) != asked {
		t.Error("a paused view asks")
	}
	v.keys("p")
	if len(p.asked) != asked+1 {
		t.Error("a view that goes on does not ask")
	}
}

// When the program is lost, the view says so, keeps its last figures, and goes on if
// the program comes back.
func TestModelOfALostProgram(t *testing.T) {
	p := &program{}
	v := newView(t, p)
	p.err = errors.New("nothing answers")
	v.send(top.LookMsg(v.m))
	v.wants("nothing answers; trying again", "actor0")
	p.err = nil
	v.send(top.LookMsg(v.m))
	v.wants("by mailbox")
	stale := top.LookMsg(v.m)
	v.keys("s")
	asked := len(p.asked)
	v.send(stale)
	if len(p.asked) != asked {
		t.Error("an outdated look is taken")
	}
}

// Whatever the size, nothing is wider or higher than the screen, and the chosen
// row is in sight.
func TestModelFits(t *testing.T) {
	for _, size := range [][2]int{{80, 24}, {1, 1}, {20, 5}, {200, 50}, {3, 100}, {0, 0}, {40, 2}} {
		v := newView(t, &program{})
		v.send(tea.WindowSizeMsg{Width: size[0], Height: size[1]})
		for _, keys := range [][]string{{}, {"end"}, {"home", "pgdown"}, {"enter"}, {"end"}, {"t"}, {"w"}, {"g"}, {"e"}, {"J"}, {"enter"}, {"T"}, {"N"}, {"?"}} {
			v.keys(keys...)
			lines := strings.Split(v.text(), "\n")
			if len(lines) > max(1, size[1]) {
				t.Errorf("%v after %v: %d lines", size, keys, len(lines))
			}
			for _, line := range lines {
				if w := ansi.StringWidth(line); w > size[0] {
					t.Errorf("%v after %v: a line is %d wide", size, keys, w)
				}
			}
			if len(keys) == 1 && keys[0] == "end" && size == [2]int{80, 24} && strings.Contains(v.text(), "by mailbox") {
				v.wants("actor99")
			}
		}
	}
}
