package top

import (
	"context"
	"fmt"
	"slices"
	"time"

	tea "charm.land/bubbletea/v2"

	"github.com/troupe-go/troupe/actor"
	"github.com/troupe-go/troupe/inspect"
)

// Source is what a Model shows: a [Client], or a test's.
type Source interface {
	Look(ctx context.Context, q inspect.Query) (Look, error)
	Tree(ctx context.Context, limit int) ([]inspect.Node, error)
	Actor(ctx context.Context, pid string) (ActorLook, error)
	Workers(ctx context.Context) (inspect.Workers, error)
	Waits(ctx context.Context) (WaitsLook, error)
	Events(ctx context.Context) ([]inspect.Event, error)
	Findings(ctx context.Context) ([]inspect.Finding, error)
	Lists
}

// screen is what a Model shows.
type screen uint8

const (
	listScreen screen = iota
	treeScreen
	actorScreen
	workersScreen
	waitsScreen
	eventsScreen
	jobsScreen
	jobScreen // One of them.
	timersScreen
	namesScreen
	findingsScreen

	numScreens
)

// The key s goes through orders.
var orders = []inspect.Order{inspect.ByMailbox, inspect.BySlow, inspect.ByHandled, inspect.ByRestarts, inspect.ByUptime, inspect.ByPID}

const (
	// pageLength is how many actors are asked for at a time.
	pageLength = 200
	// treeLimit is how many a tree has.
	treeLimit = 1000
)

// Model is the live view. It follows the Elm architecture of Bubble Tea: Update
// takes a message and returns the next model, View draws it. Whatever is asked
// of the program is asked by a command, so that the keys work while it is slow.
type Model struct {
	source Source
	every  time.Duration

	screen   screen
	back     []screen // Where esc leads, the last one at the end.
	query    inspect.Query
	cursors  []string            // Of the pages before this one.
	pid      string              // Of the actor that is shown.
	lists    [numScreens]listing // Of those that are lists.
	jobQuery inspect.JobQuery    // Its type and order.
	jobID    uint64              // Of the job that is shown.

	look    Look
	tree    []inspect.Node
	actor   ActorLook
	workers inspect.Workers
	waits   WaitsLook
	events  []inspect.Event
	wrong   []inspect.Finding
	jobs    inspect.JobPage
	job     inspect.Job
	timers  inspect.TimerPage
	names   inspect.NamePage
	before  map[string]uint64 // How many messages each actor had handled at the previous look.
	rates   map[string]float64
	lookAt  time.Time

	asked   int   // The number of the last question: older answers are not shown.
	problem error // Of the last answer.
	loaded  bool  // The screen has had an answer.

	at, top       int // The chosen row, and the first that is shown.
	typing        bool
	typed         string
	paused, help  bool
	width, height int
	interrupted   bool
	ended         bool
}

// View is what is shown at the begin, or in a report.
type View string

// The views.
const (
	ActorsView View = "actors"
	// FindingsView is what is wrong.
	FindingsView View = "findings"
	TreeView     View = "tree"
	JobsView     View = "jobs"
	StrandsView  View = "strands"
	TimersView   View = "timers"
	NamesView    View = "names"
	WorkersView  View = "workers"
	WaitsView    View = "waits"
	EventsView   View = "events"
)

// Views are all of them.
var Views = []View{ActorsView, FindingsView, TreeView, WorkersView, WaitsView, EventsView, JobsView, StrandsView, TimersView, NamesView}

// Orders are the names of the orders in which actors can be listed.
var Orders = []inspect.Order{inspect.ByMailbox, inspect.BySlow, inspect.ByHandled, inspect.ByRestarts, inspect.ByUptime, inspect.ByPID}

// NewModel returns a view that looks every so often.
func NewModel(source Source, q inspect.Query, view View, every time.Duration) Model {
	q.Limit = pageLength
	m := Model{source: source, every: every, query: q, width: 80, height: 24, before: map[string]uint64{}, rates: map[string]float64{}}
	m.jobQuery.Sort = inspect.ByAge
	switch view {
	case TreeView:
		m.screen = treeScreen
	case WorkersView:
		m.screen = workersScreen
	case WaitsView:
		m.screen = waitsScreen
	case EventsView:
		m.screen = eventsScreen
	case JobsView:
		m.screen = jobsScreen
	case StrandsView:
		m.screen, m.jobQuery.Type = jobsScreen, inspect.StrandJob
	case TimersView:
		m.screen = timersScreen
	case NamesView:
		m.screen = namesScreen
	case FindingsView:
		m.screen = findingsScreen
	}
	if m.screen.isListing() {
		m.lists[m.screen].prefix, m.query.Name = q.Name, ""
	}
	return m
}

// Interrupted reports whether the view was ended by Ctrl-C or a signal.
func (m Model) Interrupted() bool { return m.interrupted }

// answer is what the program has said.
type answer struct {
	number int
	at     time.Time
	data   any
	err    error
}

// lookMsg has the model ask again.
type lookMsg struct{ number int }

// interruptMsg ends the view from outside.
type interruptMsg struct{}

// Init asks for the first time.
func (m Model) Init() tea.Cmd { return func() tea.Msg { return lookMsg{} } }

// ask returns the command that asks for what is shown.
func (m *Model) ask() tea.Cmd {
	m.asked++
	number, source, q, pid, screen := m.asked, m.source, m.query, m.pid, m.screen
	list, jobs, id := m.lists[screen], m.jobQuery, m.jobID
	return func() tea.Msg {
		ctx, cancel := context.WithTimeout(context.Background(), answerTime)
		defer cancel()
		a := answer{number: number}
		switch screen {
		case treeScreen:
			a.data, a.err = source.Tree(ctx, treeLimit)
		case actorScreen:
			a.data, a.err = source.Actor(ctx, pid)
		case workersScreen:
			a.data, a.err = source.Workers(ctx)
		case waitsScreen:
			a.data, a.err = source.Waits(ctx)
		case eventsScreen:
			a.data, a.err = source.Events(ctx)
		case findingsScreen:
			a.data, a.err = source.Findings(ctx)
		case jobsScreen, jobScreen, timersScreen, namesScreen:
			a.data, a.err = askList(ctx, source, screen, list, jobs, id)
		default:
			a.data, a.err = source.Look(ctx, q)
		}
		a.at = time.Now()
		return a
	}
}

// Update reacts to a message.
func (m Model) Update(msg tea.Msg) (tea.Model, tea.Cmd) {
	switch msg := msg.(type) {
	case tea.WindowSizeMsg:
		m.width, m.height = msg.Width, msg.Height
	case lookMsg:
		if m.paused || msg.number != m.asked {
			return m, nil
		}
		return m, m.ask()
	case answer:
		return m.take(msg)
	case interruptMsg:
		m.interrupted = true
		return m.end()
	case tea.KeyPressMsg:
		if m.typing {
			return m.typeIn(msg)
		}
		return m.press(msg)
	}
	return m.within(), nil
}

// take shows an answer, and has the next question asked later.
func (m Model) take(a answer) (tea.Model, tea.Cmd) {
	if a.number != m.asked {
		return m, nil
	}
	if m.problem = a.err; a.err == nil {
		m.loaded = true
		switch data := a.data.(type) {
		case Look:
			m.rate(data.Actors, a.at)
			m.look, m.wrong = data, data.Findings
		case []inspect.Finding:
			m.wrong = data
		case []inspect.Node:
			m.tree = data
		case ActorLook:
			m.actor = data
		case inspect.Workers:
			m.workers = data
		case WaitsLook:
			m.waits = data
		case []inspect.Event:
			slices.Reverse(data) // The latest first.
			m.events = data
		default:
			m.takeList(data)
		}
	}
	number := m.asked
	return m.within(), tea.Tick(m.every, func(time.Time) tea.Msg { return lookMsg{number} })
}

// rate says how much each actor has handled since the look before.
func (m *Model) rate(actors []inspect.Actor, at time.Time) {
	seconds := at.Sub(m.lookAt).Seconds()
	next, rates := map[string]uint64{}, map[string]float64{}
	for _, a := range actors {
		pid := a.PID.String()
		next[pid] = a.Handled
		if old, known := m.before[pid]; known && seconds > 0 && a.Handled >= old {
			rates[pid] = float64(a.Handled-old) / seconds
		}
	}
	m.before, m.rates, m.lookAt = next, rates, at
}

// within keeps the chosen row among those that there are, and in sight.
func (m Model) within() Model {
	rows := len(m.rows())
	m.at = max(0, min(m.at, rows-1))
	room := max(1, m.room())
	if m.screen == actorScreen || m.screen == jobScreen {
		m.top = max(0, min(m.at, rows-room)) // There is nothing to be chosen.
		m.at = m.top
		return m
	}
	m.top = max(0, min(m.top, m.at, rows-1))
	m.top = max(m.top, m.at-room+1)
	return m
}

// go to another screen.
func (m Model) show(s screen) (tea.Model, tea.Cmd) {
	if s != m.screen {
		m.back = append(m.back, m.screen)
	}
	return m.turnTo(s)
}

func (m Model) turnTo(s screen) (tea.Model, tea.Cmd) {
	m.screen, m.at, m.top, m.loaded, m.problem = s, 0, 0, false, nil
	return m, m.ask()
}

func (m Model) end() (tea.Model, tea.Cmd) {
	m.ended = true
	return m, tea.Quit
}

// chosen returns the PID of the chosen row, or "".
func (m Model) chosen() string {
	switch m.screen {
	case listScreen:
		if m.at < len(m.look.Actors) {
			return pidText(m.look.Actors[m.at])
		}
	case treeScreen:
		if flat := flatten(m.tree, 0); m.at < len(flat) {
			return pidText(flat[m.at].Actor)
		}
	case waitsScreen:
		if m.at < len(m.waits.Waits) {
			return textOf(m.waits.Waits[m.at].From)
		}
	case eventsScreen:
		if m.at < len(m.events) && m.events[m.at].ActorKind != "" {
			return textOf(m.events[m.at].PID)
		}
	case findingsScreen:
		if m.at < len(m.wrong) && m.wrong[m.at].PID != (actor.PID{}) {
			return textOf(m.wrong[m.at].PID)
		}
	}
	return m.chosenOfList()
}

func pidText(a inspect.Actor) string { return textOf(a.PID) }

func textOf(pid interface{ MarshalText() ([]byte, error) }) string {
	text, err := pid.MarshalText()
	if err != nil {
		return fmt.Sprint(pid)
	}
	return string(text)
}

// branch is a node of the tree with its depth.
type branch struct {
	inspect.Actor
	depth   int
	omitted int
}

func flatten(nodes []inspect.Node, depth int) (all []branch) {
	for _, n := range nodes {
		all = append(all, branch{n.Actor, depth, n.Omitted})
		all = append(all, flatten(n.Below, depth+1)...)
	}
	return all
}
