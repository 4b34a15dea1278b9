package top

import (
	"slices"
	"unicode/utf8"

	tea "charm.land/bubbletea/v2"
)

// keyHelp has what the keys do, for the help and in the order of its lines.
var keyHelp = [][2]string{
	{"↑ ↓ or k j", "choose a row; pgup and pgdn, home and end go further"},
	{"enter", "open the actor: its handler and stack, errors, waits, links; or the job"},
	{"esc", "back; forget the filter"},
	{"s S", "sort actors, or jobs, by the next column, or the one before"},
	{"/", "only names that begin with what is typed"},
	{"→ ←", "the next page of a list, or the one before"},
	{"a t", "all actors as a list, or as a tree"},
	{"!", "what is wrong now: the causes, the worst first"},
	{"w", "workers, and what holds them"},
	{"g", "the graph of who waits for whom; rings are marked"},
	{"e", "events: failures, slow handlers, full mailboxes"},
	{"J f", "jobs under way: single ones, strands and tasks; f: those of the next type"},
	{"T N", "timers; registered names"},
	{"p or space", "pause, or go on"},
	{"q", "quit"},
}

// screensByKey are those that a key leads to.
var screensByKey = map[string]screen{"!": findingsScreen, "a": listScreen, "t": treeScreen, "w": workersScreen, "g": waitsScreen, "e": eventsScreen, "J": jobsScreen, "T": timersScreen, "N": namesScreen}

func (m Model) press(key tea.KeyPressMsg) (tea.Model, tea.Cmd) {
	name := key.String()
	if m.help {
		m.help = false
		if name != "q" && name != "ctrl+c" {
			return m, nil
		}
	}
	if s, ok := screensByKey[name]; ok {
		return m.show(s)
	}
	switch name {
	case "q":
		return m.end()
	case "ctrl+c":
		m.interrupted = true
		return m.end()
	case "ctrl+z":
		return m, tea.Suspend
	case "?", "h":
		m.help = true
		return m, nil
	case "p", "space":
		if m.paused = !m.paused; m.paused {
			return m, nil
		}
		return m, m.ask()
	case "/":
		if m.typing, m.typed = true, m.query.Name; m.screen.isListing() {
			m.typed = m.lists[m.screen].prefix
		}
		return m, nil
	case "f":
		return m.ofType()
	case "s", "S":
		if m.screen == jobsScreen {
			return m.sortJobs(name == "s")
		}
		return m.sort(name == "s")
	case "right", "left":
		if m.screen.isListing() {
			return m.pageList(name == "right")
		}
		return m.page(name == "right")
	case "enter":
		return m.open()
	case "esc", "backspace":
		return m.goBack()
	}
	return m.step(name), nil
}

// step chooses another row.
func (m Model) step(name string) Model {
	room := max(1, m.room())
	switch name {
	case "up", "k":
		m.at--
	case "down", "j":
		m.at++
	case "pgup":
		m.at -= room
	case "pgdown":
		m.at += room
	case "home":
		m.at = 0
	case "end":
		m.at = len(m.rows())
	}
	return m.within()
}

// sort shows the list in the next order, or the one before.
func (m Model) sort(next bool) (tea.Model, tea.Cmd) {
	m.query.Sort = another(orders, m.query.Sort, next)
	return m.listAnew()
}

// listAnew shows the first page of the list.
func (m Model) listAnew() (tea.Model, tea.Cmd) {
	m.query.Cursor, m.cursors = "", nil
	return m.show(listScreen)
}

func (m Model) page(next bool) (tea.Model, tea.Cmd) {
	switch last := len(m.cursors) - 1; {
	case m.screen != listScreen:
		return m, nil
	case next && m.look.Next != "":
		m.cursors = append(slices.Clip(m.cursors), m.query.Cursor)
		m.query.Cursor = m.look.Next
	case !next && last >= 0:
		m.query.Cursor, m.cursors = m.cursors[last], m.cursors[:last]
	default:
		return m, nil
	}
	return m.turnTo(listScreen)
}

func (m Model) goBack() (tea.Model, tea.Cmd) {
	if m.screen.isListing() && m.lists[m.screen].prefix != "" {
		return m.listFrom(m.screen, "")
	}
	if last := len(m.back) - 1; last >= 0 {
		to := m.back[last]
		m.back = m.back[:last]
		return m.turnTo(to)
	}
	if m.query.Name != "" {
		m.query.Name = ""
		return m.listAnew()
	}
	return m, nil
}

// maxTyped bounds a filter.
const maxTyped = 200

// typeIn takes a key of the filter.
func (m Model) typeIn(key tea.KeyPressMsg) (tea.Model, tea.Cmd) {
	switch key.String() {
	case "ctrl+c":
		m.interrupted = true
		return m.end()
	case "enter":
		if m.typing = false; m.screen.isListing() {
			return m.listFrom(m.screen, m.typed)
		}
		m.query.Name = m.typed
		return m.listAnew()
	case "esc":
		m.typing = false
	case "backspace":
		_, n := utf8.DecodeLastRuneInString(m.typed)
		m.typed = m.typed[:len(m.typed)-n]
	case "ctrl+u":
		m.typed = ""
	default:
		if len(m.typed)+len(key.Text) <= maxTyped {
			m.typed += clean(key.Text)
		}
	}
	return m, nil
}
