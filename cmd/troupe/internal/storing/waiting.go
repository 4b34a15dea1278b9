package storing

import (
	"context"
	"errors"
	"fmt"
	"sync"
	"sync/atomic"
	"time"

	"github.com/troupe-go/troupe/actor"
	"github.com/troupe-go/troupe/internal/bench/suite"
	"github.com/troupe-go/troupe/journal"
	"github.com/troupe-go/troupe/journal/memory"
	"github.com/troupe-go/troupe/journal/sqlite"
)

// A commit counts as a second, so that a time in commits is a time.
var latency = suite.Workload{
	Name: "journal-persist", Family: suite.Journals, Baseline: raw, Kind: suite.Latency, Percentiles: []float64{50, 99}, Unit: "commits", Per: time.Second,
	Step: writers, Duration: 2 * time.Second,
	About: "how long a Persist of 64 actors at once takes, in mean commits of the same run, with SQLite; by hand, how long a commit takes",
}

// A commit counts as a second here, too.
var count = suite.Workload{
	Name: "journal-commits", Family: suite.Journals, Baseline: raw, Kind: suite.Latency, Percentiles: []float64{50, 99}, Unit: "commits", Per: time.Second,
	Step: writers, Duration: 2 * time.Second,
	About:   "how many commits end while a Persist of 64 actors at once waits, the last one its own, with SQLite",
	Targets: []suite.Target{{Subject: troupe, Row: "journal-commits-p99", Of: suite.MedianFigure, AtMost: 3}},
}

// timed counts commits, and notes how long they take.
type timed struct {
	journal.Store
	commits atomic.Int64
	took    time.Duration // Of the committer alone.
}

func (t *timed) Append(ctx context.Context, batch []*journal.Write) error {
	begin := time.Now()
	err := t.Store.Append(ctx, batch)
	t.took += time.Since(begin)
	t.commits.Add(1)
	return err
}

func persistInCommits(r *suite.Run) (int64, error) {
	return persistSampled(r, func(t *timed, s sample) time.Duration {
		return inMeans(s.took, t.took, int(t.commits.Load()))
	})
}

func countCommits(r *suite.Run) (int64, error) {
	return persistSampled(r, func(_ *timed, s sample) time.Duration { return time.Duration(s.commits) * time.Second })
}

// inMeans returns a time in units of the mean of n that took all.
func inMeans(d, all time.Duration, n int) time.Duration {
	return time.Duration(float64(d) / float64(all) * float64(max(1, n)) * float64(time.Second))
}

// commitsByHand is how long each transaction by hand takes, in their mean.
func commitsByHand(r *suite.Run) (int64, error) {
	var took []time.Duration
	n, err := insertToSQLite(r, half, func(d time.Duration) { took = append(took, d) })
	all := time.Duration(0)
	for _, d := range took {
		all += d
	}
	for _, d := range took {
		for range half { // One for each event, as each of them waits for it.
			r.Sample(inMeans(d, all, len(took)))
		}
	}
	return n, err
}

// persistSampled has 64 actors persist, and samples each Persist in commits.
func persistSampled(r *suite.Run, inCommits func(*timed, sample) time.Duration) (n int64, err error) {
	err = inFile(func(path string) error {
		store, err := sqlite.Open(path)
		if err != nil {
			return err
		}
		t := &timed{Store: store}
		g, err := newGroup(t, writers, &t.commits, actor.Config{})
		if err == nil {
			err = g.measure(r)
		}
		if err = errors.Join(err, store.Close()); err != nil {
			return err
		}
		for _, samples := range g.samples {
			for _, s := range samples {
				r.Sample(inCommits(t, s))
				n++
			}
		}
		return nil
	})
	return n, err
}

// crowd is how many actors persist while others work.
const crowd = 10_000

var many = suite.Workload{
	Name: "journal-many", Family: suite.Journals, Baseline: raw, Kind: suite.Latency, Percentiles: []float64{50, 99}, Unit: "µs", Per: time.Microsecond,
	Size: crowd, TinySize: 100, Step: 100, TinyN: 100,
	About:   "an actor answers while 10,000 others wait for one commit; no worker has a spare one, so that it would not answer if they held them",
	Targets: []suite.Target{{Subject: troupe, Row: "journal-many-p50", Of: suite.RatioToBaseline, AtMost: 1.5}},
}

// gate is a store whose commits wait until it is opened.
type gate struct {
	*memory.Store
	open chan struct{}
	mu   sync.Mutex
	all  int // Writes of all commits that have begun.
}

func (g *gate) Append(ctx context.Context, batch []*journal.Write) error {
	<-g.open
	g.mu.Lock()
	g.all += len(batch)
	g.mu.Unlock()
	return g.Store.Append(ctx, batch)
}

func askAlone(r *suite.Run) (int64, error) { return answer(r, 0) }

func askBesideMany(r *suite.Run) (int64, error) { return answer(r, r.Size) }

// answer asks an actor beside n that wait for their commit.
func answer(r *suite.Run, n int) (answered int64, err error) {
	gate := &gate{Store: memory.New(), open: make(chan struct{})}
	g, err := newGroup(gate, n, nil, actor.Config{MaxSpares: -1})
	if err != nil {
		return 0, err
	}
	defer func() { err = errors.Join(err, g.sys.Stop(background)) }()
	before := g.sys.Scheduler().Stats().Total() // Recovery waits, too.
	opened := make(chan error, 1)
	go func() { opened <- g.persist(1) }()
	open := sync.OnceFunc(func() { close(gate.open) })
	defer open()
	other, err := actor.Spawn(g.sys, actor.Func(func(ctx *actor.Context[actor.Reply[int]], m actor.Reply[int]) error { return m.Send(ctx, 1) }))
	if err != nil {
		return 0, err
	}
	if err := g.awaitWaiting(before.Suspended + uint64(n)); err != nil {
		return 0, err
	}
	r.Start()
	for range r.N {
		begin := time.Now()
		one, err := actor.Ask(background, other, func(r actor.Reply[int]) actor.Reply[int] { return r })
		if err != nil {
			return answered, err
		}
		r.Sample(time.Since(begin))
		answered += int64(one)
	}
	r.Stop()
	open()
	err = <-opened
	if err == nil && gate.all != n {
		err = fmt.Errorf("%d of %d events are stored", gate.all, n)
	}
	return answered, err
}

// awaitWaiting returns when there were n waits.
func (g *group) awaitWaiting(n uint64) error {
	const limit = time.Minute
	for since := time.Now(); ; {
		if got := g.sys.Scheduler().Stats().Total().Suspended; got >= n {
			return nil
		}
		if time.Since(since) > limit {
			return fmt.Errorf("after %v there were not %d waits", limit, n)
		}
		time.Sleep(time.Millisecond)
	}
}
