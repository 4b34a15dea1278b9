package simtest

import (
	"fmt"
	"slices"
	"strings"

	"github.com/troupe-go/troupe/actor"
)

// Leftovers are kinds of things that a program may leave behind, as bits; see
// [Config]. They are looked for in the systems of [Sim.System] and the schedulers of
// [Sim.Scheduler], when the body has returned and nothing can run before time
// passes, and before the systems are stopped. Probes don't count.
type Leftovers uint8

// The kinds.
const (
	// Actors that have not stopped.
	Actors Leftovers = 1 << iota
	// Tasks, and jobs and strands, that have not ended.
	Tasks
	// Timers that are still set.
	Timers
	// Messages that nobody has handled: in a lane, or put aside in a stash.
	Messages
	// Monitors and links between actors.
	Monitors
	// DeadLetters of any kind, including the ones of the stop at the end.
	DeadLetters

	// Everything is all of them.
	Everything = 1<<iota - 1
)

// lookForLeftovers is called when the body has returned.
func (s *Sim) lookForLeftovers() {
	if s.forbid&^DeadLetters == 0 || s.Failed() || s.engine.Over() {
		return
	}
	s.RunUntilIdle()
	var left []string
	for _, sys := range s.systems {
		for info := range sys.Infos(actor.PID{}) {
			if !s.probes[info.PID] {
				left = append(left, s.leftBy(info)...)
			}
		}
	}
	if s.forbid&Tasks != 0 {
		left = append(left, s.leftTasks()...)
	}
	if len(left) > 0 {
		s.fail("left behind when the body has returned: " + strings.Join(left, "\n        "))
	}
}

// leftBy says what the actor has left.
func (s *Sim) leftBy(i actor.Info) (left []string) {
	who := i.Name + i.PID.String()
	add := func(kind Leftovers, n int, what string) {
		if s.forbid&kind != 0 && n > 0 {
			left = append(left, fmt.Sprintf("%s has %d %s", who, n, what))
		}
	}
	if s.forbid&Actors != 0 {
		left = append(left, fmt.Sprintf("%s, of kind %s, is %v", who, i.Kind, i.State))
	}
	waiting := 0
	for _, n := range i.Mailbox {
		waiting += n
	}
	add(Timers, i.Timers, "timers set")
	add(Messages, waiting, "messages in its lanes")
	add(Messages, i.Stashed, "messages in its stash")
	add(Monitors, i.MonitorCount, "monitors of others")
	add(Monitors, i.LinkCount, "links")
	return left
}

func (s *Sim) leftTasks() (left []string) {
	pools := slices.Clone(s.pools)
	for _, sys := range s.systems {
		if !slices.Contains(pools, sys.Scheduler()) {
			pools = append(pools, sys.Scheduler())
		}
	}
	jobs := 0
	for _, pool := range pools {
		jobs += pool.Stats().Jobs
	}
	if jobs == 0 {
		return nil
	}
	return append([]string{fmt.Sprintf("%d tasks, jobs or strands have not ended", jobs)}, s.engine.Waits()...)
}

// lookForDeadLetters is called when the systems have stopped.
func (s *Sim) lookForDeadLetters() {
	dead := s.DeadLetters()
	if s.forbid&DeadLetters == 0 || len(dead) == 0 || s.Failed() {
		return
	}
	left := make([]string, 0, len(dead))
	for _, d := range dead {
		left = append(left, fmt.Sprintf("to %s%v: %T: %v", d.Name, d.To, d.Message, d.Reason))
	}
	s.fail("dead letters: " + strings.Join(left, "\n        "))
}
