package stream_test

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"slices"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/troupe-go/troupe/actor"
	"github.com/troupe-go/troupe/engine"
	"github.com/troupe-go/troupe/engine/memory"
	"github.com/troupe-go/troupe/internal/lane"
	"github.com/troupe-go/troupe/internal/patience"
	"github.com/troupe-go/troupe/stream"
	"github.com/troupe-go/troupe/supervise"
	"github.com/troupe-go/troupe/task"
)

// program is a topic in one bubble, with publishers and consumers on nodes that fail.
type program struct {
	store  *memory.Store
	sup    *supervise.Supervisor
	config stream.Config[order]

	mu      sync.Mutex
	random  *rand.Rand
	active  map[string]int               // How many handlers each key has.
	order   map[string][]stream.Position // Handled, before the Ack, each the first time.
	handled map[string][]stream.Position // And acknowledged.
	stored  map[stream.Position]order    // What Publish has acknowledged.
	wrong   error
	twice   int // Messages that were handled again.
	crashes int
}

const maxTries = 4

func (p *program) draw(n int) int {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.random.IntN(n)
}

func (p *program) fail(format string, args ...any) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.wrong == nil {
		p.wrong = fmt.Errorf(format, args...)
	}
}

// handle takes some time, and sometimes fails.
func (p *program) handle(ctx *actor.Context[mail], m mail) error {
	key := m.d.Key
	p.mu.Lock()
	p.active[key]++
	n := p.active[key]
	p.mu.Unlock()
	if n > 1 {
		p.fail("key %q is handled by %d at once", key, n)
	}
	defer func() {
		p.mu.Lock()
		defer p.mu.Unlock()
		p.active[key]--
	}()
	if m.d.Attempt > maxTries {
		p.fail("%v is delivered for the %dth time", m.d.Position, m.d.Attempt)
	}
	if err := task.Sleep(ctx, time.Duration(p.draw(2000))*time.Millisecond); err != nil {
		return err
	}
	switch p.draw(12) {
	case 0:
		return errPoison
	case 1:
		panic(errPoison)
	case 2:
		return m.d.Nack(ctx, time.Second)
	}
	p.mu.Lock()
	if !slices.Contains(p.order[key], m.d.Position) {
		p.order[key] = append(p.order[key], m.d.Position)
	}
	p.mu.Unlock()
	if err := m.d.Ack(ctx); err != nil { // From here on the next one of the key may begin.
		return err
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	if slices.Contains(p.handled[key], m.d.Position) {
		p.twice++
	} else {
		p.handled[key] = append(p.handled[key], m.d.Position)
	}
	return nil
}

// member is a node that consumes.
type topicNode struct {
	eng *memory.Engine
	s   *stream.Consumption
}

func (p *program) join(name string) (topicNode, error) {
	eng := p.store.Engine(name, nil)
	ctx, cancel := context.WithTimeout(context.Background(), 10*time.Minute)
	defer cancel()
	topic, err := stream.Open(ctx, eng, "orders", p.config)
	if err != nil {
		return topicNode{}, err
	}
	ref, err := supervise.Spawn(ctx, p.sup, supervise.Child[mail]{
		New: func() actor.Actor[mail] { return actor.Func(p.handle) }, Options: []actor.Option{actor.WithReentrancy(actor.FullReentrancy)},
	})
	if err != nil {
		return topicNode{}, err
	}
	began := time.Now()
	s, err := stream.Consume(ctx, topic, stream.WithClock(stream.Consumer[order, mail]{
		Name: "billing", To: ref, Wrap: wrap, InFlight: 6, Retry: stream.Backoff{Min: 500 * time.Millisecond, Max: 5 * time.Second, Times: maxTries},
	}, func() time.Duration { return time.Since(began) }))
	return topicNode{eng, s}, err
}

// publish publishes messages of one key, one after the other.
func (p *program) publish(topic *stream.Topic[order], key string, n int) {
	for i := range n {
		ctx, cancel := context.WithTimeout(context.Background(), time.Duration(1+p.draw(10))*time.Second)
		o := order{key, i + 1}
		at, err := topic.Publish(ctx, o)
		cancel()
		if err == nil {
			p.mu.Lock()
			p.stored[at] = o
			p.mu.Unlock()
		}
		<-time.After(time.Duration(p.draw(3000)) * time.Millisecond)
	}
}

// inject fails calls of tables and logs.
func (p *program) inject(memory.Op) memory.Fault {
	switch p.draw(20) {
	case 0:
		return memory.Fault{Kind: memory.Refuse}
	case 1:
		return memory.Fault{Kind: memory.LoseAnswer}
	case 2:
		return memory.Fault{Delay: time.Duration(p.draw(3000)) * time.Millisecond}
	}
	return memory.Fault{}
}

// run runs one program of faults, heals all, and reads the books.
func (p *program) run() error {
	defer p.store.Inject(nil)
	publisher := p.store.Engine("p", nil)
	topic, err := stream.Open(context.Background(), publisher, "orders", p.config)
	if err != nil {
		return err
	}
	nodes := make([]topicNode, 2)
	defer func() {
		for _, n := range nodes {
			if n.s != nil {
				ctx, cancel := context.WithTimeout(context.Background(), time.Minute)
				_ = n.s.Stop(ctx)
				cancel()
			}
		}
	}()
	p.store.Inject(p.inject)
	for i := range nodes {
		if nodes[i], err = p.join(fmt.Sprint("n", i)); err != nil {
			return err
		}
	}
	var publishers sync.WaitGroup
	for k := range 5 {
		publishers.Go(func() { p.publish(topic, fmt.Sprint("key", k), 10) })
	}
	for range 4 {
		<-time.After(time.Duration(p.draw(12000)) * time.Millisecond)
		if err := p.shake(nodes); err != nil {
			return err
		}
	}
	publishers.Wait()
	p.store.Lead(true)
	p.store.Inject(nil)
	if err := p.settle(nodes[0].s); err != nil {
		i, _ := nodes[1].s.Info(context.Background())
		return fmt.Errorf("%w; the other: %+v, %w", err, i, nodes[1].s.Err())
	}
	return p.read(topic)
}

// shake does something to the nodes.
func (p *program) shake(nodes []topicNode) (err error) {
	i := p.draw(len(nodes))
	switch p.draw(6) {
	case 0: // A crash: the lease of the node runs out.
		_ = nodes[i].eng.Close()
		<-nodes[i].s.Done()
		p.crashes++
		nodes[i], err = p.join(fmt.Sprint("again", p.draw(1e9)))
	case 1: // A clean leave.
		ctx, cancel := context.WithTimeout(context.Background(), time.Minute)
		defer cancel()
		_ = nodes[i].s.Stop(ctx)
		nodes[i], err = p.join(fmt.Sprint("again", p.draw(1e9)))
	case 2:
		p.store.Lead(false)
		<-time.After(time.Duration(1+p.draw(30)) * time.Second)
		p.store.Lead(true)
	case 3:
		nodes[i].s.Pause()
		<-time.After(3 * time.Second)
		nodes[i].s.Resume()
	}
	return err
}

// settle waits until all is settled.
func (p *program) settle(s *stream.Consumption) error {
	for range 2400 {
		if i, err := s.Info(context.Background()); err == nil && i.Lag == 0 {
			return nil
		}
		<-time.After(250 * time.Millisecond)
	}
	i, err := s.Info(context.Background())
	return fmt.Errorf("after ten minutes without faults there is a lag: %+v, %w, %w", i, err, s.Err())
}

// read compares the books: what was stored is handled, in the order of its key, or dead.
func (p *program) read(topic *stream.Topic[order]) error {
	ctx := context.Background()
	dead, err := topic.Dead(ctx, "billing")
	if err != nil {
		return err
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	isDead := map[stream.Position]bool{}
	for _, d := range dead {
		isDead[d.Position] = true
		if d.Attempts != maxTries {
			return fmt.Errorf("%v has died after %d attempts", d.Position, d.Attempts)
		}
	}
	for at, o := range p.stored {
		if !isDead[at] && !slices.Contains(p.handled[o.Customer], at) {
			return fmt.Errorf("%+v is stored at %v, and was neither handled nor is it dead", o, at)
		}
	}
	for key, all := range p.order {
		if !slices.IsSortedFunc(all, func(a, b stream.Position) int { return int(a.Sequence) - int(b.Sequence) }) {
			return fmt.Errorf("key %q was handled in the order %v", key, all)
		}
	}
	return p.wrong
}

func TestTheBooksAreRightInManySchedules(t *testing.T) {
	seeds := lane.Rounds(15, 150, 10_000)
	twice, crashes, stored := 0, 0, 0
	for seed := range seeds {
		synctest.Test(t, func(t *testing.T) {
			sys, err := actor.NewSystem(actor.Config{Workers: 2, MaxSpares: -1})
			if err != nil {
				t.Fatal(err)
			}
			defer func() { _ = sys.Stop(context.Background()) }()
			sup, err := supervise.Start(sys, supervise.Config{Intensity: 10000, Period: time.Hour})
			if err != nil {
				t.Fatal(err)
			}
			p := &program{
				store: memory.NewStore(), sup: sup, random: rand.New(rand.NewPCG(uint64(seed), 7)), config: stream.Config[order]{Key: byCustomer, Partitions: 3},
				active: map[string]int{}, handled: map[string][]stream.Position{}, order: map[string][]stream.Position{}, stored: map[stream.Position]order{},
			}
			if err := p.run(); err != nil {
				t.Errorf("seed %d: %v", seed, err)
			}
			twice, crashes, stored = twice+p.twice, crashes+p.crashes, stored+len(p.stored)
		})
		if t.Failed() {
			return
		}
	}
	if stored < 20*seeds || seeds > 50 && (crashes == 0 || twice == 0) {
		t.Errorf("%d messages, %d crashes and %d handled twice in %d schedules; so few prove nothing", stored, crashes, twice, seeds)
	}
	t.Logf("%d schedules, %d messages, %d handled twice, %d crashes", seeds, stored, twice, crashes)
}

// A disk that forgets what was not synced has the position go back. The engine says so, the
// consumption ends, and the next one delivers again what the position does not cover.
func TestAPositionThatWasLostEndsTheConsumptionAndLosesNoMessage(t *testing.T) {
	synctest.Test(t, loseAPosition)
}

func loseAPosition(t *testing.T) {
	store := memory.NewStore()
	eng := store.Engine("a", nil)
	topic := openTopic(t, eng, stream.Config[order]{Key: byCustomer})
	b, sys := newBook(), newSystem(t)
	to := receive(t, sys, b.ack)
	began := time.Now()
	clock := func() time.Duration { return time.Since(began) }
	s := consume(t, topic, stream.WithClock(stream.Consumer[order, mail]{To: to}, clock))
	publish(t, topic, numbered("a", 3)...)
	await(t, s)
	publish(t, topic, order{"a", 4}) // All later writes of the position are not synced.
	store.Inject(func(op memory.Op) memory.Fault {
		if op.Kind == "put" && op.Name == "t-orders" {
			return memory.Fault{Kind: memory.Unsynced}
		}
		return memory.Fault{}
	})
	if err := s.Seek(t.Context(), stream.Begin); err != nil {
		t.Fatal(err)
	}
	await(t, s)
	store.Crash()
	publish(t, topic, order{"a", 5})
	select {
	case <-s.Done():
	case <-patience.Context(t).Done():
		t.Fatal("the consumption goes on")
	}
	if err := s.Err(); !errors.Is(err, engine.ErrAmnesia) {
		t.Fatalf("the consumption has ended with %v", err)
	}
	store.Inject(nil)
	again := openTopic(t, store.Engine("b", nil), stream.Config[order]{Key: byCustomer})
	publish(t, again, order{"a", 6})
	s = consume(t, again, stream.WithClock(stream.Consumer[order, mail]{To: to}, clock))
	await(t, s)
	if got := b.numbers(""); got[len(got)-1] != 6 {
		t.Errorf("handled %v", got)
	}
}

// await waits in the time of a bubble until the consumer has no lag.
func await(t *testing.T, s *stream.Consumption) {
	t.Helper()
	for range 1000 {
		i, err := s.Info(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		if i.Lag == 0 {
			return
		}
		<-time.After(100 * time.Millisecond)
	}
	t.Fatalf("there is a lag after 100 s")
}
