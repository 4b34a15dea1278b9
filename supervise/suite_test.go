package supervise_test

import (
	"context"
	"errors"
	"fmt"
	"os"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/troupe-go/troupe/actor"
	"github.com/troupe-go/troupe/internal/lane"
	"github.com/troupe-go/troupe/simtest"
	"github.com/troupe-go/troupe/supervise"
)

// scene is where one case of the suite plays: in a simulation, under a schedule
// and with virtual time, or on the real scheduler.
type scene struct {
	testing.TB
	ctx  context.Context
	sys  *actor.System
	sim  *simtest.Sim  // Nil on the real scheduler.
	unit time.Duration // For all times of a case: a second, or far less where it is real.
	span time.Duration // For a time that the case has to see before it is over: a second.

	mu    sync.Mutex
	diary []string
}

// suite has all cases, by what they say.
var suite = map[string]func(*scene){}

// define adds the cases of a file.
func define(cases map[string]func(*scene)) bool {
	for name, play := range cases {
		if suite[name] != nil {
			panic("two cases are called " + name)
		}
		suite[name] = play
	}
	return true
}

// Few schedules are tried of each case; TROUPE_SCHEDULES=1000 tries as many.
const schedules = 10

func TestSuiteSimulated(t *testing.T) {
	lane.Short(t)
	if raceEnabled && os.Getenv("TROUPE_SCHEDULES") == "" {
		t.Skip("the race detector sees nothing in a simulation that it does not see in TestSuiteReal")
	}
	for _, name := range names() {
		t.Run(name, func(t *testing.T) {
			simtest.Run(t, simtest.Config{Schedules: schedules}, func(s *simtest.Sim) {
				play(name, &scene{TB: s, ctx: s.Context(), sys: s.System(actor.Config{}), sim: s, unit: time.Second, span: time.Second})
			})
		})
	}
}

func TestSuiteReal(t *testing.T) {
	lane.Short(t)
	for _, name := range names() {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			play(name, &scene{TB: t, ctx: guarded(t), sys: newSystem(t, actor.Config{Workers: 4}), unit: 5 * time.Millisecond, span: time.Second})
		})
	}
	if len(suite) < 80 {
		t.Errorf("the suite has %d cases, want at least 80", len(suite))
	}
}

func names() (all []string) {
	for name := range suite {
		all = append(all, name)
	}
	slices.Sort(all)
	return all
}

func play(name string, s *scene) { suite[name](s) }

// note writes into the diary.
func (s *scene) note(format string, args ...any) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.diary = append(s.diary, fmt.Sprintf(format, args...))
}

func (s *scene) noted() string {
	s.mu.Lock()
	defer s.mu.Unlock()
	return strings.Join(s.diary, " ")
}

// forget clears the diary.
func (s *scene) forget() {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.diary = nil
}

// want waits until the diary says that, in this order, and fails if it says
// something else.
func (s *scene) want(entries ...string) {
	s.Helper()
	want := strings.Join(entries, " ")
	s.until(func() bool { return len(s.noted()) >= len(want) })
	s.rest()
	if got := s.noted(); got != want {
		s.Fatalf("it happened: %s\nwant:        %s", got, want)
	}
}

// rest lets everything happen that is about to. On the real scheduler nobody
// knows when that is.
func (s *scene) rest() {
	if s.sim != nil {
		s.sim.RunUntilIdle()
	}
}

// pass lets time go by; on the real scheduler, until something has become so.
func (s *scene) pass(units float64, until func() bool) {
	s.Helper()
	if s.sim != nil {
		s.sim.Advance(time.Duration(units * float64(s.unit)))
	}
	s.until(until)
}

// until waits for a condition.
func (s *scene) until(ok func() bool) {
	s.Helper()
	if s.sim == nil {
		until(s, s.ctx, ok)
		return
	}
	for range 1000 {
		s.sim.RunUntilIdle()
		if ok() || !s.sim.AdvanceToNext(time.Hour) {
			break
		}
	}
	if !ok() {
		s.Fatalf("it never came to it; it happened: %s", s.noted())
	}
}

// start starts a supervisor that is called sup.
func (s *scene) start(cfg supervise.Config) *supervise.Supervisor {
	s.Helper()
	if cfg.Name == "" {
		cfg.Name = "sup"
	}
	sup, err := supervise.Start(s.sys, cfg)
	s.ok(err)
	return sup
}

func (s *scene) ok(err error) {
	s.Helper()
	if err != nil {
		s.Fatal(err)
	}
}

func (s *scene) is(err, want error) {
	s.Helper()
	if !errors.Is(err, want) {
		s.Fatalf("the error is %v, want one that wraps %v", err, want)
	}
}

// forced checks that an error says who had to be killed.
func (s *scene) forced(err error, who string) {
	s.Helper()
	s.is(err, actor.ErrForced)
	s.says(err, who)
}

// says checks that an error names a path.
func (s *scene) says(err error, part string) {
	s.Helper()
	if err == nil || !strings.Contains(err.Error(), part) {
		s.Fatalf("the error is %v; it should contain %s", err, part)
	}
}

// player is a child of the suite. It notes +name when it has started, -name when
// it has ended, and does what it is told.
type player struct {
	worker
	s       *scene
	name    string
	started func(*actor.Context[order]) error
	stopped func()
}

func (p *player) Started(ctx *actor.Context[order]) error {
	if p.started != nil {
		if err := p.started(ctx); err != nil {
			return err
		}
	}
	p.s.note("+%s", p.name)
	return nil
}

func (p *player) Stopped(*actor.Context[order], error) {
	if p.stopped != nil {
		p.stopped()
	}
	p.s.note("-%s", p.name)
}

// child describes a player.
func (s *scene) child(name string) supervise.Child[order] {
	return supervise.Child[order]{Name: name, New: func() actor.Actor[order] { return &player{s: s, name: name} }}
}

// specs describes players with these names.
func (s *scene) specs(names ...string) (all []supervise.Spec) {
	for _, name := range names {
		all = append(all, s.child(name))
	}
	return all
}

// with is a player whose Started hook is the function.
func (s *scene) starting(name string, started func(*actor.Context[order]) error) supervise.Child[order] {
	c := s.child(name)
	c.New = func() actor.Actor[order] { return &player{s: s, name: name, started: started} }
	return c
}

func (s *scene) ref(sup *supervise.Supervisor, name string) actor.Ref[order] {
	s.Helper()
	ref, err := supervise.Ref[order](sup, name)
	s.ok(err)
	return ref
}

// count asks a player for how many orders its incarnation had.
func (s *scene) count(ref actor.Ref[order]) int {
	s.Helper()
	n, err := actor.Ask(s.ctx, ref, func(r actor.Reply[int]) order { return order{nil, r} })
	s.ok(err)
	return n
}

// fail makes a child do what ends its incarnation.
func (s *scene) fail(sup *supervise.Supervisor, name string, do func(*actor.Context[order]) error) {
	s.Helper()
	s.ok(s.ref(sup, name).Send(s.ctx, order{do: do}))
}

// info asks for a child.
func (s *scene) info(sup *supervise.Supervisor, name string) supervise.ChildInfo {
	s.Helper()
	i, err := sup.Child(s.ctx, name)
	s.ok(err)
	return i
}

// reaches waits until a child is in a state.
func (s *scene) reaches(sup *supervise.Supervisor, name string, state supervise.State) {
	s.Helper()
	s.until(func() bool { return s.info(sup, name).State == state })
}

// ends waits for the end of a supervisor and returns its reason.
func (s *scene) ends(sup *supervise.Supervisor) error {
	s.Helper()
	s.until(func() bool {
		select {
		case <-sup.Done():
			return true
		default:
			return false
		}
	})
	return sup.Err()
}

func stopping(c *actor.Context[order]) error { c.Stop(); return nil }

// many is an intensity that is not exceeded.
const many = 1 << 20

// gate holds up actors that wait at it, by means of the module, so that a simulation
// goes on.
type gate struct{ ref actor.Ref[gateRequest] }

// gateRequest asks a gate to let its sender pass, or opens it.
type gateRequest struct {
	opens bool
	reply actor.Reply[struct{}]
}

// gate returns a gate that is closed.
func (s *scene) gate() gate {
	s.Helper()
	open, waiting := false, []gateRequest(nil)
	ref, err := actor.Spawn(s.sys, actor.Func(func(ctx *actor.Context[gateRequest], p gateRequest) error {
		open = open || p.opens
		if waiting = append(waiting, p); !open {
			return nil
		}
		for _, w := range waiting {
			_ = w.reply.Send(ctx, struct{}{}) // It may have been killed.
		}
		waiting = nil
		return nil
	}))
	s.ok(err)
	return gate{ref}
}

// wait waits until the gate is open.
func (g gate) wait(ctx context.Context) error {
	_, err := actor.Ask(ctx, g.ref, func(r actor.Reply[struct{}]) gateRequest { return gateRequest{reply: r} })
	return err
}

// open lets everybody pass from now on.
func (g gate) open() {
	_ = g.ref.TrySend(context.Background(), gateRequest{opens: true}) // It may have stopped with its system.
}
