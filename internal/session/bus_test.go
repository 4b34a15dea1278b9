package session_test

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/troupe-go/troupe/engine/memory"
	"github.com/troupe-go/troupe/internal/session"
	"github.com/troupe-go/troupe/sched"
	"github.com/troupe-go/troupe/simtest"
)

// joint is two ends on a bus in memory.
type joint struct {
	network *memory.Network
	ends    [2]*session.End
	nodes   [2]session.Node

	mu      sync.Mutex
	full    map[uint64]bool
	got     [2][]got
	back    [2][]got
	ended   [2][]error
	arrived func(i int) // Called after each message.
}

func newJoint(t testing.TB, change func(cfg *session.Config), faults ...memory.Faults) *joint {
	t.Helper()
	network, err := memory.NewNetwork(faults...)
	if err != nil {
		t.Fatal(err)
	}
	j := &joint{network: network, full: map[uint64]bool{}, nodes: [2]session.Node{{Name: "a", Birth: 1}, {Name: "b", Birth: 2}}}
	for i := range j.ends {
		cfg := session.Config{
			Bus: network.Bus(j.nodes[i].Name), Self: j.nodes[i],
			Deliver: func(_ *session.Session, m *session.Message) session.Verdict { return j.deliver(i, m) },
			Unconfirmed: func(_ *session.Session, m *session.Message, err error) {
				j.mu.Lock()
				defer j.mu.Unlock()
				j.back[i] = append(j.back[i], copyOf(m, err))
			},
			Ended: func(_ *session.Session, err error) {
				j.mu.Lock()
				defer j.mu.Unlock()
				j.ended[i] = append(j.ended[i], err)
			},
		}
		if change != nil {
			change(&cfg)
		}
		if j.ends[i], err = session.Listen(cfg); err != nil {
			t.Fatal(err)
		}
	}
	return j
}

func (j *joint) deliver(i int, m *session.Message) session.Verdict {
	j.mu.Lock()
	defer j.mu.Unlock()
	if j.full[m.Target] {
		return session.Full
	}
	j.got[i] = append(j.got[i], copyOf(m, nil))
	if j.arrived != nil {
		j.arrived(i)
	}
	return session.Taken
}

func (j *joint) set(target uint64, full bool) {
	j.mu.Lock()
	j.full[target] = full
	j.mu.Unlock()
}

func (j *joint) texts(i int) []string {
	j.mu.Lock()
	defer j.mu.Unlock()
	var all []string
	for _, g := range j.got[i] {
		all = append(all, g.text)
	}
	return all
}

// end returns why the sessions of a node have ended.
func (j *joint) end(i int) error {
	j.mu.Lock()
	defer j.mu.Unlock()
	return errors.Join(j.ended[i]...)
}

func (j *joint) handedBack(i int) []got {
	j.mu.Lock()
	defer j.mu.Unlock()
	return slices.Clone(j.back[i])
}

// open returns the session of the first node with the other.
func (j *joint) open(t testing.TB) *session.Session {
	t.Helper()
	s, err := j.ends[0].Session(context.Background(), j.nodes[1])
	if err != nil {
		t.Fatal(err)
	}
	return s
}

// close closes both ends, the first one drains.
func (j *joint) close(t testing.TB) {
	t.Helper()
	for _, end := range j.ends {
		if err := end.Close(context.Background()); err != nil {
			t.Error(err)
		}
	}
	if err := j.network.Close(); err != nil {
		t.Error(err)
	}
}

// conversation has several senders of both sides send in each lane over a bad network, with targets that are full at times,
// and expects that each stream arrives whole and in order.
func conversation(t testing.TB, goOn func(f func())) {
	const senders, each = 3, 60
	faults := memory.Faults{Loss: 0.05, Double: 0.05, Reorder: 0.05, Jitter: time.Millisecond}
	j := newJoint(t, func(cfg *session.Config) { cfg.Resend, cfg.Credits = 20*time.Millisecond, 8 }, faults)
	j.open(t)
	all := make(chan struct{})
	count := 0
	j.arrived = func(int) {
		if count++; count == 2*3*senders*each {
			close(all)
		}
	}
	j.set(2, true)
	var wg sync.WaitGroup
	for i := range j.ends {
		s, err := j.ends[i].Session(context.Background(), j.nodes[1-i])
		if err != nil {
			t.Fatal(err)
		}
		for sender := range uint64(senders) {
			for lane := range session.Lane(3) {
				wg.Add(1)
				goOn(func() {
					defer wg.Done()
					for n := range each {
						m := session.Message{Kind: session.Tell, Lane: lane, Target: sender, Sender: sender}
						if err := s.Send(context.Background(), m, text(fmt.Sprint(n))); err != nil {
							t.Error(err)
							return
						}
						if n == each/2 && sender == 1 { // The senders of 2 wait by now, or will.
							j.set(2, false)
							for _, end := range j.ends {
								for _, other := range end.Sessions() {
									for lane := range session.Lane(3) {
										other.Ready(2, lane)
									}
								}
							}
						}
					}
				})
			}
		}
	}
	wg.Wait()
	<-all
	// The farewell of the first end says what it has; if that were lost, the other could not know.
	if err := j.network.Set(memory.Faults{}); err != nil {
		t.Fatal(err)
	}
	j.close(t)
	for i := range j.ends {
		next := map[[2]uint64]int{}
		for _, g := range j.got[i] {
			k := [2]uint64{g.Sender, uint64(g.Lane)}
			if g.text != fmt.Sprint(next[k]) {
				t.Errorf("node %d got message %s of sender %d, %v lane, after %d", i, g.text, g.Sender, g.Lane, next[k]-1)
			}
			next[k]++
		}
		if len(next) != 3*senders || len(j.back[i]) > 0 {
			t.Errorf("node %d got %d streams; %d messages were handed back", i, len(next), len(j.back[i]))
		}
	}
}

func TestStreamsOverABadNetworkInRealTime(t *testing.T) {
	conversation(t, func(f func()) { go f() })
}

func TestStreamsOverABadNetworkInVirtualTime(t *testing.T) {
	synctest.Test(t, func(t *testing.T) { conversation(t, func(f func()) { go f() }) })
}

func TestASenderThatWaitsHoldsNoWorker(t *testing.T) {
	s, err := sched.New(sched.Config{Workers: 1})
	if err != nil {
		t.Fatal(err)
	}
	defer func() {
		if err := s.Stop(context.Background()); err != nil {
			t.Error(err)
		}
	}()
	j := newJoint(t, func(cfg *session.Config) { cfg.Credits = 1 })
	link := j.open(t)
	j.set(1, true)
	if err := link.TrySend(tell(session.Data, 1), nil); err != nil {
		t.Fatal(err)
	}
	waits, err := s.Go(t.Context(), func(ctx context.Context) error {
		return link.Send(ctx, tell(session.Data, 1), text("at last"))
	})
	if err != nil {
		t.Fatal(err)
	}
	other, err := s.Go(t.Context(), func(context.Context) error { return nil })
	if err != nil {
		t.Fatal(err)
	}
	if err := other.Wait(t.Context()); err != nil { // On the only worker.
		t.Fatal(err)
	}
	if state := waits.State(); state.Ended() {
		t.Errorf("the job that waits is %v", state)
	}
	j.set(1, false)
	for _, peer := range j.ends[1].Sessions() {
		peer.Ready(1, session.Data)
	}
	if err := waits.Wait(t.Context()); err != nil {
		t.Error(err)
	}
	j.close(t)
	if texts := j.texts(1); !slices.Equal(texts, []string{"", "at last"}) {
		t.Errorf("have %q", texts)
	}
}

func TestWaitingSendersAreTold(t *testing.T) {
	gone := errors.New("gone")
	for name, c := range map[string]struct {
		want error
		do   func(s *session.Session, cancel context.CancelCauseFunc)
	}{
		"the node is lost":        {gone, func(s *session.Session, _ context.CancelCauseFunc) { s.Lost(gone) }},
		"the context ends":        {gone, func(_ *session.Session, cancel context.CancelCauseFunc) { cancel(gone) }},
		"the session closes":      {session.ErrClosed, func(s *session.Session, _ context.CancelCauseFunc) { _ = s.Close(context.Background()) }},
		"nothing is acknowledged": {session.ErrUnreachable, nil},
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				j := newJoint(t, func(cfg *session.Config) { cfg.Credits = 1 })
				s := j.open(t)
				j.set(1, true)
				if err := s.TrySend(tell(session.Data, 1), nil); err != nil {
					t.Fatal(err)
				}
				ctx, cancel := context.WithCancelCause(t.Context())
				defer cancel(nil)
				errs := make(chan error, 3)
				for range cap(errs) {
					go func() { errs <- s.Send(ctx, tell(session.Data, 1), nil) }()
				}
				synctest.Wait()
				if c.do == nil {
					j.network.Cut("a", "b")
				} else {
					c.do(s, cancel)
				}
				for range cap(errs) {
					expectErr(t, <-errs, c.want)
				}
				synctest.Wait() // The other side may be told in the same moment.
				j.close(t)
			})
		})
	}
}

func TestCloseWaitsForAcknowledgements(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		j := newJoint(t, nil, memory.Faults{Delay: time.Second})
		s := j.open(t)
		for i := range 100 {
			if err := s.TrySend(tell(session.Data, 1), text(fmt.Sprint(i))); err != nil {
				t.Fatal(err)
			}
		}
		if err := s.Close(t.Context()); err != nil {
			t.Error(err)
		}
		expect(t, "messages when Close returns", len(j.texts(1)), 100)
		expectErr(t, s.TrySend(tell(session.Data, 1), nil), session.ErrClosed)
		<-time.After(2 * time.Second)
		expectErr(t, j.end(1), session.ErrPeerClosed)

		s = j.open(t)
		j.network.Cut("a", "b")
		if err := s.TrySend(tell(session.Data, 1), text("lost")); err != nil {
			t.Fatal(err)
		}
		ctx, cancel := context.WithTimeout(t.Context(), 5*time.Second)
		defer cancel()
		expectErr(t, s.Close(ctx), context.DeadlineExceeded)
		back := j.handedBack(0)
		expect(t, "messages handed back", len(back), 1)
		expectErr(t, back[0].err, session.ErrUnconfirmed)
		j.close(t)
	})
}

func TestACutThatHealsHarmsNothing(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		j := newJoint(t, nil)
		s := j.open(t)
		var want []string
		for i := range 10 {
			j.network.Cut("a", "b")
			want = append(want, fmt.Sprint(i))
			if err := s.Send(t.Context(), tell(session.Data, 1), text(want[i])); err != nil {
				t.Fatal(err)
			}
			<-time.After(10 * time.Second)
			j.network.Heal("a", "b")
			<-time.After(5 * time.Second)
		}
		if !slices.Equal(j.texts(1), want) {
			t.Errorf("have %q, want %q", j.texts(1), want)
		}
		expectErr(t, s.Err(), nil)
		j.close(t)
	})
}

func TestAPausedNodeComesBackOrIsUnreachable(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		j := newJoint(t, nil)
		s := j.open(t)
		j.network.Pause("b")
		if err := s.Send(t.Context(), tell(session.Data, 1), text("x")); err != nil {
			t.Fatal(err)
		}
		<-time.After(10 * time.Second)
		j.network.Resume("b")
		<-time.After(5 * time.Second)
		expect(t, "messages", len(j.texts(1)), 1)
		j.network.Pause("b")
		<-time.After(20 * time.Second)
		expectErr(t, s.Err(), session.ErrUnreachable)
		j.network.Resume("b")
		j.close(t)
	})
}

func TestASlowLinkLetsControlPass(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		j := newJoint(t, nil, memory.Faults{Rate: 100 << 10})
		s := j.open(t)
		for i := 0; s.TrySend(tell(session.Data, uint64(i)), text(strings.Repeat("x", 4000))) == nil; i++ {
		}
		synctest.Wait()
		start := time.Now()
		came := make(chan time.Duration, 1)
		j.mu.Lock()
		j.arrived = func(int) {
			if last := j.got[1][len(j.got[1])-1]; last.Lane == session.Control {
				came <- time.Since(start)
			}
		}
		j.mu.Unlock()
		if err := s.TrySend(tell(session.Control, 1), nil); err != nil {
			t.Fatal(err)
		}
		if took := <-came; took > 200*time.Millisecond { // All that waits takes 2.5 s, in virtual time.
			t.Errorf("a message of Control has taken %v", took)
		}
		j.close(t)
	})
}

// TestSimulatedSessions has the schedule of a simulation choose the faults, and the order of work.
func TestSimulatedSessions(t *testing.T) {
	f, err := simtest.Find(t, simtest.Config{Schedules: 20}, func(s *simtest.Sim) {
		j := newJoint(s, func(cfg *session.Config) { cfg.Credits = 2 }, memory.Faults{Loss: 0.2, Double: 0.1, Reorder: 0.1, Jitter: 10 * time.Millisecond})
		sc := s.Scheduler(sched.Config{Workers: 2})
		link := j.open(s)
		var jobs []*sched.Job
		for sender := range uint64(3) {
			job, err := sc.Go(s.Context(), func(ctx context.Context) error {
				for n := range 8 {
					m := session.Message{Kind: session.Tell, Lane: session.Data, Target: 1, Sender: sender}
					if err := link.Send(ctx, m, text(fmt.Sprint(n))); err != nil {
						return err
					}
				}
				return nil
			})
			if err != nil {
				s.Fatal(err)
			}
			jobs = append(jobs, job)
		}
		for _, job := range jobs {
			if err := job.Wait(s.Context()); err != nil {
				s.Fatal(err)
			}
		}
		j.close(s)
		next := map[uint64]int{}
		for _, g := range j.got[1] {
			if g.text != fmt.Sprint(next[g.Sender]) {
				s.Fatalf("message %s of sender %d comes after %d", g.text, g.Sender, next[g.Sender]-1)
			}
			next[g.Sender]++
		}
		if len(j.got[1]) != 24 {
			s.Fatalf("%d messages have come, of 24", len(j.got[1]))
		}
	})
	switch {
	case err != nil:
		t.Fatal(err)
	case f != nil && strings.HasPrefix(f.Messages[0], "not deterministic"):
		t.Log(f) // The body goes on beside the goroutine that has told it of the handshake.
	case f != nil:
		t.Error(f)
	}
}
