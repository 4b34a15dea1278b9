package parking_test

import (
	"fmt"
	"testing"

	"pgregory.net/rapid"

	"github.com/troupe-go/troupe/internal/workers/parking"
	"github.com/troupe-go/troupe/internal/workers/queues"
)

// newLot returns a lot with its workers, all awake.
func newLot(workers int, reserved [queues.Priorities]int) (*parking.Lot, []*parking.Worker) {
	var d parking.Lot
	d.Form(workers, reserved)
	all := make([]*parking.Worker, workers)
	for i := range all {
		all[i] = &parking.Worker{}
		all[i].Init(d.TierOf(i))
		all[i].Tier().TakePlace()
	}
	return &d, all
}

// enter puts a worker to sleep, but for the waiting.
func enter(d *parking.Lot, w *parking.Worker) {
	w.Resting.Store(true)
	d.Enter(w)
}

// TestAccounts compares the counts of searching and sleeping workers with a model, through every kind of change, and checks
// that each worker that was taken from the sleepers gets its token, and no other.
func TestAccounts(t *testing.T) {
	const workers = 5
	const (
		working   = "working"
		searching = "searching"
		sleeping  = "sleeping"
		woken     = "woken"    // A token is on its way, and it counts as searching.
		summoned  = "summoned" // A token is on its way, for its inbox.
	)
	rapid.Check(t, func(t *rapid.T) {
		d, all := newLot(workers, [queues.Priorities]int{})
		state := [workers]string{working, working, working, working, working}
		count := func(which ...string) (n int) {
			for _, st := range state {
				for _, w := range which {
					if st == w {
						n++
					}
				}
			}
			return n
		}
		draw := func(t *rapid.T, which ...string) int {
			var fit []int
			for i, st := range state {
				for _, w := range which {
					if st == w {
						fit = append(fit, i)
					}
				}
			}
			if len(fit) == 0 {
				t.Skip(fmt.Sprint("no worker in states ", which))
			}
			return rapid.SampledFrom(fit).Draw(t, "worker")
		}
		// deliver moves the workers that were given a token from the sleepers to another state.
		deliver := func(t *rapid.T, to string) {
			for i := range state {
				if !all[i].HasToken() {
					continue
				}
				if state[i] != sleeping {
					t.Fatalf("worker %d got a token while %s", i, state[i])
				}
				state[i] = to
			}
		}
		t.Repeat(map[string]func(*rapid.T){
			"search": func(t *rapid.T) {
				i := draw(t, working)
				may := 2*count(searching, woken) < workers
				if got := all[i].Tier().StartSearch(); got != may {
					t.Fatalf("the search is allowed: %t, want %t", got, may)
				} else if got {
					state[i], all[i].Searching = searching, true
				}
			},
			"sleep": func(t *rapid.T) {
				i := draw(t, working, searching)
				enter(d, all[i])
				state[i] = sleeping
			},
			"stay": func(t *rapid.T) {
				i := draw(t, sleeping, woken, summoned)
				if got, want := d.Leave(all[i]), state[i] == sleeping; got != want {
					t.Fatalf("worker %d may leave: %t, want %t", i, got, want)
				} else if got {
					all[i].Resting.Store(false)
					state[i] = searching
				}
			},
			"find": func(t *rapid.T) {
				i := draw(t, searching)
				state[i], all[i].Searching = working, false
				if got, want := all[i].Tier().EndSearch(), count(searching, woken) == 0; got != want {
					t.Fatalf("the worker was the last to search: %t, want %t", got, want)
				}
			},
			"wake": func(t *rapid.T) {
				before := count(sleeping)
				wakes := count(searching, woken) == 0 && before > 0
				if got, want := d.Wake(queues.Low), wakes || count(searching, woken) > 0; got != want {
					t.Fatalf("a worker searches: %t, want %t", got, want)
				}
				if deliver(t, woken); before-count(sleeping) != map[bool]int{true: 1}[wakes] {
					t.Fatalf("%d were woken of %d", before-count(sleeping), before)
				}
			},
			"wake one to search": func(t *rapid.T) {
				i := draw(t, working, searching, sleeping)
				wakes := state[i] == sleeping && count(searching, woken) == 0
				if got := d.WakeToSearch(all[i]); got != wakes {
					t.Fatalf("worker %d, %s, was woken: %t", i, state[i], got)
				}
				deliver(t, woken)
			},
			"wake one for its inbox": func(t *rapid.T) {
				i := draw(t, working, searching, sleeping)
				want := state[i]
				if want == sleeping {
					want = summoned
				}
				d.WakeForInbox(all[i])
				if deliver(t, summoned); state[i] != want {
					t.Fatalf("worker %d is %s, want %s", i, state[i], want)
				}
			},
			"wake all": func(t *rapid.T) {
				d.WakeAll()
				if deliver(t, woken); count(sleeping) != 0 {
					t.Fatalf("%d still sleep", count(sleeping))
				}
			},
			"wake up": func(t *rapid.T) {
				i := draw(t, woken, summoned)
				all[i].Woken()
				all[i].Resting.Store(false)
				if all[i].Searching != (state[i] == woken) {
					t.Fatalf("worker %d, %s, searches: %t", i, state[i], all[i].Searching)
				}
				state[i] = map[string]string{woken: searching, summoned: working}[state[i]]
			},
			"": func(t *rapid.T) {
				if got, want := d.Searching(), count(searching, woken); got != want {
					t.Fatalf("%d count as searching, want %d", got, want)
				}
				d.Lock()
				entered := d.Sleepers()
				d.Unlock()
				if got, want := d.Sleeping(), count(sleeping); got != want || entered != want {
					t.Fatalf("%d count as sleeping, %d are entered, want %d", got, entered, want)
				}
				if d.Nobody() != (d.Searching()+d.Sleeping() == 0) || d.Open().Idle() == d.Nobody() {
					t.Fatal("the accounts of the tier and the lot differ")
				}
			},
		})
	})
}

// The most recent sleeper is woken, since its caches are warm.
func TestMostRecentSleeperIsWoken(t *testing.T) {
	d, all := newLot(3, [queues.Priorities]int{})
	for _, w := range all {
		enter(d, w)
	}
	if d.Wake(queues.Low); !all[2].HasToken() {
		t.Error("another sleeper than the most recent was woken")
	}
}

// Work wakes a worker that takes it, of the tier that takes the least else, unless one that takes it searches.
func TestWakeGoesByTier(t *testing.T) {
	reserved := [queues.Priorities]int{queues.Critical: 1, queues.High: 1}
	for _, c := range []struct {
		p               queues.Priority
		asleep          []int // Worker 0 takes critical work, worker 1 up to high, the others take anything.
		searches, wakes int   // -1 is none.
		searching       bool
	}{
		{queues.Critical, []int{0, 1, 2}, -1, 0, true},
		{queues.High, []int{0, 1, 2}, -1, 1, true},
		{queues.Low, []int{0, 1, 2}, -1, 2, true},
		{queues.High, []int{0, 2}, -1, 2, true},
		{queues.Low, []int{0, 1}, -1, -1, false},
		{queues.High, []int{0, 2}, 1, -1, true},
		{queues.Low, []int{0, 2}, 1, 2, true},
		{queues.Critical, []int{0, 1}, 2, -1, true},
	} {
		d, all := newLot(4, reserved)
		for _, i := range c.asleep {
			enter(d, all[i])
		}
		if c.searches >= 0 && !all[c.searches].Tier().StartSearch() {
			t.Fatal("a worker may not search")
		}
		if got := d.Wake(c.p); got != c.searching {
			t.Errorf("%+v: a worker searches: %t", c, got)
		}
		for i, w := range all {
			if got := w.HasToken(); got != (i == c.wakes) {
				t.Errorf("%+v: worker %d was woken: %t", c, i, got)
			}
		}
	}
}

// Tiers have the places that the configuration gives them, and only a surplus is given up.
func TestTiers(t *testing.T) {
	d, all := newLot(5, [queues.Priorities]int{queues.Critical: 1, queues.Normal: 2})
	for i, want := range []queues.Priority{queues.Critical, queues.Normal, queues.Normal, queues.Low, queues.Low} {
		if got := all[i].Tier().Least(); got != want {
			t.Errorf("worker %d takes up to priority %d, want %d", i, got, want)
		}
	}
	if d.Ceiling() != queues.Low || d.Awake() != 5 || !d.Reserves() {
		t.Errorf("ceiling %d, %d awake, reserves %t", d.Ceiling(), d.Awake(), d.Reserves())
	}
	tier := all[1].Tier()
	if tier.Surplus() || tier.GiveUpPlace() {
		t.Error("there is a surplus at the beginning")
	}
	tier.TakePlace()
	if !tier.Surplus() || !tier.GiveUpPlace() || tier.GiveUpPlace() {
		t.Error("one worker more does not give up its place, or a second one does")
	}
	if tier.Takes() != queues.Critical.Bit()|queues.High.Bit()|queues.Normal.Bit() {
		t.Errorf("the tier takes %b", tier.Takes())
	}
	order := 0
	d.Tiers(func(x *parking.Tier) bool { order++; return x != tier })
	if order != 2 {
		t.Errorf("the tier is number %d", order)
	}
}
