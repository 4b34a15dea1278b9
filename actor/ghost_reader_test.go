package actor_test

import (
	"runtime"
	"testing"
	"testing/synctest"
	"time"

	"github.com/troupe-go/troupe/actor"
)

// sorting is an actor with readers, in a bubble, that is restarted when it is killed. In
// its first incarnation, one of the functions that are asked about a message before its
// handler begins waits for open, if the message has the name "slow".
type sorting struct {
	roll
	ref         actor.Ref[entry]
	open        chan struct{}
	choosing    bool // WithTimeoutFor makes the choice, not WithReadOnly.
	incarnation int
	starts      time.Duration // How long the Started hook takes.
}

// entry is a message that reads or writes.
type entry struct {
	name  string
	write bool
	takes time.Duration
}

func (s *sorting) linger(m entry, choosing bool) {
	if m.name == "slow" && s.incarnation == 1 && s.choosing == choosing {
		<-s.open
	}
}

func (s *sorting) reads(m entry) bool {
	s.linger(m, false)
	return !m.write
}

func (s *sorting) choose(m entry) time.Duration {
	s.linger(m, true)
	return 0
}

func (s *sorting) produce() actor.Actor[entry] {
	s.incarnation++
	return &hooks[entry]{
		started: func(*actor.Context[entry]) error {
			time.Sleep(s.starts) //nolint:forbidigo // In a bubble.
			return nil
		},
		receive: func(_ *actor.Context[entry], m entry) error {
			s.note(m.name)
			time.Sleep(m.takes) //nolint:forbidigo // In a bubble.
			return nil
		},
	}
}

func (s *sorting) spawn(t testing.TB, sys *actor.System) {
	t.Helper()
	s.open = make(chan struct{})
	spawnActor(t, sys, actor.Actor[int](&keeping[int]{hooks[int]{exited: restart, started: func(c *actor.Context[int]) (err error) {
		s.ref, err = actor.SpawnNew(c, s.produce, actor.WithReadOnly(s.reads), actor.WithMaxReaders(8), actor.WithTimeoutFor(actor.TimeoutWarn, s.choose))
		return err
	}}}))
	synctest.Wait()
}

// send sends the entries, and returns when all has happened.
func (s *sorting) send(t testing.TB, all ...entry) {
	t.Helper()
	send(t, t.Context(), s.ref, all...)
	synctest.Wait()
}

// goesOn has the ghost go on while a reader of the next incarnation is busy, and another
// one begin then, and a write.
func (s *sorting) goesOn(t testing.TB) {
	t.Helper()
	s.send(t, entry{name: "one", takes: 10 * time.Second})
	close(s.open)
	synctest.Wait()
	s.send(t, entry{name: "two"})
	s.send(t, entry{name: "write", write: true})
}

// A ghost that is about to read, or to write, when its actor has begun again, does not
// count among the readers there, nor keep them out. Its message is a dead letter, if it
// had not been found out yet which of the two it is.
func TestGhostThatIsAboutToRead(t *testing.T) {
	for _, c := range []struct {
		name            string
		write, choosing bool
		want            string
		letters         uint64
	}{
		{"read", false, false, "one two", 1},
		{"write", true, false, "one two", 1},
		{"read for which a time is chosen", false, true, "one slow two", 0},
	} {
		t.Run(c.name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				sys := newSystem(t, actor.Config{Workers: 4})
				s := &sorting{choosing: c.choosing}
				s.spawn(t, sys)
				s.send(t, entry{name: "slow", write: c.write})
				wantNoErr(t, s.ref.Kill())
				synctest.Wait()
				s.goesOn(t)
				s.want(t, c.want)
				pass(20 * time.Second)
				s.want(t, c.want+" write")
				if x := sys.Stats(); x.DeadLetters != c.letters || x.Ghosts != 0 {
					t.Errorf("%d dead letters and %d ghosts, want %d and none", x.DeadLetters, x.Ghosts, c.letters)
				}
			})
		})
	}
}

// A ghost that has been looking whether a tick only reads leaves that to the next
// incarnation, whether that has begun or not.
func TestGhostThatIsAboutToTakeATick(t *testing.T) {
	for _, write := range []bool{false, true} {
		for _, begun := range []bool{false, true} {
			synctest.Test(t, func(t *testing.T) {
				sys := newSystem(t, actor.Config{Workers: 4})
				s := &sorting{starts: 5 * time.Second}
				s.spawn(t, sys)
				s.send(t, entry{name: "zero", takes: 10 * time.Second})
				pass(6 * time.Second)
				after(t, sys, time.Millisecond, s.ref, entry{name: "slow", write: write})
				pass(2 * time.Millisecond)
				wantNoErr(t, s.ref.Kill())
				if pass(time.Second); !begun {
					close(s.open)
					pass(10 * time.Second)
					s.want(t, "zero slow")
				} else {
					pass(10 * time.Second)
					s.goesOn(t)
					s.want(t, "zero slow one two")
					pass(20 * time.Second)
					s.want(t, "zero slow one two write")
				}
				if i := info(t, sys, s.ref.PID()); i.Mailbox != [3]int{} || i.Timers != 0 || s.ref.Backlog() != 0 {
					t.Errorf("at the end there is %+v", i)
				}
			})
		}
	}
}

// A Goexit in the function that chooses the time for a reader is one of the handler.
func TestGoexitOfTheChoiceForAReader(t *testing.T) {
	ctx := guarded(t)
	sys := newSystem(t, actor.Config{})
	ref := spawnShared(t, sys, 2, actor.WithTimeoutFor(actor.TimeoutWarn, func(access) time.Duration { runtime.Goexit(); return 0 }))
	err := visit(ctx, ref, false, nil)
	wantErr(t, err, actor.ErrNoReply, actor.ErrGoexit)
	receive(t, ctx, ref.Done())
	wantErr(t, ref.Err(), actor.ErrGoexit)
}
