package session

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"github.com/troupe-go/troupe/engine"
)

// End is this birth's end of all its sessions. Its methods are safe for concurrent use.
type End struct {
	cfg    Config
	now    func() time.Time
	manual bool // A test pumps: there are no goroutines.

	mu       sync.Mutex
	sessions map[Node]*Session
	epochs   uint64
	last     map[Node]uint64 // The epochs of peers whose sessions have ended.
	closed   bool

	subscriptions []engine.Subscription
	running       sync.WaitGroup
	corrupt       atomic.Uint64
	foreign       atomic.Uint64
}

// EndStats counts the frames that belong to no session.
type EndStats struct {
	// Corrupt counts frames that were cut, changed, too long or of another protocol.
	Corrupt uint64
	// Foreign counts frames for another birth, and such as belong to no session here.
	Foreign uint64
	// Sessions is how many there are.
	Sessions int
}

// maxSessions bounds what unknown peers can ask for. A cluster has 32 nodes.
const maxSessions = 1024

// Listen begins to receive. It copies the configuration, and returns what is wrong with it.
func Listen(cfg Config) (*End, error) {
	cfg, err := cfg.withDefaults()
	if err != nil {
		return nil, err
	}
	e := newEnd(cfg, time.Now)
	for lane := range Lane(lanes) {
		sub, err := cfg.Bus.Subscribe(classOf(lane), subject(cfg.Self, lane), e.receive)
		if err != nil {
			e.unsubscribe()
			return nil, fmt.Errorf("session: %v can't listen: %w", cfg.Self, err)
		}
		e.subscriptions = append(e.subscriptions, sub)
	}
	return e, nil
}

func newEnd(cfg Config, now func() time.Time) *End {
	return &End{cfg: cfg, now: now, sessions: map[Node]*Session{}, last: map[Node]uint64{}}
}

// subject is where the frames of a lane go.
func subject(to Node, lane Lane) string {
	return "troupe.session." + to.Name + "." + strconv.FormatUint(to.Birth, 10) + "." + lane.String()
}

// Session returns the session with a peer when messages can cross. It begins one if there is none. It waits until ctx ends.
func (e *End) Session(ctx context.Context, peer Node) (*Session, error) {
	s, err := e.Begin(peer)
	if err != nil {
		return nil, err
	}
	if err := s.Await(ctx); err != nil {
		return nil, err
	}
	return s, nil
}

// Begin returns the session with a peer, which may not be ready, and does not wait. It begins one if there is none.
func (e *End) Begin(peer Node) (*Session, error) {
	if err := peer.check(); err != nil {
		return nil, err
	}
	if peer == e.cfg.Self {
		return nil, fmt.Errorf("session: %v is this node; a session joins two", peer)
	}
	return e.open(peer)
}

// Known returns the session with a peer, or nil if there is none that has not ended.
func (e *End) Known(peer Node) *Session {
	e.mu.Lock()
	defer e.mu.Unlock()
	return e.sessions[peer]
}

// Sessions returns those that have not ended.
func (e *End) Sessions() []*Session {
	e.mu.Lock()
	defer e.mu.Unlock()
	all := make([]*Session, 0, len(e.sessions))
	for _, s := range e.sessions {
		all = append(all, s)
	}
	slices.SortFunc(all, func(a, b *Session) int { return strings.Compare(a.peer.String(), b.peer.String()) })
	return all
}

// Stats returns the counters.
func (e *End) Stats() EndStats {
	e.mu.Lock()
	defer e.mu.Unlock()
	return EndStats{e.corrupt.Load(), e.foreign.Load(), len(e.sessions)}
}

// open returns the session with a peer, maybe a new one.
func (e *End) open(peer Node) (*Session, error) {
	e.mu.Lock()
	defer e.mu.Unlock()
	if e.closed {
		return nil, ErrClosed
	}
	if s := e.sessions[peer]; s != nil {
		return s, nil
	}
	if len(e.sessions) >= maxSessions {
		return nil, fmt.Errorf("session: there are %d sessions, the limit; close some", len(e.sessions))
	}
	e.epochs++
	s := &Session{cfg: e.cfg, end: e, peer: peer, epoch: e.epochs, out: newOutbound()}
	s.ctx, s.cancel = context.WithCancelCause(context.Background())
	s.floor = e.last[peer]
	s.holds.held = map[accountKey]*held{}
	e.sessions[peer] = s
	s.begin(e.now())
	if !e.manual {
		s.alarm = s.startAlarm()
		s.writers = [2]*writer{s.startWriter(engine.Urgent), s.startWriter(engine.Bulk)}
		e.running.Add(len(s.writers))
		for _, w := range s.writers {
			go w.run()
		}
		s.alarm.set(s.deadline())
	}
	return s, nil
}

func (e *End) forget(s *Session, theirs uint64) {
	e.mu.Lock()
	defer e.mu.Unlock()
	if e.sessions[s.peer] != s {
		return
	}
	delete(e.sessions, s.peer)
	if _, ok := e.last[s.peer]; !ok && len(e.last) >= maxSessions {
		for other := range e.last { // Any: by now a frame of that epoch is very late.
			delete(e.last, other)
			break
		}
	}
	e.last[s.peer] = theirs
}

// receive takes a frame from the bus.
func (e *End) receive(data []byte) {
	f, err := readFrame(data)
	if err != nil {
		e.corrupt.Add(1)
		return
	}
	s := e.of(&f, f.theirs == 0)
	if s != nil && s.receive(&f) { // A later session of the other side.
		s.finish(ErrPeerClosed)
		if s = e.of(&f, true); s != nil {
			s.receive(&f) // If that has ended at once, the hello comes again.
		}
	}
}

// of returns the session that a frame is for, or nil. A hello for no session may begin one.
func (e *End) of(f *rawFrame, begin bool) *Session {
	if f.to != e.cfg.Self.Birth {
		e.foreign.Add(1)
		return nil
	}
	e.mu.Lock()
	s := e.sessions[Node{string(f.name), f.from.Birth}]
	old := s == nil && f.epoch <= e.last[Node{string(f.name), f.from.Birth}]
	e.mu.Unlock()
	if s != nil {
		return s
	}
	if peer := (Node{string(f.name), f.from.Birth}); f.typ == hello && begin && !old && peer.check() == nil && peer != e.cfg.Self {
		if s, err := e.open(peer); err == nil {
			return s
		}
	}
	e.foreign.Add(1)
	return nil
}

// Close closes all sessions, see [Session.Close], and stops to receive. It returns when nothing of it runs any more. It must not be called by
// the functions of Config.
func (e *End) Close(ctx context.Context) error { return e.CloseAfter(ctx, nil) }

// CloseAfter is Close, and calls goodbye when the other sides have acknowledged all messages, or ctx has ended. If goodbye has
// told them the end of this birth, and returns true, the sessions end without a word of their own: the other sides
// then end theirs by Lost, with the reason that they were told.
func (e *End) CloseAfter(ctx context.Context, goodbye func() bool) error {
	e.mu.Lock()
	e.closed = true
	e.mu.Unlock()
	sessions := e.Sessions()
	drained := make([]error, len(sessions))
	for i, s := range sessions {
		drained[i] = s.drain(ctx)
	}
	quiet := goodbye != nil && goodbye()
	var errs []error
	for i, s := range sessions {
		if err := s.close(drained[i], quiet); err != nil {
			errs = append(errs, fmt.Errorf("session with %v: %w", s.peer, err))
		}
	}
	e.unsubscribe()
	e.running.Wait()
	return errors.Join(errs...)
}

func (e *End) unsubscribe() {
	for _, sub := range e.subscriptions {
		_ = sub.Close() // A bus that is closed has ended it.
	}
}
