package savina_test

import (
	"slices"
	"testing"

	"github.com/troupe-go/troupe/bench/internal/savina"
	"github.com/troupe-go/troupe/internal/bench/suite"
	"github.com/troupe-go/troupe/internal/leak"
)

func TestMain(m *testing.M) { leak.Main(m) }

func TestSineIsComputed(t *testing.T) {
	if !savina.Sine(savina.Theta) || !savina.Craft(3) || !savina.Cut() {
		t.Error("work reports false")
	}
}

func TestChameneosMeet(t *testing.T) {
	for _, c := range [][3]savina.Colour{{0, 0, 0}, {0, 1, 2}, {1, 0, 2}, {2, 1, 0}, {2, 2, 2}} {
		if got := c[0].Meet(c[1]); got != c[2] {
			t.Errorf("%d meets %d and becomes %d, want %d", c[0], c[1], got, c[2])
		}
	}
}

func TestClientKnowsWhatItsKeysHold(t *testing.T) {
	d := map[int]int{}
	a, b := savina.NewClient(0), savina.NewClient(1)
	writes := 0
	for range 1000 {
		for _, c := range []*savina.Client{a, b} {
			q := c.Next()
			if c.Check(q.Do(d)); q.Write {
				writes++
			}
		}
	}
	if a.Right != 1000 || b.Right != 1000 || writes < 100 || writes > 300 {
		t.Errorf("%d and %d right answers with %d writes, want 1000 each and about 200", a.Right, b.Right, writes)
	}
	for q := a.Next(); ; q = a.Next() {
		if v := q.Do(d); v != 0 {
			a.Check(v + 1)
			break
		}
	}
	if a.Right != 1000 {
		t.Error("a wrong answer counts as right")
	}
}

func TestBuffer(t *testing.T) {
	type delivery struct{ to, item int }
	var produce []int
	var consumed []delivery
	b := savina.Buffer[int]{
		Produce: func(to int) { produce = append(produce, to) },
		Consume: func(to, item int) { consumed = append(consumed, delivery{to, item}) },
	}
	if waiting := b.Take(100); waiting != 1 {
		t.Errorf("%d consumers wait, want 1", waiting)
	}
	for i := range savina.BufferSize + 1 {
		b.Put(i, i)
	}
	// The first went to the consumer; the producer of the last has to wait.
	if len(produce) != savina.BufferSize || len(consumed) != 1 || consumed[0] != (delivery{100, 0}) {
		t.Errorf("%d producers may go on, consumed %v", len(produce), consumed)
	}
	b.Take(101)
	if len(produce) != savina.BufferSize+1 || consumed[1] != (delivery{101, 1}) {
		t.Errorf("%d producers may go on after a Take, consumed %v", len(produce), consumed)
	}
}

func TestTable(t *testing.T) {
	table := savina.NewTable(4)
	if !table.Take(0) || table.Take(1) || table.Take(3) || !table.Take(2) {
		t.Error("forks were given twice, or free ones not")
	}
	table.Put(0)
	if _, err := table.Meals(); err == nil {
		t.Error("forks that were not put back are no error")
	}
	table.Put(2)
	if n, err := table.Meals(); n != 2 || err != nil || !table.Take(3) {
		t.Errorf("%d meals, %v, want 2", n, err)
	}
}

func TestTransfers(t *testing.T) {
	const n, accounts = 500, 20
	balances := make([]int, accounts)
	teller := savina.NewTeller(n, accounts)
	for done := false; !done; {
		for x, ok := teller.Next(); ok; x, ok = teller.Next() {
			if x.From >= x.To || x.To >= accounts {
				t.Fatalf("transfer %+v, want one to a higher account", x)
			}
			balances[x.From] -= x.Amount
			balances[x.To] += x.Amount
		}
		if teller.Pending > accounts {
			t.Fatalf("%d transfers are under way", teller.Pending)
		}
		done = teller.Confirm()
	}
	if err := savina.CheckBalances(n, balances); err != nil || teller.Done != n {
		t.Errorf("%d transfers, %v", teller.Done, err)
	}
	balances[3]++
	balances[4]--
	if savina.CheckBalances(n, balances) == nil {
		t.Error("wrong balances with the right sum were not noticed")
	}
}

func TestRadixSort(t *testing.T) {
	const n, bits = 1000, 8
	values := make([]int, n)
	var want int64
	for i := range values {
		values[i] = savina.Value(i, bits)
		want += int64(values[i])
	}
	for bit := range bits {
		d, next := savina.NewDigit(bit, n), []int(nil)
		for _, v := range values {
			if d.Pass(v) {
				next = append(next, v)
			}
			next = append(next, d.Rest()...)
		}
		values = next
	}
	order := savina.NewOrder(n)
	for i, v := range values {
		if last := order.Take(v); last != (i == n-1) {
			t.Fatalf("last = %v at %d", last, i)
		}
	}
	if sum, err := order.Sum(); sum != want || err != nil || !slices.IsSorted(values) {
		t.Errorf("sum %d, %v, want %d", sum, err, want)
	}
	wrong := savina.NewOrder(2)
	wrong.Take(2)
	wrong.Take(1)
	if _, err := wrong.Sum(); err == nil {
		t.Error("a wrong order was not noticed")
	}
}

func TestSieve(t *testing.T) {
	for limit, want := range map[int]int64{100: 25, 1000: 168, 50_000: 5133} {
		if got := savina.PrimesBelow(limit); got != want {
			t.Errorf("%d primes below %d, want %d", got, limit, want)
		}
	}
	chain := []savina.Filter{savina.NewFilter(1000)}
	_ = savina.Candidates(1000, func(v int) error {
		for i := 0; v != savina.LastNumber && chain[i].Pass(v); i++ {
			if i+1 == len(chain) {
				chain = append(chain, chain[i].Next())
			}
		}
		return nil
	})
	if last := chain[len(chain)-1]; last.Count() != 168 || len(chain) != 17 {
		t.Errorf("%d links count %d primes, want 17 and 168", len(chain), last.Count())
	}
}

func TestCobwebHasItsSizeAndIsUnbalanced(t *testing.T) {
	nodes, widest, deepest := 0, 0, 0
	var walk func(n savina.Node, depth int)
	walk = func(n savina.Node, depth int) {
		nodes++
		children := 0
		for c := range n.Children {
			children++
			walk(c, depth+1)
		}
		widest, deepest = max(widest, children), max(deepest, depth)
	}
	walk(savina.Root(5000), 0)
	if nodes != 5000 || widest < 8 || widest > 10 || deepest < 10 {
		t.Errorf("%d nodes, up to %d children, depth %d", nodes, widest, deepest)
	}
	if savina.Root(5000).Total() == savina.Root(4999).Total() {
		t.Error("a missing node does not change the result")
	}
}

func TestQueens(t *testing.T) {
	for size, want := range map[int]int64{4: 2, 6: 4, 8: 92, 10: 724} {
		if got := (savina.Board{Size: size}).Result(); got != want {
			t.Errorf("%d queens: %d solutions, want %d", size, got, want)
		}
	}
	var m savina.Master
	for range 3 {
		if w := m.Assign(); w < 0 || w >= savina.Workers {
			t.Errorf("assigned to %d", w)
		}
	}
	if m.Finished(1) || m.Finished(2) || !m.Finished(3) || m.Result != 6 {
		t.Errorf("the end was not seen, or %d is not the sum", m.Result)
	}
}

// TestBlocksAddUpToTheProduct multiplies by blocks, and compares with the sum that the workload
// expects.
func TestBlocksAddUpToTheProduct(t *testing.T) {
	for _, w := range savina.Workloads {
		if w.Name != savina.MatrixProduct {
			continue
		}
		const size = 128
		var sum func(b savina.Block) int64
		parts := 0
		sum = func(b savina.Block) (all int64) {
			if !b.Shared() {
				parts++
				return b.Result()
			}
			for part := range b.Parts {
				all += sum(part)
			}
			return all
		}
		got := sum(savina.NewFactors(&suite.Run{Size: size}).Whole())
		if want := w.Want(1, size); got != want || parts != 64 {
			t.Errorf("the sum over %d parts is %d, want %d over 64", parts, got, want)
		}
	}
}

// runAlone runs a program on one goroutine, message after message, and returns its result and how many messages it had.
func runAlone[M any](net *savina.Network[M]) (result int64, messages int) {
	type parcel struct {
		to int
		m  M
	}
	var queue []parcel
	send := func(to int, m M) { queue = append(queue, parcel{to, m}) }
	net.Feed(send)
	for ; len(queue) > 0; messages++ {
		next := queue[0]
		queue = queue[1:]
		net.Handle(next.to, next.m, send)
	}
	return <-net.Done, messages
}

// wanted returns what a workload expects of one run.
func wanted(t *testing.T, name string, size int) int64 {
	t.Helper()
	for _, w := range savina.Workloads {
		if w.Name == name {
			return w.Want(1, size)
		}
	}
	t.Fatalf("there is no workload %s", name)
	return 0
}

func TestFilterBank(t *testing.T) {
	const size = 200
	got, messages := runAlone(savina.NewFilterBank(&suite.Run{Size: size}))
	if want := wanted(t, savina.FilterBank, size); got != want || got == 0 {
		t.Errorf("the sum is %d, want %d, and not 0", got, want)
	}
	if want := size * (1 + 8*5 + 8); messages != want {
		t.Errorf("%d messages, want %d", messages, want)
	}
}

// The last filter of a channel sees what the first one has seen 64 samples ago.
func TestFilterBankDelays(t *testing.T) {
	if got := wanted(t, savina.FilterBank, 64); got != 0 {
		t.Errorf("the sum of the first 64 samples is %d, want 0", got)
	}
	if got := wanted(t, savina.FilterBank, 80); got == 0 {
		t.Error("the sum of 80 samples is 0")
	}
}

func TestAStarReachesAllPlaces(t *testing.T) {
	for _, size := range []int{1, 2, 12, 20} {
		got, messages := runAlone(savina.NewAStar(&suite.Run{Size: size}))
		if want := wanted(t, savina.AStar, size); got != want || want != int64(size*size*size) {
			t.Errorf("a grid of %d: %d places were searched, want %d", size, got, want)
		}
		if size == 20 && messages < 100 {
			t.Errorf("the work was given out with %d messages", messages)
		}
	}
}
