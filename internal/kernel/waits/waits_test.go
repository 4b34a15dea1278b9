package waits_test

import (
	"slices"
	"testing"

	"pgregory.net/rapid"

	"github.com/troupe-go/troupe/internal/kernel/waits"
)

// node is a node whose waiting handlers have the edges.
type node struct {
	name     string
	edges    []edge
	branches bool
	rule     waits.Rule
	holder   *node
}

func (n *node) Branches() bool        { return n.branches }
func (n *node) Rule(int) waits.Rule   { return n.rule }
func (n *node) Holder() *node         { return n.holder }
func (n *node) EdgesFor(*edge) []edge { return slices.Clone(n.edges) }

// wait is a wait; Over is set if it has ended since its edge was read.
type wait struct {
	over    bool
	spare   int  // With a group: how many of it may be stuck.
	spares  bool // Whether the handler can do without some.
	message bool // The wait ends when a message is handled, not a node's start or end.
	letIn   bool
	handler *wait // The wait of the handler that handles the message.
}

type edge struct {
	wait     *wait
	from, to *node
	group    int // 0 for none.
}

func (e edge) Wait() (*wait, uint64)     { return e.wait, 1 }
func (e edge) From() *node               { return e.from }
func (e edge) To() *node                 { return e.to }
func (e edge) IsCurrent() bool           { return !e.wait.over }
func (e edge) ForMessage() bool          { return e.wait.message }
func (e edge) HandledIn(other edge) bool { return e.wait.handler == other.wait }
func (e edge) LetIn() bool               { return e.wait.letIn }
func (e edge) IsOneOfSeveral() bool      { return e.group != 0 }
func (e edge) SameHandler(o edge) bool   { return e.group != 0 && e.group == o.group }
func (e edge) Spare() (int, bool)        { return e.wait.spare, e.wait.spares }

// nodes returns nodes with these names.
func nodes(names string) (all []*node) {
	for _, r := range names {
		all = append(all, &node{name: string(r)})
	}
	return all
}

// ask adds a wait of a handler of its own.
func ask(from, to *node) edge {
	e := edge{wait: &wait{message: true}, from: from, to: to}
	from.edges = append(from.edges, e)
	return e
}

// askBoth adds a handler that waits for two asks, and goes on when spare of them are missing.
func askBoth(from, one, two *node, spare int) edge {
	group := len(from.edges) + 1
	for _, to := range []*node{one, two} {
		w := &wait{message: true, spare: spare, spares: spare > 0}
		from.edges = append(from.edges, edge{wait: w, from: from, to: to, group: group})
	}
	return from.edges[len(from.edges)-2]
}

// path returns the names of the nodes that wait in a ring.
func path(ring []edge) (names string) {
	for _, e := range ring {
		names += e.from.name
	}
	return names
}

func wantRing(t *testing.T, first edge, want string) {
	t.Helper()
	if got := path(waits.FindRing(first)); got != want {
		t.Errorf("the ring is %q, want %q", got, want)
	}
}

func TestRingThatClosesIsFoundAndAChainIsNone(t *testing.T) {
	t.Parallel()
	n := nodes("abc")
	first := ask(n[0], n[1])
	ask(n[1], n[2])
	wantRing(t, first, "")
	ask(n[2], n[0])
	wantRing(t, first, "abc")
}

func TestRingIsNoneWithoutTheFirstEdge(t *testing.T) {
	t.Parallel()
	n := nodes("abc")
	first := ask(n[0], n[1])
	ask(n[1], n[2])
	ask(n[2], n[1])
	wantRing(t, first, "")
}

func TestRingIsNoneIfOneWaitHasEndedMeanwhile(t *testing.T) {
	t.Parallel()
	n := nodes("ab")
	first := ask(n[0], n[1])
	back := ask(n[1], n[0])
	wantRing(t, first, "ab")
	back.wait.over = true
	wantRing(t, first, "")
}

func TestNodeThatGoesOnHoldsUpNoMessage(t *testing.T) {
	t.Parallel()
	for rule, want := range map[waits.Rule]string{waits.AnyStuck: "ab", waits.AllStuck: "", waits.NoneStuck: ""} {
		n := nodes("abc")
		first := ask(n[0], n[1])
		n[1].branches, n[1].rule = true, rule
		ask(n[1], n[0])
		ask(n[1], n[2]) // A handler that will return.
		wantRing(t, first, want)
	}
}

func TestNodeWhoseHandlersAreAllStuckIsInARing(t *testing.T) {
	t.Parallel()
	n := nodes("abc")
	first := ask(n[0], n[1])
	n[1].branches, n[1].rule = true, waits.AllStuck
	ask(n[1], n[0])
	ask(n[1], n[2])
	ask(n[2], n[0])
	if got := path(waits.FindRing(first)); got != "ab" && got != "abc" {
		t.Errorf("the ring is %q, want one through b", got)
	}
	n[1].rule = waits.NoneStuck
	wantRing(t, first, "")
}

func TestAWaitForAnEndIsForAllHandlers(t *testing.T) {
	t.Parallel()
	n := nodes("ab")
	first := ask(n[0], n[1])
	n[1].branches, n[1].rule = true, waits.NoneStuck
	ask(n[1], n[0])
	wantRing(t, first, "")
	first.wait.message = false
	wantRing(t, first, "ab")
}

func TestMessageThatIsHandledDependsOnItsHandlerAlone(t *testing.T) {
	t.Parallel()
	n := nodes("abc")
	first := ask(n[0], n[1])
	n[1].branches = true
	back := ask(n[1], n[0])
	other := ask(n[1], n[2])
	wantRing(t, first, "ab")
	first.wait.handler = other.wait
	wantRing(t, first, "")
	first.wait.handler = back.wait
	n[1].rule = waits.NoneStuck
	wantRing(t, first, "ab")
}

func TestMessageThatIsLetInIsNotHeldUp(t *testing.T) {
	t.Parallel()
	n := nodes("ab")
	first := ask(n[0], n[1])
	ask(n[1], n[0])
	first.wait.letIn = true
	wantRing(t, first, "")
}

func TestHandlerWithSeveralAsksIsStuckByTheirNumber(t *testing.T) {
	t.Parallel()
	n := nodes("abc")
	first := ask(n[0], n[1])
	askBoth(n[1], n[0], n[2], 0)
	wantRing(t, first, "ab") // It waits for both, and one is stuck.

	n = nodes("abc")
	first = ask(n[0], n[1])
	askBoth(n[1], n[0], n[2], 1)
	wantRing(t, first, "") // It can do without one.
	ask(n[2], n[0])
	if got := path(waits.FindRing(first)); got != "ab" && got != "abc" {
		t.Errorf("the ring is %q, want one through b", got)
	}
}

func TestNodeInALoopWaitsForItsHolder(t *testing.T) {
	t.Parallel()
	n := nodes("abc")
	first := ask(n[0], n[1])
	ask(n[2], n[0])
	wantRing(t, first, "")
	n[1].holder = n[2]
	wantRing(t, first, "ac")
}

// Where each node waits for one other at most, a ring is where the waits lead back.
func TestPlainGraphsAgainstModel(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		n := nodes("abcdefgh")
		to := make([]int, len(n))
		for i := range n {
			if to[i] = rapid.IntRange(-1, len(n)-1).Draw(t, "to"); i == 0 {
				to[i] = max(to[i], 0)
			}
			if to[i] >= 0 {
				ask(n[i], n[to[i]])
			}
		}
		want, at := n[0].name, to[0]
		for range n {
			if at <= 0 {
				break
			}
			want, at = want+n[at].name, to[at]
		}
		if at != 0 {
			want = ""
		}
		if got := path(waits.FindRing(n[0].edges[0])); got != want {
			t.Errorf("the ring of %v is %q, want %q", to, got, want)
		}
	})
}

// Whatever the graph is, a ring begins with the first edge and each edge leads to the next.
func TestEachRingIsOne(t *testing.T) {
	t.Parallel()
	found := 0
	rapid.Check(t, func(t *rapid.T) {
		n := nodes("abcdef")
		draw := func(what string) *node { return n[rapid.IntRange(0, len(n)-1).Draw(t, what)] }
		for range rapid.IntRange(1, 12).Draw(t, "handlers") {
			if from := draw("from"); rapid.Bool().Draw(t, "several") {
				askBoth(from, draw("to"), draw("or"), rapid.IntRange(0, 1).Draw(t, "spare"))
			} else {
				ask(from, draw("to"))
			}
		}
		for _, n := range n {
			n.branches = len(n.edges) > 0
			n.rule = waits.Rule(rapid.IntRange(0, 2).Draw(t, "rule"))
		}
		for _, start := range n {
			for _, first := range start.edges {
				ring := waits.FindRing(first)
				if ring == nil {
					continue
				}
				found++
				if ring[0] != first {
					t.Errorf("the ring %q begins with another edge", path(ring))
				}
				for i, e := range ring {
					if next := ring[(i+1)%len(ring)]; e.to != next.from {
						t.Errorf("in the ring %q, %s does not lead to %s", path(ring), e.from.name, next.from.name)
					}
				}
			}
		}
	})
	if found == 0 {
		t.Error("no graph had a ring")
	}
}
