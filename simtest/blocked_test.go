package simtest_test

import (
	"context"
	"database/sql"
	"database/sql/driver"
	"errors"
	"fmt"
	"log/slog"
	"runtime"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/troupe-go/troupe/actor"
	"github.com/troupe-go/troupe/internal/lane"
	"github.com/troupe-go/troupe/sched"
	"github.com/troupe-go/troupe/simtest"
	"github.com/troupe-go/troupe/strand"
	"github.com/troupe-go/troupe/supervise"
	"github.com/troupe-go/troupe/task"
)

// store is a driver of a database that answers each query with no rows.
type store struct{}

func (store) Connect(context.Context) (driver.Conn, error) { return store{}, nil }
func (store) Driver() driver.Driver                        { return store{} }
func (store) Open(string) (driver.Conn, error)             { return store{}, nil }
func (store) Prepare(string) (driver.Stmt, error)          { return store{}, nil }
func (store) Begin() (driver.Tx, error)                    { return store{}, nil }
func (store) Commit() error                                { return nil }
func (store) Rollback() error                              { return nil }
func (store) Close() error                                 { return nil }
func (store) NumInput() int                                { return 0 }
func (store) Exec([]driver.Value) (driver.Result, error)   { return driver.RowsAffected(1), nil }
func (store) Query([]driver.Value) (driver.Rows, error)    { return nil, errors.New("no rows") }

// sharing is how two handlers share one thing.
type sharing struct {
	// users is how many share it. A sql.DB that has several waiters picks one by chance.
	users int
	take  func() (give func() error, err error)
	end   func() error
}

var sharings = map[string]func() sharing{
	"a database with one connection": func() sharing {
		db := sql.OpenDB(store{})
		db.SetMaxOpenConns(1)
		return sharing{2, func() (func() error, error) {
			c, err := db.Conn(bg)
			if err != nil {
				return nil, err
			}
			return func() error {
				_, err := c.ExecContext(bg, "do")
				return errors.Join(err, c.Close())
			}, nil
		}, db.Close}
	},
	"a transaction of such a database": func() sharing {
		db := sql.OpenDB(store{})
		db.SetMaxOpenConns(1)
		return sharing{2, func() (func() error, error) {
			tx, err := db.BeginTx(bg, nil)
			if err != nil {
				return nil, err
			}
			return tx.Commit, nil
		}, db.Close}
	},
	"a channel": func() sharing {
		places := make(chan struct{}, 1)
		return sharing{3, func() (func() error, error) {
			places <- struct{}{}
			return func() error { <-places; return nil }, nil
		}, func() error { return nil }}
	},
}

// share is a program in which actors share something. Each has it while it asks an actor
// that all of them ask. The log says which has got it, in order.
func share(s *simtest.Sim, sys *actor.System, shared sharing) (log []string) {
	c := counter(s, sys)
	for i := range shared.users {
		name := fmt.Sprint("user", i)
		user := spawn(s, sys, name, func(ctx *actor.Context[int], _ int) error {
			give, err := shared.take()
			if err != nil {
				return err
			}
			answer, err := actor.Ask(ctx, c, count)
			if err != nil {
				return err
			}
			log = append(log, fmt.Sprint(name, " got ", answer))
			return give()
		})
		_ = user.Send(bg, 1)
	}
	s.RunUntilIdle()
	if len(log) != shared.users {
		s.Fatalf("of %d users, these are done: %v", shared.users, log)
	}
	return log
}

// Handlers that share something outside of this module wait for each other as they would on
// the real scheduler, under all schedules, and each run of a schedule is the same.
func TestHandlersShareWhatBlocks(t *testing.T) {
	for name, make := range sharings {
		t.Run(name, func(t *testing.T) {
			orders := map[string]bool{}
			simtest.Run(t, simtest.Config{Schedules: 30, Repeat: 5}, func(s *simtest.Sim) {
				shared := make()
				log := share(s, s.System(actor.Config{}), shared)
				if err := shared.end(); err != nil {
					s.Error(err)
				}
				for i, line := range log {
					if !strings.HasSuffix(line, fmt.Sprint(" got ", i+1)) {
						s.Errorf("the %d. line is %q", i+1, line)
					}
				}
				orders[strings.Join(log, ", ")] = true
			})
			if len(orders) < 2 {
				t.Errorf("all schedules had the order %v", orders)
			}
		})
	}
}

// A schedule in which handlers block replays, whatever the number of processors is.
func TestBlockedHandlersReplay(t *testing.T) {
	lane.Short(t)
	defer runtime.GOMAXPROCS(runtime.GOMAXPROCS(0))
	for name, make := range sharings {
		t.Run(name, func(t *testing.T) {
			body := func(s *simtest.Sim) {
				shared := make()
				log := share(s, s.System(actor.Config{}), shared)
				if err := shared.end(); err != nil {
					s.Error(err)
				}
				if !strings.HasPrefix(log[0], "user0") {
					s.Error("user0 is not the first")
				}
			}
			f := find(t, simtest.Config{}, body, "user0 is not the first", "blocks   user", "TROUPE_REPLAY")
			for _, n := range []int{1, 2, 8} {
				runtime.GOMAXPROCS(n)
				for range 20 {
					again, err := simtest.Replay(t, simtest.Config{}, f.Schedule, body)
					if err != nil || again == nil || !slices.Equal(again.Trace, f.Trace) {
						t.Fatalf("with %d processors: %v, %v\nas it was found: %v", n, again, err, f)
					}
				}
			}
		})
	}
}

// An ask ends at its deadline while the handler that was asked is asleep, and the answer of
// that comes to nobody.
func TestAskOfASleeper(t *testing.T) {
	simtest.Run(t, simtest.Config{Schedules: 20}, func(s *simtest.Sim) {
		begun := time.Now()
		sys := s.System(actor.Config{})
		woken := 0
		sleeper := spawn(s, sys, "sleeper", func(ctx *actor.Context[get], m get) error {
			time.Sleep(time.Minute) //nolint:forbidigo // In virtual time.
			woken++
			_ = m.reply.Send(ctx, 1)
			return nil
		})
		var took time.Duration
		asker := spawn(s, sys, "asker", func(ctx *actor.Context[int], _ int) error {
			soon, cancel := context.WithTimeout(ctx, time.Second)
			defer cancel()
			_, err := actor.Ask(soon, sleeper, count)
			if !errors.Is(err, context.DeadlineExceeded) {
				s.Errorf("the ask ended with %v", err)
			}
			took = time.Since(begun)
			return nil
		})
		_ = asker.Send(bg, 1)
		soon, cancel := context.WithTimeout(bg, time.Second)
		defer cancel()
		if _, err := actor.Ask(soon, sleeper, count); !errors.Is(err, context.DeadlineExceeded) {
			s.Errorf("the body's ask ended with %v", err)
		}
		if d := time.Since(begun); d != time.Second {
			s.Errorf("the body's ask took %v", d)
		}
		s.Advance(3 * time.Minute)
		if took != time.Second || woken != 2 {
			s.Errorf("the ask took %v, and the sleeper woke %d times", took, woken)
		}
	})
}

// Handlers that wake in the same moment go on in an order that the schedule decides, and that
// is the same each time. They begin to wait in all ways, and come back in all ways.
func TestSleepersOfOneMoment(t *testing.T) {
	orders := map[string]bool{}
	simtest.Run(t, simtest.Config{Schedules: 40, Repeat: 4}, func(s *simtest.Sim) {
		sys := s.System(actor.Config{})
		var order []string
		note := spawn(s, sys, "note", func(_ *actor.Context[string], m string) error { order = append(order, m); return nil })
		for i := range 3 {
			name := fmt.Sprint("actor", i)
			_ = spawn(s, sys, name, func(ctx *actor.Context[int], _ int) error {
				time.Sleep(time.Second) //nolint:forbidigo // In virtual time.
				return note.Send(ctx, name)
			}).Send(bg, 1)
		}
		if _, err := actor.SpawnProcess(sys, func(p *actor.Process[int]) error {
			time.Sleep(time.Second) //nolint:forbidigo // In virtual time.
			return note.Send(p, "process")
		}); err != nil {
			s.Error(err)
		}
		job := func(name string) func(context.Context) error {
			return func(ctx context.Context) error {
				time.Sleep(time.Second) //nolint:forbidigo // In virtual time.
				return note.Send(ctx, name)
			}
		}
		if _, err := sys.Scheduler().Go(bg, job("job")); err != nil {
			s.Error(err)
		}
		var m strand.Mutex
		for i := range 2 {
			if _, err := strand.Go(bg, func(st *strand.Strand) error {
				time.Sleep(time.Second) //nolint:forbidigo // In virtual time.
				if err := m.Lock(st); err != nil {
					return err
				}
				defer func() { _ = m.Unlock(st) }()
				return note.Send(bg, fmt.Sprint("strand", i))
			}, strand.On(sys.Scheduler())); err != nil {
				s.Error(err)
			}
		}
		_ = spawn(s, sys, "parent", func(ctx *actor.Context[int], _ int) error {
			_, err := task.Run(ctx, task.AllCompleted[int](), func(_ context.Context, g *task.Group[int]) error {
				for _, name := range []string{"branch0", "branch1"} {
					if _, err := g.Go(func(ctx context.Context) (int, error) { return 0, job(name)(ctx) }); err != nil {
						return err
					}
				}
				return nil
			})
			return err
		}).Send(bg, 1)
		s.Advance(time.Minute)
		if len(order) != 9 {
			s.Errorf("%d have noted something: %v", len(order), order)
		}
		orders[strings.Join(order, " ")] = true
	})
	if len(orders) < 10 {
		t.Errorf("there were %d orders", len(orders))
	}
}

// Whatever a handler does after it was blocked is done as it would be without: it panics, it
// fails, it calls Goexit, it was killed meanwhile, its supervisor starts it again, and the
// program stops.
func TestWhatComesAfterABlock(t *testing.T) {
	for name, after := range map[string]func() error{
		"nothing": func() error { return nil },
		"error":   func() error { return errors.New("it failed") },
		"panic":   func() error { panic("it panics") },
		"goexit":  func() error { runtime.Goexit(); return nil },
	} {
		t.Run(name, func(t *testing.T) {
			simtest.Run(t, simtest.Config{Schedules: 20, Repeat: 5}, func(s *simtest.Sim) {
				sys := s.System(actor.Config{Logger: slog.New(slog.DiscardHandler)})
				sup, err := supervise.Start(sys, supervise.Config{Intensity: 10})
				if err != nil {
					s.Fatal(err)
				}
				handled := 0
				worker, err := supervise.Spawn(bg, sup, supervise.Child[int]{Name: "worker", New: func() actor.Actor[int] {
					return actor.Func(func(*actor.Context[int], int) error {
						time.Sleep(time.Second) //nolint:forbidigo // In virtual time.
						handled++
						return after()
					})
				}})
				if err != nil {
					s.Fatal(err)
				}
				for i := range 3 {
					_ = worker.Send(bg, i)
				}
				s.Advance(time.Minute)
				if handled != 3 {
					s.Errorf("it has handled %d messages", handled)
				}
			})
		})
	}
}

// A handler that is killed while it is blocked is replaced at once. When it goes on it has no
// effect, and the end of the system waits for it.
func TestKilledWhileBlocked(t *testing.T) {
	simtest.Run(t, simtest.Config{Schedules: 20, Repeat: 5}, func(s *simtest.Sim) {
		sys := s.System(actor.Config{Logger: slog.New(slog.DiscardHandler)})
		c := counter(s, sys)
		begun := time.Now()
		a := spawn(s, sys, "a", func(ctx *actor.Context[int], _ int) error {
			time.Sleep(time.Minute) //nolint:forbidigo // In virtual time.
			_, err := actor.Ask(ctx, c, count)
			if err == nil {
				s.Error("a killed handler has asked")
			}
			return err
		})
		_ = a.Send(bg, 1)
		s.RunUntilIdle()
		if err := a.Kill(); err != nil {
			s.Error(err)
		}
		s.RunUntilIdle()
		if err := a.Send(bg, 1); !errors.Is(err, actor.ErrStopped) || time.Since(begun) != 0 {
			s.Errorf("after %v a send to it ends with %v", time.Since(begun), err)
		}
	})
}

// A step that nothing can wake is named, with the place where it is blocked, and so is what
// waits for it.
func TestBlockedForEver(t *testing.T) {
	find(t, simtest.Config{Schedules: 1}, func(s *simtest.Sim) {
		sys := s.System(actor.Config{})
		nobody := make(chan int)
		stuck := spawn(s, sys, "stuck", func(*actor.Context[get], get) error { <-nobody; return nil })
		ask(bg, s, stuck, count)
	}, "deadlock: stuck<0.1> is blocked in an operation outside of this module", "in a chan receive", "blocked_test.go",
		"the body waits for the answer of stuck<0.1>", "blocks   stuck<0.1>")
}

// Work that is blocked when the body has returned without a stop of the scheduler is a leak.
func TestBlockedAtTheEnd(t *testing.T) {
	find(t, simtest.Config{Schedules: 1}, func(s *simtest.Sim) {
		sc, err := sched.New(sched.Config{})
		if err != nil {
			s.Fatal(err)
		}
		if _, err := sc.Go(bg, func(context.Context) error {
			time.Sleep(time.Hour) //nolint:forbidigo // In virtual time.
			return nil
		}); err != nil {
			s.Error(err)
		}
		s.RunUntilIdle()
	}, "leaked: a scheduler was not stopped", "is blocked in an operation outside of this module, in a sleep", "blocked_test.go")
}

// A handler that waits for a sync.Mutex is reported as something that is not simulated, with
// the place, if the holder waits, too.
func TestMutexIsNotSimulated(t *testing.T) {
	lane.Check(t)
	var mu sync.Mutex
	var rw sync.RWMutex
	for name, lock := range map[string]sync.Locker{"sync.Mutex.Lock": &mu, "sync.RWMutex.RLock": rw.RLocker()} {
		t.Run(name, func(t *testing.T) {
			release := make(chan func(), 1)
			find(t, simtest.Config{Schedules: 1}, func(s *simtest.Sim) {
				sys := s.System(actor.Config{})
				c := counter(s, sys)
				holder := spawn(s, sys, "holder", func(ctx *actor.Context[int], _ int) error {
					unlock := mu.Unlock
					if name == "sync.Mutex.Lock" {
						mu.Lock()
					} else {
						rw.Lock()
						unlock = rw.Unlock
					}
					select {
					case release <- unlock:
					default:
					}
					_, err := actor.Ask(ctx, c, count)
					return err
				})
				_ = holder.Send(bg, 1)
				other := spawn(s, sys, "other", func(*actor.Context[int], int) error {
					lock.Lock()
					defer lock.Unlock()
					return nil
				})
				_ = other.Send(bg, 1)
				s.RunUntilIdle()
			}, "not simulated: other<2.1> is on one step", "in "+name+" at ", "blocked_test.go", "Use strand.Mutex")
			(<-release)()
		})
	}
}
