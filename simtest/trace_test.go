package simtest_test

import (
	"context"
	"os"
	"os/exec"
	"regexp"
	"strings"
	"testing"
	"time"

	"github.com/troupe-go/troupe/actor"
	"github.com/troupe-go/troupe/sched"
	"github.com/troupe-go/troupe/simtest"
	"github.com/troupe-go/troupe/strand"
	"github.com/troupe-go/troupe/task"
)

// stamped is a message with times in it.
type stamped struct {
	At    time.Time
	after time.Duration
	begun time.Time
}

// A trace shows the causes of what happens.
func TestTraceShowsCauses(t *testing.T) {
	for _, tc := range []struct {
		name string
		body func(s *simtest.Sim)
		want []string
	}{
		{"failures and restarts", func(s *simtest.Sim) {
			worker, _, _ := supervised(s)
			s.FailAt("worker", 1, errBroken)
			_ = worker.Send(bg, 1)
			s.RunUntilIdle()
		}, []string{"0s  fails    worker<1.1>: broken", "0s  restarts worker<1.1>"}},
		{"stops", func(s *simtest.Sim) {
			a := spawn(s, s.System(actor.Config{}), "a", func(ctx *actor.Context[int], _ int) error { ctx.Stop(); return nil })
			_ = a.Send(bg, 1)
			s.RunUntilIdle()
		}, []string{"0s  stops    a<0.1>\n"}},
		{"dead letters", func(s *simtest.Sim) {
			a := spawn(s, s.System(actor.Config{}), "a", nothing)
			_ = a.Stop(bg)
			_ = a.Send(bg, 7)
		}, []string{"0s  lost     to a<0.1> data int(7): "}},
		{"drops", func(s *simtest.Sim) {
			a, err := actor.Spawn(s.System(actor.Config{}), actor.Func(nothing), actor.WithName("a"),
				actor.WithCapacity(actor.Data, 2), actor.WithBuffer(actor.Data, actor.Sliding))
			if err != nil {
				s.Fatal(err)
			}
			_, _, _ = a.Send(bg, 7), a.Send(bg, 8), a.Send(bg, 9)
		}, []string{"0s  lost     to a<0.1> data int(7): "}},
		{"ask time-outs", func(s *simtest.Sim) {
			sys := s.System(actor.Config{})
			silent := spawn(s, sys, "silent", func(*actor.Context[get], get) error { return nil })
			a := spawn(s, sys, "asker", func(ctx *actor.Context[int], _ int) error {
				limited, cancel := context.WithTimeout(ctx, time.Second)
				defer cancel()
				_, _ = actor.Ask(limited, silent, count)
				return nil
			})
			_ = a.Send(bg, 1)
			s.Advance(time.Minute)
		}, []string{"1s  gives up asker<1.1>: context deadline exceeded"}},
		{"sends", func(s *simtest.Sim) {
			sys := s.System(actor.Config{})
			a := spawn(s, sys, "a", nothing)
			b := spawn(s, sys, "b", func(ctx *actor.Context[int], m int) error { return a.Send(ctx, m) })
			_, _, _ = a.Send(bg, 1), a.Send(bg, 2), b.Send(bg, 3)
			s.RunUntilIdle()
		}, []string{"0s  sends    the body to a<0.1> data, which is queued already"}},
		{"sleeps", func(s *simtest.Sim) {
			a := spawn(s, s.System(actor.Config{}), "a", func(ctx *actor.Context[int], _ int) error { return task.Sleep(ctx, time.Minute) })
			_ = a.Send(bg, 1)
			s.Advance(time.Hour)
		}, []string{"0s  waits    a<0.1> for 1m0s\n"}},
		{"drains", func(s *simtest.Sim) {
			sys := s.System(actor.Config{})
			a := spawn(s, sys, "a", func(ctx *actor.Context[int], _ int) error { return task.Sleep(ctx, time.Minute) })
			b := spawn(s, sys, "b", func(ctx *actor.Context[int], _ int) error { return a.Drain(ctx) })
			_ = a.Send(bg, 1)
			s.RunUntilIdle()
			_ = b.Send(bg, 1)
			s.Advance(time.Hour)
		}, []string{"waits    b<1.1> for the end of a<0.1>\n"}},
		{"times", func(s *simtest.Sim) {
			a := spawn(s, s.System(actor.Config{}), "a", func(*actor.Context[stamped], stamped) error { return nil })
			s.Advance(time.Minute)
			_ = a.Send(bg, stamped{s.Now(), time.Second, s.Now()})
			s.RunUntilIdle()
		}, []string{"1m0s  handles  a<0.1> data simtest_test.stamped{At(2000-01-01T00:01:00Z) after(1s) begun(2000-01-01T00:01:00Z)}"}},
		{"from the beginning", func(s *simtest.Sim) {
			a := spawn(s, s.System(actor.Config{}), "a", nothing)
			time.Sleep(time.Hour) //nolint:forbidigo // In a bubble, where it takes no time, before anything else happens.
			_ = a.Send(bg, 1)
			s.RunUntilIdle()
		}, []string{"1h0m0s  queued   a<0.1>"}},
		{"who holds a mutex", func(s *simtest.Sim) {
			sys := s.System(actor.Config{})
			var first, second strand.Mutex
			holds := func(ctx *actor.Context[int], _ int) error {
				for _, m := range []*strand.Mutex{&first, &second} {
					if err := m.Lock(ctx); err != nil {
						return err
					}
				}
				err := task.Sleep(ctx, time.Minute)
				_ = second.Unlock(ctx)
				_ = first.Unlock(ctx)
				return err
			}
			holder := spawn(s, sys, "holder", holds)
			waiter := spawn(s, sys, "waiter", func(ctx *actor.Context[int], _ int) error {
				if err := second.Lock(ctx); err != nil {
					return err
				}
				return second.Unlock(ctx)
			})
			_ = holder.Send(bg, 1)
			s.RunUntilIdle()
			_ = waiter.Send(bg, 1)
			s.Advance(time.Hour)
		}, []string{"waits    waiter<1.1> for mutex 2, which holder<0.1> holds\n"}},
	} {
		t.Run(tc.name, func(t *testing.T) {
			f := find(t, simtest.Config{Schedules: 1}, func(s *simtest.Sim) {
				tc.body(s)
				s.Error("the end")
			}, tc.want...)
			if f.Differs != "" {
				t.Error(f)
			}
		})
	}
}

// The deadlock of two who hold what the other wants is told with the names of both.
func TestDeadlockOfMutexes(t *testing.T) {
	find(t, simtest.Config{}, func(s *simtest.Sim) {
		sys := s.System(actor.Config{})
		oracle := counter(s, sys)
		var one, two strand.Mutex
		both := func(name string, first, second *strand.Mutex) *sched.Job {
			j, err := sys.Scheduler().Go(bg, func(ctx context.Context) error {
				if err := first.Lock(ctx); err != nil {
					return err
				}
				_, _ = actor.Ask(ctx, oracle, count)
				if err := second.Lock(ctx); err != nil {
					return err
				}
				_ = second.Unlock(ctx)
				return first.Unlock(ctx)
			}, sched.WithKind(name), sched.WithTimeout(0))
			if err != nil {
				s.Fatal(err)
			}
			return j
		}
		x, y := both("x", &one, &two), both("y", &two, &one)
		_, _ = x.Wait(bg), y.Wait(bg)
	}, "deadlock", "job 1 (x) waits for mutex 2, which job 2 (y) holds", "job 2 (y) waits for mutex 1, which job 1 (x) holds",
		"the body waits for the end of job 1 (x)")
}

// The report of a long trace has its beginning and its end, and names the file with all.
func TestLongTrace(t *testing.T) {
	if os.Getenv("SIMTEST_LONG") != "" {
		simtest.Run(t, simtest.Config{}, func(s *simtest.Sim) {
			a := spawn(s, s.System(actor.Config{}), "a", nothing)
			for i := range 100 {
				_ = a.Send(bg, i)
				s.RunUntilIdle()
			}
			s.Error("the end")
		})
		return
	}
	t.Setenv("TMPDIR", t.TempDir())
	out := runSelf(t, "SIMTEST_LONG")
	match := regexp.MustCompile(`The whole of it, (\d+) lines, is in (\S+)`).FindStringSubmatch(out)
	if match == nil {
		t.Fatalf("no file is named in\n%s", out)
	}
	whole, err := os.ReadFile(match[2])
	if err != nil {
		t.Fatal(err)
	}
	for i, where := range map[string]bool{"int(0)": true, "int(50)": false, "int(99)": true, "the end": true} {
		if !strings.Contains(string(whole), i) || strings.Contains(out, i) != where {
			t.Errorf("%s: the report has it: %v, and the file: %v", i, strings.Contains(out, i), strings.Contains(string(whole), i))
		}
	}
	if !strings.Contains(out, "lines are left out") {
		t.Errorf("the report does not say that lines are left out:\n%s", out)
	}
}

// runSelf runs the calling test in a process of its own, with a variable set, and returns
// what that prints.
func runSelf(t *testing.T, variable string) string {
	t.Helper()
	binary, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	cmd := exec.CommandContext(t.Context(), binary, "-test.v", "-test.run", "^"+t.Name()+"$") //nolint:gosec // It is this program.
	cmd.Env = append(os.Environ(), variable+"=1")
	out, err := cmd.CombinedOutput()
	if err != nil && len(out) == 0 {
		t.Fatal(err)
	}
	return string(out)
}
