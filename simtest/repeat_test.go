package simtest_test

import (
	"math/rand/v2"
	"runtime"
	"strings"
	"testing"

	"github.com/troupe-go/troupe/actor"
	"github.com/troupe-go/troupe/internal/lane"
	"github.com/troupe-go/troupe/simtest"
)

// Repeat -1 repeats as little as 0: the natural schedule alone.
func TestRepeatOfNone(t *testing.T) {
	runs := func(repeat int) (n int) {
		f, err := simtest.Find(t, simtest.Config{Schedules: 3, Repeat: repeat}, func(*simtest.Sim) { n++ })
		if f != nil || err != nil {
			t.Fatal(f, err)
		}
		return n
	}
	byDefault, none, all := runs(0), runs(-1), runs(1)
	if none != byDefault || all <= none {
		t.Errorf("the program ran %d times by default, %d with -1 and %d with 1", byDefault, none, all)
	}
}

// unrepeatable are programs that are not functions of the seed. Each fails now and
// then. In some of them the schedule matters as well.
var unrepeatable = []struct {
	name string
	// program returns a body, whose state is new for each search.
	program func() func(*simtest.Sim)
}{
	{"map order", func() func(*simtest.Sim) {
		return func(s *simtest.Sim) { inOrderOf(s, anyOrder()) }
	}},
	{"random numbers", func() func(*simtest.Sim) {
		return func(s *simtest.Sim) {
			inOrderOf(s, rand.Perm(3))
		}
	}},
	{"select", func() func(*simtest.Sim) {
		return func(s *simtest.Sim) {
			a, b := make(chan int, 1), make(chan int, 1)
			a <- 1
			b <- 2
			order := []int{0}
			select {
			case i := <-a:
				order = append(order, i, 2)
			case i := <-b:
				order = append(order, i, 1)
			}
			inOrderOf(s, order)
		}
	}},
	{"a variable that counts", func() func(*simtest.Sim) {
		runs := 0
		return func(s *simtest.Sim) {
			if runs++; runs == 20 {
				s.Error("the last is first")
			}
		}
	}},
	{"a variable that stays", func() func(*simtest.Sim) {
		runs := 0
		return func(s *simtest.Sim) {
			if runs++; runs >= 20 {
				s.Error("the last is first")
			}
		}
	}},
	{"two goroutines", func() func(*simtest.Sim) {
		return func(s *simtest.Sim) {
			numbers := make(chan int, 2)
			for i := range 2 {
				go func() {
					for range rand.IntN(10) { // They race; this gives either a chance, on one processor, too.
						runtime.Gosched()
					}
					numbers <- i + 1
				}()
			}
			inOrderOf(s, []int{0, <-numbers, <-numbers})
		}
	}},
}

// anyOrder returns the numbers from 0 to 2 in the order of a map.
func anyOrder() (order []int) {
	for i := range map[int]bool{0: true, 1: true, 2: true} {
		order = append(order, i)
	}
	return order
}

// inOrderOf sends to three actors in the given order. It fails if the last of them is
// the first to handle its message, after the other two were sent theirs.
func inOrderOf(s *simtest.Sim, order []int) {
	sys := s.System(actor.Config{})
	handled := ""
	names := []string{"a", "b", "c"}
	var refs []actor.Ref[int]
	for _, name := range names {
		refs = append(refs, spawn(s, sys, name, func(ctx *actor.Context[int], _ int) error { handled += ctx.Name(); return nil }))
	}
	for _, i := range order {
		_ = refs[i].Send(bg, 1)
	}
	s.RunUntilIdle()
	if order[2] == 2 && handled[0] == 'c' {
		s.Error("the last is first")
	}
}

// A replay is offered only if it replays.
func TestNoReplayThatDoesNotReplay(t *testing.T) {
	lane.Check(t)
	for _, p := range unrepeatable {
		t.Run(p.name, func(t *testing.T) {
			told := 0
			for search := range 12 {
				body := p.program()
				f, err := simtest.Find(t, simtest.Config{Seed: 1 + uint64(search)*1000}, body)
				if err != nil {
					t.Fatal(err)
				}
				if f == nil {
					continue
				}
				if f.Schedule == "" {
					told++
					mustTellDifference(t, f)
					continue
				}
				mustReplay(t, f, body, p.program())
			}
			if told == 0 {
				t.Error("no search has found that the program is not deterministic")
			}
		})
	}
}

// mustTellDifference fails the test if f does not say why it has no replay.
func mustTellDifference(t *testing.T, f *simtest.Failure) {
	t.Helper()
	if text := f.String(); f.Differs == "" || f.Command != "" || !strings.Contains(text, "not deterministic") || strings.Contains(text, "TROUPE_REPLAY") {
		t.Errorf("the failure has no replay and does not say why: %v", f)
	}
}

// mustReplay fails the test if the schedule of f does not fail again, in each of the
// bodies. One of them has the state of a new process.
func mustReplay(t *testing.T, f *simtest.Failure, bodies ...func(*simtest.Sim)) {
	t.Helper()
	for _, body := range bodies {
		again, err := simtest.Replay(t, simtest.Config{}, f.Schedule, body)
		if err != nil {
			t.Fatal(err)
		}
		if again == nil || again.Messages[0] != f.Messages[0] {
			t.Errorf("%v\nbut when replayed: %v", f, again)
		}
	}
}

// Two runs that fail in the same way are not the same if their traces differ.
func TestTracesOfRepetitionsAreCompared(t *testing.T) {
	run := 0
	f := find(t, simtest.Config{}, func(s *simtest.Sim) {
		run++
		a := spawn(s, s.System(actor.Config{}), "a", nothing)
		_ = a.Send(bg, run)
		s.RunUntilIdle()
		s.Error("each time")
	}, "each time", "not deterministic, so there is no replay", "handles  a<0.1> data int(")
	mustTellDifference(t, f)
}

// Addresses and the numbers of goroutines, as in the stack of a panic, are no
// difference.
func TestPanicsReplay(t *testing.T) {
	f := find(t, simtest.Config{}, func(*simtest.Sim) { panic("oops") }, "goroutine ", "TROUPE_REPLAY")
	if f.Differs != "" {
		t.Error(f.Differs)
	}
}

// Config.Repeat finds a program that is not deterministic though it does not fail, and
// though the natural schedule is the same each time.
func TestRepeat(t *testing.T) {
	search := func(repeat int, strategy simtest.Strategy) *simtest.Failure {
		run := 0
		f, err := simtest.Find(t, simtest.Config{Repeat: repeat, Strategy: strategy, Schedules: 40}, func(s *simtest.Sim) {
			run++
			order := ""
			sys := s.System(actor.Config{})
			note := func(ctx *actor.Context[int], _ int) error { order += ctx.Name(); return nil }
			a, b, c := spawn(s, sys, "a", note), spawn(s, sys, "b", note), spawn(s, sys, "c", note)
			_, _ = a.Send(bg, 1), b.Send(bg, 1)
			s.RunUntilIdle()
			if order == "ba" {
				_ = c.Send(bg, run)
				s.RunUntilIdle()
			}
		})
		if err != nil {
			t.Fatal(err)
		}
		return f
	}
	for _, strategy := range []simtest.Strategy{simtest.Mixed, simtest.Exhaustive} {
		if f := search(0, strategy); f != nil {
			t.Errorf("%v: without Repeat: %v", strategy, f)
		}
		f := search(1, strategy)
		if f == nil || !strings.Contains(f.String(), "handles  c<2.1>") {
			t.Fatalf("%v: with Repeat: %v", strategy, f)
		}
		mustTellDifference(t, f)
	}
}
