package supervise_test

import (
	"fmt"
	"testing"
	"time"

	"github.com/troupe-go/troupe/actor"
	"github.com/troupe-go/troupe/internal/lane"
	"github.com/troupe-go/troupe/simtest"
	"github.com/troupe-go/troupe/supervise"
)

// parcel is one message of the storm.
type parcel struct{ n int }

// A tenth of all messages panic, for ten minutes, below three levels of
// supervisors of all strategies, with back-off: nothing that was accepted is
// lost or handled twice, every ref stays valid, and in the end all is well.
func TestStorm(t *testing.T) {
	lane.Short(t)
	simtest.Run(t, simtest.Config{Schedules: 4, Steps: 2_000_000}, func(s *simtest.Sim) {
		const minutes, each = 10, 2 * time.Second
		sys := s.System(actor.Config{})
		handled := map[int]int{}
		leaf := func(name string) supervise.Spec {
			return supervise.Child[parcel]{Name: name, New: func() actor.Actor[parcel] {
				return actor.Func(func(_ *actor.Context[parcel], p parcel) error { handled[p.n]++; return nil })
			}}
		}
		names := []string{"x", "y", "z"}
		group := func(name string, strategy supervise.Strategy) supervise.Spec {
			var leaves []supervise.Spec
			for _, leafName := range names {
				leaves = append(leaves, leaf(name+leafName))
			}
			return supervise.Nested{Config: supervise.Config{
				Name: name, Strategy: strategy, Children: leaves, Intensity: 1, Period: 20 * time.Second,
				Backoff: supervise.Backoff{Min: 10 * time.Millisecond, Max: time.Second},
			}}
		}
		region := func(name string, strategy supervise.Strategy) supervise.Spec {
			return supervise.Nested{Config: supervise.Config{
				Name: name, Strategy: strategy, Intensity: many, Backoff: supervise.Backoff{Min: 10 * time.Millisecond, Max: time.Second},
				Children: []supervise.Spec{
					group(name+"1", supervise.OneForOne), group(name+"2", supervise.OneForAll), group(name+"3", supervise.RestForOne),
				},
			}}
		}
		root, err := supervise.Start(sys, supervise.Config{Name: "root", Children: []supervise.Spec{
			region("p", supervise.OneForOne), region("q", supervise.RestForOne),
		}})
		if err != nil {
			s.Fatal(err)
		}
		refs := leaves(s, root, names)
		sent := 0
		for range minutes * time.Minute / each {
			for _, name := range sortedNames(refs) {
				s.PanicRate(name, 0.1)
				if err := refs[name].TrySend(s.Context(), parcel{sent}); err != nil {
					s.Fatalf("%s: %v", name, err)
				}
				sent++
			}
			s.Advance(each)
		}
		for name := range refs {
			s.PanicRate(name, 0)
		}
		s.Advance(time.Minute)
		if err := root.Err(); err != nil {
			s.Fatal(err)
		}
		checkStorm(s, root, refs, handled, sent)
	})
}

// leaves returns the refs of all workers, by name.
func leaves(s *simtest.Sim, root *supervise.Supervisor, names []string) map[string]actor.Ref[parcel] {
	refs := map[string]actor.Ref[parcel]{}
	for _, r := range []string{"p", "q"} {
		region, err := root.Nested(r)
		if err != nil {
			s.Fatal(err)
		}
		for g := 1; g <= 3; g++ {
			group, err := region.Nested(fmt.Sprintf("%s%d", r, g))
			if err != nil {
				s.Fatal(err)
			}
			for _, name := range names {
				name = fmt.Sprintf("%s%d%s", r, g, name)
				if refs[name], err = supervise.Ref[parcel](group, name); err != nil {
					s.Fatal(err)
				}
			}
		}
	}
	return refs
}

func sortedNames(refs map[string]actor.Ref[parcel]) (all []string) {
	for _, r := range []string{"p", "q"} {
		for g := 1; g <= 3; g++ {
			for _, name := range []string{"x", "y", "z"} {
				all = append(all, fmt.Sprintf("%s%d%s", r, g, name))
			}
		}
	}
	if len(all) != len(refs) {
		panic("there are other workers")
	}
	return all
}

// checkStorm checks what must be so after the storm.
func checkStorm(s *simtest.Sim, root *supervise.Supervisor, refs map[string]actor.Ref[parcel], handled map[int]int, sent int) {
	restarts := 0
	for _, name := range sortedNames(refs) {
		i, err := refs[name].Info()
		if err != nil || i.State != actor.Waiting || i.Mailbox != [3]int{} {
			s.Errorf("%s is %v with %v messages, %v", name, i.State, i.Mailbox, err)
		}
		restarts += i.Restarts
	}
	for n, times := range handled {
		if times != 1 {
			s.Errorf("message %d was handled %d times", n, times)
		}
	}
	lost := float64(sent-len(handled)) / float64(sent)
	if lost < 0.05 || lost > 0.15 || len(s.DeadLetters()) > 0 {
		s.Errorf("of %d messages %d were not handled, %d are dead letters; a tenth should have panicked",
			sent, sent-len(handled), len(s.DeadLetters()))
	}
	if restarts < sent-len(handled) {
		s.Errorf("there were %d restarts of workers for %d panics", restarts, sent-len(handled))
	}
	escalations := 0
	for _, name := range []string{"p", "q"} {
		region, err := root.Nested(name)
		if err != nil {
			s.Fatal(err)
		}
		escalations += region.Restarts()
	}
	if escalations == 0 {
		s.Error("no group has given up, so there was no storm")
	}
}
