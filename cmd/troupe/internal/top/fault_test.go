//go:build !modelcheck && !race && !invariants

package top_test

import (
	"testing"

	"github.com/troupe-go/troupe/internal/planted"
)

// TestTestsFindPlantedFaults shows that the tests of the live view find what they
// are there to find.
func TestTestsFindPlantedFaults(t *testing.T) {
	planted.Expect(t, "", topFaults)
}

var topFaults = planted.Group{
	Run: "^(TestModel.*|TestClientGetsLists)$",
	Faults: []planted.Fault{
		{
			Name: "names of jobs command the terminal",
			In:   "jobRow",
			Old:  "name := clean(j.Name)",
			New:  "name := j.Name",
			Want: "FAIL: TestModelShowsLists",
			Run:  "^TestModelShowsLists$",
		},
		{
			Name: "stacks command the terminal",
			In:   "stackLines",
			Old:  `clean(strings.ReplaceAll(strings.TrimRight(line, "\r\n"), "\t", "  "))`,
			New:  `strings.ReplaceAll(strings.TrimRight(line, "\r\n"), "\t", "  ")`,
			Want: "FAIL: TestModelShowsLists",
			Run:  "^TestModelShowsLists$",
		},
		{
			Name: "there is no page behind the first of names",
			In:   "Client.Names",
			Old:  "len(p.Names) == limit",
			New:  "len(p.Names) == limit+1",
			Want: "FAIL: TestClientGetsLists",
			Run:  "^TestClientGetsLists$",
		},
		{
			Name: "a new order begins in the middle",
			In:   "Model.listFrom",
			Old:  "m.lists[s] = listing{prefix: prefix}",
			New:  "m.lists[s].prefix = prefix",
			Want: "FAIL: TestModelShowsLists",
			Run:  "^TestModelShowsLists$",
		},
		{
			Name: "a filter of a list is one of actors",
			In:   "Model.typeIn",
			Old: `if m.typing = false; m.screen.isListing() {
	return m.listFrom(m.screen, m.typed)
}`,
			New: `if m.typing = false; m.screen.isListing() && m.ended {
	return m.listFrom(m.screen, m.typed)
}`,
			Want: "FAIL: TestModelShowsLists",
			Run:  "^TestModelShowsLists$",
		},
		{
			Name: "a view of names begins without its filter",
			In:   "NewModel",
			Old:  `m.lists[m.screen].prefix, m.query.Name = q.Name, ""`,
			New:  `m.query.Name = ""`,
			Want: "FAIL: TestModelBeginsWithAName",
			Run:  "^TestModelBeginsWithAName$",
		},
		{
			Name: "a paused view asks",
			In:   "Model.Update",
			Old:  "m.paused || msg.number != m.asked",
			New:  "msg.number != m.asked",
			Want: "FAIL: TestModelAsks",
			Run:  "^TestModelAsks$",
		},
		{
			Name: "an outdated look is taken",
			In:   "Model.Update",
			Old: `if m.paused || msg.number != m.asked {
	return m, nil
}`,
			New: `if m.paused {
	return m, nil
}`,
			Want: "FAIL: TestModelOfALostProgram",
			Run:  "^TestModelOfALostProgram$",
		},
		{
			Name: "what is lost is not told of",
			In:   "Model.take",
			Old: `if m.problem = a.err; a.err == nil {
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
}`,
			New: `if m.problem = nil; a.err == nil {
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
}`,
			Want: "FAIL: TestModelOfALostProgram",
			Run:  "^TestModelOfALostProgram$",
		},
		{
			Name: "the chosen row is out of sight",
			In:   "Model.within",
			Old:  "m.top = max(m.top, m.at-room+1)",
			New:  "",
			Want: "FAIL: TestModelFits",
			Run:  "^TestModelFits$",
		},
		{
			Name: "lines are wider than the screen",
			In:   "Model.draw",
			Old:  "lines[i] = fit.Render(line)",
			New: `lines[i] = line
_ = fit`,
			Want: "FAIL: TestModelFits",
			Run:  "^TestModelFits$",
		},
	},
}
