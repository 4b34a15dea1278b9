package membership_test

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/troupe-go/troupe/engine"
	"github.com/troupe-go/troupe/engine/memory"
	"github.com/troupe-go/troupe/internal/lane"
	"github.com/troupe-go/troupe/internal/membership"
)

// clock is the clock of one node: it is wrong by up to 200 parts in a million.
type clock struct {
	began time.Time
	rate  float64
}

func (c clock) now() time.Duration {
	return time.Duration(float64(time.Since(c.began)) * c.rate)
}

// birth is a node in a schedule.
type birth struct {
	node   *membership.Node
	line   *line
	ended  chan struct{} // Closed when its loop of Events has returned.
	mu     sync.Mutex
	joined map[uint64]bool
	gone   map[uint64]membership.Kind
}

// watch keeps what Events yields.
func (b *birth) watch() {
	defer close(b.ended)
	for e := range b.node.Events(context.Background()) {
		b.mu.Lock()
		if e.Kind == membership.Joined {
			b.joined[e.Member.Birth] = true
		} else {
			b.gone[e.Member.Birth] = e.Kind
		}
		b.mu.Unlock()
	}
}

func (b *birth) told(of uint64) (kind membership.Kind, gone bool) {
	b.mu.Lock()
	defer b.mu.Unlock()
	kind, gone = b.gone[of]
	return kind, gone
}

// schedule is a cluster in one bubble.
type schedule struct {
	store  *memory.Store
	random *rand.Rand
	seed   uint64
	births []*birth
	ends   int // How many births others have ended.
}

func newSchedule(seed uint64) *schedule {
	return &schedule{store: memory.NewStore(), random: rand.New(rand.NewPCG(seed, 1)), seed: seed}
}

// join adds a birth of the name, and returns nil if it does not join within two minutes.
func (s *schedule) join(name string) (*birth, error) {
	table, err := s.store.Engine(name, nil).Table(context.Background(), "members")
	if err != nil {
		return nil, err
	}
	c := clock{began: time.Now(), rate: 1 + (s.random.Float64()-0.5)*400e-6}
	b := &birth{
		line:  newLine(table, s.seed<<8+uint64(len(s.births))),
		ended: make(chan struct{}), joined: map[uint64]bool{}, gone: map[uint64]membership.Kind{},
	}
	ctx, cancel := context.WithTimeout(context.Background(), 2*time.Minute)
	defer cancel()
	b.node, err = membership.Join(ctx, b.line, membership.Config{Name: name, Clock: c.now})
	if err != nil {
		return nil, err
	}
	s.births = append(s.births, b)
	go b.watch()
	return b, nil
}

// check returns an error if two nodes believe what can't be true together.
func (s *schedule) check() error {
	for i, b := range s.births {
		if valid := b.node.Valid() == nil; valid != b.node.Holds() {
			return fmt.Errorf("node %q, birth %d, is valid: %v, and holds its lease: %v", b.node.Name(), b.node.Birth(), valid, !valid)
		} else if !valid {
			continue
		}
		for j, other := range s.births {
			if other.node.Ended(b.node.Name(), b.node.Birth()) {
				return fmt.Errorf("node %q, birth %d, believes that it lives, and node %q that it has ended", b.node.Name(), b.node.Birth(), other.node.Name())
			}
			if kind, gone := other.told(b.node.Birth()); gone {
				return fmt.Errorf("node %q, birth %d, believes that it lives, and node %q has told that it is %v", b.node.Name(), b.node.Birth(), other.node.Name(), kind)
			}
			if i != j && other.node.Name() == b.node.Name() && other.node.Valid() == nil {
				return fmt.Errorf("births %d and %d of node %q believe that they live", b.node.Birth(), other.node.Birth(), b.node.Name())
			}
		}
	}
	return nil
}

// pass lets time go by, and checks all the while.
func (s *schedule) pass(d time.Duration) error {
	for range d / (250 * time.Millisecond) {
		<-time.After(250 * time.Millisecond)
		synctest.Wait()
		if err := s.check(); err != nil {
			return err
		}
	}
	return nil
}

// fault does something to the cluster.
func (s *schedule) fault() {
	b := s.births[s.random.IntN(len(s.births))]
	switch s.random.IntN(7) {
	case 0:
		b.line.set(false, false, 0)
	case 1:
		b.line.set(true, false, 0)
	case 2:
		b.line.set(false, true, 0)
	case 3, 4:
		b.line.set(true, true, 9*time.Second)
	case 5:
		s.store.Lead(false)
	default:
		s.store.Lead(true)
		b.line.set(true, true, 0)
	}
}

// run runs one schedule of faults. Then everything heals, and the members have to agree.
func (s *schedule) run() error {
	defer s.close()
	for _, name := range []string{"a", "b", "c"} {
		if _, err := s.join(name); err != nil {
			return err
		}
	}
	for range 12 {
		s.fault()
		if err := s.pass(time.Duration(1+s.random.IntN(12)) * time.Second); err != nil {
			return err
		}
	}
	s.store.Lead(true)
	for _, b := range s.births {
		b.line.set(true, true, 0)
	}
	if err := s.pass(40 * time.Second); err != nil {
		return err
	}
	again := len(s.births)
	for _, b := range s.births[:again] {
		if errors.Is(b.node.Valid(), membership.ErrNodeLost) {
			s.ends++
			if _, err := s.join(b.node.Name()); err != nil {
				return fmt.Errorf("node %q does not join again: %w", b.node.Name(), err)
			}
		}
	}
	if err := s.pass(2 * time.Second); err != nil {
		return err
	}
	for _, b := range s.births {
		if err := s.agrees(b); err != nil {
			return err
		}
	}
	return nil
}

// agrees returns an error unless the node has heard of the end of each birth that is lost, and
// of none that lives.
func (s *schedule) agrees(b *birth) error {
	if len(b.node.Members()) != 3 {
		return fmt.Errorf("node %q has the members %v", b.node.Name(), b.node.Members())
	}
	for _, other := range s.births {
		of := other.node.Birth()
		kind, gone := b.told(of)
		b.mu.Lock()
		joined := b.joined[of]
		b.mu.Unlock()
		switch err := other.node.Valid(); {
		case err == nil && (!joined || gone):
			return fmt.Errorf("birth %d lives, and birth %d has heard that it joined: %v, that it is gone: %v", of, b.node.Birth(), joined, gone)
		case errors.Is(err, membership.ErrNodeLost) && joined && (!gone || kind != membership.Lost):
			return fmt.Errorf("birth %d is lost, and birth %d has heard that it is gone: %v, %v", of, b.node.Birth(), gone, kind)
		case err != nil && !b.node.Ended(other.node.Name(), of):
			return fmt.Errorf("birth %d has ended, and birth %d does not know it", of, b.node.Birth())
		case err != nil && !errors.Is(err, membership.ErrNodeLost):
			return fmt.Errorf("birth %d has not come back: %w", of, err)
		}
	}
	return nil
}

// close has all nodes leave, and waits for their loops.
func (s *schedule) close() {
	s.store.Lead(true)
	for _, b := range s.births {
		b.line.set(true, true, 0)
		ctx, cancel := context.WithTimeout(context.Background(), time.Minute)
		_ = b.node.Leave(ctx)
		cancel()
		<-b.ended
	}
}

func TestNoTwoNodesBelieveOppositesInManySchedules(t *testing.T) {
	seeds := uint64(lane.Rounds(60, 300, 10_000))
	ends := 0
	for seed := range seeds {
		synctest.Test(t, func(t *testing.T) {
			s := newSchedule(seed)
			if err := s.run(); err != nil {
				t.Errorf("seed %d: %v", seed, err)
			}
			ends += s.ends
		})
		if t.Failed() {
			return
		}
	}
	if ends < int(seeds)/4 {
		t.Errorf("others have ended %d births in %d schedules; so few prove nothing", ends, seeds)
	}
	t.Logf("%d schedules, %d births ended by others", seeds, ends)
}

// three runs a test with the nodes a, b and c.
func three(t *testing.T, test func(t *testing.T, s *schedule)) {
	t.Helper()
	synctest.Test(t, func(t *testing.T) {
		s := newSchedule(1)
		defer s.close()
		for _, name := range []string{"a", "b", "c"} {
			if _, err := s.join(name); err != nil {
				t.Fatal(err)
			}
		}
		if err := s.pass(3 * time.Second); err != nil {
			t.Fatal(err)
		}
		test(t, s)
	})
}

func TestALostNodeIsToldAndItsNameCanJoinAgain(t *testing.T) {
	three(t, func(t *testing.T, s *schedule) {
		old := s.births[0]
		old.line.set(false, false, 0)
		if err := s.pass(25 * time.Second); err != nil {
			t.Fatal(err)
		}
		if err := old.node.Valid(); !errors.Is(err, membership.ErrNoQuorum) {
			t.Errorf("a node that is cut off is %v", err)
		}
		for _, b := range s.births[1:] {
			if kind, gone := b.told(old.node.Birth()); !gone || kind != membership.Lost {
				t.Errorf("node %q has heard %v, %v", b.node.Name(), kind, gone)
			}
		}
		again, err := s.join("a")
		if err != nil || again.node.Birth() <= old.node.Birth() {
			t.Fatalf("birth %d after %d: %v", again.node.Birth(), old.node.Birth(), err)
		}
		old.line.set(true, true, 0)
		<-old.node.Done()
		if err := old.node.Valid(); !errors.Is(err, membership.ErrNodeLost) {
			t.Errorf("the old birth is %v", err)
		}
	})
}

func TestANodeComesBackWhenNobodyHasEndedItsLease(t *testing.T) {
	three(t, func(t *testing.T, s *schedule) {
		s.store.Lead(false) // As in two elections in a row.
		if err := s.pass(40 * time.Second); err != nil {
			t.Fatal(err)
		}
		for _, b := range s.births {
			if err := b.node.Valid(); !errors.Is(err, membership.ErrNoQuorum) {
				t.Errorf("without a leader node %q is %v", b.node.Name(), err)
			}
		}
		for _, b := range s.births[1:] { // They find the leader later than the first node.
			b.line.set(false, false, 0)
		}
		s.store.Lead(true)
		if err := s.pass(5 * time.Second); err != nil {
			t.Fatal(err)
		}
		for _, b := range s.births[1:] {
			b.line.set(true, true, 0)
		}
		if err := s.pass(5 * time.Second); err != nil {
			t.Fatal(err)
		}
		for _, b := range s.births {
			if err := b.node.Valid(); err != nil {
				t.Errorf("node %q has not come back: %v", b.node.Name(), err)
			}
		}
	})
}

func TestABirthThatHasLeftNoEntryHasEnded(t *testing.T) {
	three(t, func(t *testing.T, s *schedule) {
		gone := s.births[2]
		gone.line.set(false, false, 0)
		if err := s.pass(2 * time.Minute); err != nil { // After a minute the table forgets the entry.
			t.Fatal(err)
		}
		late, err := s.join("d")
		if err != nil {
			t.Fatal(err)
		}
		if late.node.Ended("c", gone.node.Birth()) {
			t.Error("a node knows the end of a birth that it has never seen")
		}
		if err := s.pass(5 * time.Second); err != nil {
			t.Fatal(err)
		}
		if !late.node.Ended("c", gone.node.Birth()) || late.node.Ended("a", s.births[0].node.Birth()) {
			t.Error("of the births of c and a only the one of c has ended")
		}
		if _, err := s.join("c"); err != nil {
			t.Error(err)
		}
	})
}

func TestALapseIsCounted(t *testing.T) {
	three(t, func(t *testing.T, s *schedule) {
		before := s.births[0].node.Lapses()
		s.store.Lead(false)
		if err := s.pass(20 * time.Second); err != nil {
			t.Fatal(err)
		}
		s.store.Lead(true)
		if err := s.pass(5 * time.Second); err != nil {
			t.Fatal(err)
		}
		if after := s.births[0].node.Lapses(); after != before+1 {
			t.Errorf("there were %d lapses before, and %d after one more", before, after)
		}
	})
}

func TestANodeThatLeavesIsToldAtOnceAsLeft(t *testing.T) {
	three(t, func(t *testing.T, s *schedule) {
		gone := s.births[2]
		if err := gone.node.Leave(t.Context()); err != nil {
			t.Fatal(err)
		}
		synctest.Wait()
		for _, b := range s.births[:2] {
			if kind, gone := b.told(gone.node.Birth()); !gone || kind != membership.Left {
				t.Errorf("node %q has heard %v, %v", b.node.Name(), kind, gone)
			}
		}
		if err := gone.node.Valid(); !errors.Is(err, membership.ErrLeft) {
			t.Errorf("the node that has left is %v", err)
		}
		if _, err := s.join("c"); err != nil {
			t.Error(err)
		}
	})
}

func TestTheNameOfALivingNodeIsTaken(t *testing.T) {
	three(t, func(t *testing.T, s *schedule) {
		began := time.Now()
		if _, err := s.join("a"); !errors.Is(err, membership.ErrNameTaken) {
			t.Errorf("a second node of the name: %v", err)
		}
		if took := time.Since(began); took > 5*time.Second { // The clock is the one of the bubble.
			t.Errorf("the refusal takes %v", took)
		}
	})
}

func TestATableThatForgetsEndsTheNode(t *testing.T) {
	three(t, func(t *testing.T, s *schedule) {
		s.store.Inject(func(memory.Op) memory.Fault { return memory.Fault{Kind: memory.Unsynced} })
		if err := s.pass(5 * time.Second); err != nil {
			t.Fatal(err)
		}
		s.store.Inject(nil)
		s.store.Crash()
		for _, b := range s.births {
			<-b.node.Done()
			if err := b.node.Valid(); !errors.Is(err, membership.ErrNodeLost) {
				t.Errorf("node %q is %v", b.node.Name(), err)
			}
		}
	})
}

func TestJoinWithoutALeaderEndsWithItsContext(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := newSchedule(1)
		s.store.Lead(false)
		if _, err := s.join("a"); !errors.Is(err, membership.ErrNoQuorum) || !errors.Is(err, context.DeadlineExceeded) {
			t.Errorf("Join: %v", err)
		}
	})
}

func TestSettingsThatCannotWorkAreRefused(t *testing.T) {
	table, err := memory.NewStore().Engine("a", nil).Table(t.Context(), "members")
	if err != nil {
		t.Fatal(err)
	}
	for _, c := range []membership.Config{
		{Name: "a", Lease: time.Millisecond},
		{Name: "a", Lease: -1},
		{Name: "a", Lease: 48 * time.Hour},
		{Name: "a", Renew: 6 * time.Second},
		{Name: "a", Renew: -1},
		{Name: "a", Margin: -1},
	} {
		if _, err := membership.Join(t.Context(), table, c); !errors.Is(err, membership.ErrInvalid) {
			t.Errorf("Join with %+v: %v", c, err)
		}
	}
	if _, err := membership.Join(t.Context(), table, membership.Config{}); !errors.Is(err, engine.ErrInvalid) {
		t.Errorf("Join without a name: %v", err)
	}
}
