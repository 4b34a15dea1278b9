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
			File: "lists.go",
			Old:  "	name := clean(j.Name)\n",
			New:  "	name := j.Name\n",
			Want: "FAIL: TestModelShowsLists",
			Run:  "^TestModelShowsLists$",
		},
		{
			Name: "stacks command the terminal",
			File: "describe.go",
			Old:  "\"    \"+clean(strings.ReplaceAll(strings.TrimRight(line, \"\\r\\n\"), \"\\t\", \"  \"))",
			New:  "\"    \"+strings.ReplaceAll(strings.TrimRight(line, \"\\r\\n\"), \"\\t\", \"  \")",
			Want: "FAIL: TestModelShowsLists",
			Run:  "^TestModelShowsLists$",
		},
		{
			Name: "there is no page behind the first of names",
			File: "lists.go",
			Old:  "	if len(p.Names) == limit {",
			New:  "	if len(p.Names) == limit+1 {",
			Want: "FAIL: TestClientGetsLists",
			Run:  "^TestClientGetsLists$",
		},
		{
			Name: "a new order begins in the middle",
			File: "listing.go",
			Old:  "	m.lists[s] = listing{prefix: prefix}\n",
			New:  "	m.lists[s].prefix = prefix\n",
			Want: "FAIL: TestModelShowsLists",
			Run:  "^TestModelShowsLists$",
		},
		{
			Name: "a filter of a list is one of actors",
			File: "keys.go",
			Old:  "		if m.typing = false; m.screen.isListing() {",
			New:  "		if m.typing = false; m.screen.isListing() && m.ended {",
			Want: "FAIL: TestModelShowsLists",
			Run:  "^TestModelShowsLists$",
		},
		{
			Name: "a view of names begins without its filter",
			File: "model.go",
			Old:  "		m.lists[m.screen].prefix, m.query.Name = q.Name, \"\"\n",
			New:  "		m.query.Name = \"\"\n",
			Want: "FAIL: TestModelBeginsWithAName",
			Run:  "^TestModelBeginsWithAName$",
		},
		{
			Name: "a paused view asks",
			File: "model.go",
			Old:  "		if m.paused || msg.number != m.asked {\n",
			New:  "		if msg.number != m.asked {\n",
			Want: "FAIL: TestModelAsks",
			Run:  "^TestModelAsks$",
		},
		{
			Name: "an outdated look is taken",
			File: "model.go",
			Old:  "		if m.paused || msg.number != m.asked {\n",
			New:  "		if m.paused {\n",
			Want: "FAIL: TestModelOfALostProgram",
			Run:  "^TestModelOfALostProgram$",
		},
		{
			Name: "what is lost is not told of",
			File: "model.go",
			Old:  "	if m.problem = a.err; a.err == nil {\n",
			New:  "	if m.problem = nil; a.err == nil {\n",
			Want: "FAIL: TestModelOfALostProgram",
			Run:  "^TestModelOfALostProgram$",
		},
		{
			Name: "the chosen row is out of sight",
			File: "model.go",
			Old:  "	m.top = max(m.top, m.at-room+1)\n",
			New:  "",
			Want: "FAIL: TestModelFits",
			Run:  "^TestModelFits$",
		},
		{
			Name: "lines are wider than the screen",
			File: "view.go",
			Old:  "		lines[i] = fit.Render(line)\n",
			New:  "		lines[i] = line\n		_ = fit\n",
			Want: "FAIL: TestModelFits",
			Run:  "^TestModelFits$",
		},
	},
}
