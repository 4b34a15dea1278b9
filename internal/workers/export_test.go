package workers

import (
	"sync/atomic"
	"time"
	"unsafe"

	"github.com/troupe-go/troupe/internal/invariants"
	"github.com/troupe-go/troupe/internal/topology"
	"github.com/troupe-go/troupe/internal/workers/queues"
	"github.com/troupe-go/troupe/internal/workers/stealing"
)

// LocalCapacity and NextCapacity are the sizes of a still worker's queues.
var (
	LocalCapacity = invariants.Shrink(1024, 4)
	NextCapacity  = invariants.Shrink(nextCapacity, 4)
)

// ForksCapacity and Offered are how many branches can be on offer at all, and
// how many are while everybody is busy.
var (
	ForksCapacity = invariants.Shrink(forksCapacity, 4)
	Offered       = min(offered, ForksCapacity)
)

// The scheduler's constants that tests count up to.
const (
	FairTurn     = fairTurn
	SearchRounds = searchRounds
)

// NewStill returns a scheduler with workers that don't run, nor a monitor: the
// test makes each of their steps itself.
func NewStill(cfg Config) *Scheduler {
	cfg, err := cfg.WithDefaults()
	if err != nil {
		panic(err)
	}
	s := assemble(cfg)
	s.SetClock(new(Clock)) // So that nothing is done for the reason that time has passed.
	workers := make([]*Worker, cfg.Workers)
	for i := range workers {
		workers[i] = newWorker(s, s.lot.TierOf(i), i, false)
		workers[i].park.Tier().TakePlace()
	}
	s.workers.Store(&workers)
	return s
}

// Clock is a time that passes when the test says so.
type Clock struct{ now, read atomic.Int64 }

// Advance lets time pass.
func (c *Clock) Advance(d time.Duration) { c.now.Add(int64(d)) }

// Now returns how much time has passed.
func (c *Clock) Now() time.Duration {
	c.read.Add(1)
	return time.Duration(c.now.Load())
}

// Read returns how often the clock was looked at.
func (c *Clock) Read() int { return int(c.read.Load()) }

// SetClock has an idle scheduler take its time from c.
func (s *Scheduler) SetClock(c *Clock) { s.clock = c.Now }

// NewWithClock returns a running scheduler that takes its time from c. Only the pauses
// of its monitor are in real time.
func NewWithClock(cfg Config, c *Clock) (*Scheduler, error) {
	cfg, err := cfg.WithDefaults()
	if err != nil {
		return nil, err
	}
	s := assemble(cfg)
	s.SetClock(c)
	s.start()
	return s, nil
}

func (s *Scheduler) Worker(i int) *Worker { return (*s.workers.Load())[i] }
func (s *Scheduler) Awake() int           { return int(s.lot.Awake()) }
func (s *Scheduler) Settled() bool        { return s.settled.Load() }

// Searching and Sleeping are the two halves of the idle word.
func (s *Scheduler) Searching() int { return s.lot.Searching() }
func (s *Scheduler) Sleeping() int  { return s.lot.Sleeping() }
func (s *Scheduler) Wake()          { s.lot.Wake(queues.Low) }
func (s *Scheduler) WakeAll()       { s.lot.WakeAll() }

func (w *Worker) StartSearch() bool {
	w.park.Searching = w.park.Searching || w.park.Tier().StartSearch()
	return w.park.Searching
}
func (w *Worker) Found()          { w.found() }
func (w *Worker) EnterIdle()      { w.s.lot.Enter(&w.park) }
func (w *Worker) LeaveIdle() bool { return w.s.lot.Leave(&w.park) }

// Token takes the worker's token if there is one, as its sleep does.
func (w *Worker) Token() bool {
	if !w.park.HasToken() {
		return false
	}
	w.park.Woken()
	return true
}

func (w *Worker) Push(n *Node, p Priority)               { w.push(n, p) }
func (w *Worker) PushNext(n *Node)                       { w.pushNext(n) }
func (w *Worker) Poll() (*Node, Priority)                { return w.poll() }
func (w *Worker) SearchOnce(round int) (*Node, Priority) { return w.searchOnce(round) }
func (w *Worker) Sleep() bool                            { return w.sleep() }
func (w *Worker) Fork(n *Node)                           { w.fork(n) }
func (w *Worker) TakeBack(n *Node) bool                  { return w.takeBack(n) }
func (w *Worker) LeaveForks()                            { w.leaveForks() }
func (w *Worker) ForksOnOffer() int                      { return w.queues.Branches.Len() }
func (w *Worker) Begin()                                 { w.began.Store(1) }
func (w *Worker) BeginWork(n *Node)                      { w.beginWork(n) }
func (w *Worker) Mark()                                  { w.transitionToHeld() }
func (w *Worker) ReadClock()                             { w.readClock() }
func (w *Worker) SetReplaced()                           { w.transitionToReplaced() }
func (w *Worker) Blocked() bool                          { return w.replaced() }
func (w *Worker) Held() bool                             { return w.hold.Load() == holdHeld }
func (w *Worker) SetResting(resting bool)                { w.park.Resting.Store(resting) }
func (w *Worker) SignOfLife()                            { w.signOfLife() }
func (w *Worker) Queued(p Priority) int                  { return w.queues.Local[p].Len() }

// beginWork is what a fiber of the worker's does before it runs n, or after it did
// if n is nil.
func (w *Worker) beginWork(n *Node) {
	f := &Fiber{s: w.s, w: w}
	if n != nil {
		w.began.Store(w.began.Load() + 1)
		f.running.Store(n)
	}
	w.on.Store(f)
}

// Replace is what the monitor does with a worker that it takes for blocked.
func (s *Scheduler) Replace(w *Worker) bool { return s.monitor.replace(w) }

// Quiet reports whether the monitor may sleep.
func (s *Scheduler) Quiet() bool { return s.monitor.quiet() }

// Look is one look of the monitor.
func (s *Scheduler) Look() (found bool) { return s.monitor.look(monitorMax) }

// SetMonitorAsleep and MonitorAsleep say whether the monitor has to be roused.
func (s *Scheduler) SetMonitorAsleep()   { s.monitor.asleep.Store(true) }
func (s *Scheduler) MonitorAsleep() bool { return s.monitor.asleep.Load() }

// JobBegun and JobEnded count a job that no worker runs.
func (s *Scheduler) JobBegun() { s.account.came.Add(1) }
func (s *Scheduler) JobEnded() { s.jobGone() }

// SettleNow lets the workers that a still scheduler has started leave, and waits
// for them.
func (s *Scheduler) SettleNow() {
	s.transitionToSettled()
	s.lot.WakeAll()
	s.monitor.close()
	s.running.Wait()
}

// TakeShared takes from a shared queue, and TakeFrom from one of the worker's.
func (s *Scheduler) TakeShared(p Priority) *Node { return s.shared.Take(queues.Priority(p), nil, 0) }
func (w *Worker) TakeFrom(p Priority) *Node      { return w.queues.Local[p].Take() }

// RunOn runs n on a fiber that has no stack.
func (s *Scheduler) RunOn(n *Node, p Priority) { n.runner.Run(&Fiber{s: s, w: s.Worker(0)}, p) }

// HasGoroutine reports whether the fiber's goroutine is known to be alive.
func (f *Fiber) HasGoroutine() bool { return f.entry.Goroutine() != 0 }

// Force gives up whatever is queued, as a forced stop does.
func (s *Scheduler) Force() { s.force() }

// Search is the whole of a worker's search.
func (w *Worker) Search() (*Node, Priority) { return w.search() }

// Tick is what a worker does for each piece of work, and Rest behind the last.
func (w *Worker) Tick() { w.tick() }
func (w *Worker) Rest() { w.rest() }

// Nudge has the worker give way at its next tick, and SetBudget says how many ticks
// there are until it looks at the clock.
func (w *Worker) Nudge()          { w.meter.nudge() }
func (w *Worker) SetBudget(n int) { w.meter.budget = n }

// KeepPreferred is how many pieces of preferred work others leave alone.
const KeepPreferred = keepPreferred

// BlockedAfter is what the configuration says, or its default.
func (s *Scheduler) BlockedAfter() time.Duration { return s.cfg.BlockedAfter }

// Bind ties the fiber to the worker that it is on.
func (f *Fiber) Bind() { f.bind(f.w) }

// NewOn is New on another machine than this.
func NewOn(cfg Config, m topology.Machine) (*Scheduler, error) {
	cfg, err := cfg.WithDefaults()
	if err != nil {
		return nil, err
	}
	s := assemble(cfg)
	s.SetMachine(m)
	return s, s.launch()
}

// SetMachine gives a still scheduler other processors than it runs on.
func (s *Scheduler) SetMachine(m topology.Machine) { s.machine, s.flat = m, m.Flat() }

// SetAt puts the worker on a processor of the scheduler's machine.
func (w *Worker) SetAt(id int) {
	c, _ := w.s.machine.Find(id)
	w.location.Pin(c)
}

// SetPace says what a piece of the worker's work takes.
func (w *Worker) SetPace(each time.Duration) { w.pace.Set(each) }

// Publish makes the worker's counters visible in Stats.
func (w *Worker) Publish() { w.publish() }

// Tried, Stole and Searched count other events during a search.
func (w *Worker) Tried(contended bool)     { w.policy.Tried(contended) }
func (w *Worker) Stole(cost time.Duration) { w.policy.Stole(cost) }
func (w *Worker) Searched(fruitless bool)  { w.policy.Searched(fruitless, w.s.flat) }

// Course is the order in which the worker's next round goes over n workers.
func (w *Worker) Course(n int) (first, step int) { return w.policy.Course(w.random, n) }

// The figures of a steal.
const (
	StealBatchMax = stealing.MaxBatch
	StealLoad     = stealing.Load
	StealWindow   = stealing.Window
)

// FallAsleep is what a worker does when it has searched in vain, but for waiting.
func (w *Worker) FallAsleep() {
	w.count.Slept++
	w.publish()
	w.park.Resting.Store(true)
	w.s.lot.Enter(&w.park)
}

// WakeUp takes the worker's token, if there is one, and has it run a piece of
// work if it found any.
func (w *Worker) WakeUp(found bool) bool {
	if !w.Token() {
		return false
	}
	w.park.Resting.Store(false)
	if found {
		w.count.Jobs++
	}
	w.found()
	return true
}

// Retry makes the rounds on behalf of sleepers that are due now.
func (s *Scheduler) Retry() { s.monitor.retry(s.now()) }

// Cost is the estimate of what n costs, as thieves see it.
func (n *Node) Cost() time.Duration { return n.cost() }

// Node is the job as it is queued.
func (j *Job) Node() *Node { return &j.node }

// Waiters is how many wait for the job.
func (j *Job) Waiters() (n int) {
	if rare := j.rare.Load(); rare != nil {
		rare.mu.Lock()
		defer rare.mu.Unlock()
		for w := rare.waiters; w != nil; w = w.next {
			n++
		}
	}
	return n
}

// Warmed returns how many fibers the workers have warmed. They must have left.
func (s *Scheduler) Warmed() (n uint64) {
	for _, w := range *s.workers.Load() {
		n += w.count.Warmed
	}
	return n
}

// Top returns where the fiber's stack ended when it was last left.
func (f *Fiber) Top() uintptr { return f.top.Load() }

// FiberSize is the memory of a fiber, without its stack.
const FiberSize = unsafe.Sizeof(Fiber{})

// JobSize is the memory that a job's handle takes.
const JobSize = unsafe.Sizeof(function{})

// MaxKinds is how many kinds of jobs are told apart.
const MaxKinds = maxKinds

// Learn notes that a job of that kind took d.
func (s *Scheduler) Learn(kind string, d time.Duration) { s.kinds.get(kind).learn(d) }

// Fibers is how many fibers the scheduler knows.
func (s *Scheduler) Fibers() (n int) {
	s.fibers.Each(func(*Fiber) { n++ })
	return n
}

// WaitingForRoom is how many submitters wait.
func (s *Scheduler) WaitingForRoom() int { return s.bound.Waiting() }

// Patrol looks for jobs whose time is up, as the monitor does.
func (s *Scheduler) Patrol() { s.patrol(s.now()) }

// Tier is the least urgent priority that the worker takes.
func (w *Worker) Tier() Priority { return w.tier }

// Tier is the tier of the worker that the fiber is on.
func (f *Fiber) Tier() Priority { return f.w.tier }

// WakeFor wakes a worker for work of priority p.
func (s *Scheduler) WakeFor(p Priority) { s.lot.Wake(queues.Priority(p)) }

// Rebalance is one look at the balance of the queues. It returns the time until
// the next.
func (s *Scheduler) Rebalance() time.Duration { return s.monitor.rebalance.look(s.now()) }

// Pieces is how many pieces of work wait for the worker.
func (w *Worker) Pieces() int { return w.queues.Pieces() }

// SetRetired says that the worker is a spare which waits to be needed.
func (w *Worker) SetRetired() { w.activity.turnTo(WorkerRetired) }

// SetSpare says that the worker is a spare.
func (w *Worker) SetSpare() { w.spare = true }

// GiveWay queues a fiber without a stack that has given way on the worker, while
// it was at home on another one, pinned or not.
func (w *Worker) GiveWay(at *Worker, isPinned bool) *Node {
	f := &Fiber{s: w.s, w: w, rare: &fiberRare{home: home{at, queues.Preferred}}}
	if isPinned {
		f.rare.home.bond = queues.Pinned
	}
	f.node.Init(f)
	w.pushNextOf(f, &f.node)
	return &f.node
}

// Hold marks the worker as held, and Refused says that there was no spare for it.
func (w *Worker) Hold()         { w.transitionToHeld() }
func (w *Worker) Refused() bool { return w.refused }

// MaxPauses is maxPauses.
const MaxPauses = maxPauses

// OnFiber returns the fiber that the Waiter suspends, or nil if it blocks.
func (w *Waiter) OnFiber() *Fiber { return w.fiber }

// PassTime has the worker see that time has passed.
func (w *Worker) PassTime(d time.Duration) { w.meter.clockAt += d }
