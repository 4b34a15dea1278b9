//go:build modelcheck

package actor_test

import (
	"context"
	"errors"
	"fmt"

	"github.com/troupe-go/troupe/actor"
	"github.com/troupe-go/troupe/internal/modelcheck"
	"github.com/troupe-go/troupe/internal/workers"
)

// askModel is actors that are asked in a model, and what they know of it.
type askModel struct {
	*modelcheck.Program
	model   *workers.Model
	sys     *actor.System
	left    int // Handlers and askers that have not ended.
	refs    []actor.Ref[question]
	handled []int // By actor, how often the ask has come to its handler.
	taken   []int // By actor, how many answers were accepted.
	letters int
	faults  []error
}

// newAskModel has actors whose lanes are full, each with a message that nobody waits
// for, or empty.
func newAskModel(p *modelcheck.Program, full ...bool) *askModel {
	q := &askModel{Program: p, model: workers.NewModelScheduler(), handled: make([]int, len(full)), taken: make([]int, len(full))}
	q.sys = actor.NewModelSystem(q.model.Scheduler(), func(actor.DeadLetter) { q.letters++ })
	for i, full := range full {
		q.refs = append(q.refs, must(actor.Spawn(q.sys, actor.Func(func(_ *actor.Context[question], m question) error {
			if m.n == 0 {
				q.over()
				return nil
			}
			q.handled[i]++
			if err := m.reply.Send(background, m.n); err == nil {
				q.taken[i]++
			}
			return nil
		}), actor.WithCapacity(actor.Data, 1))))
		if full {
			q.left++
			if err := q.refs[i].Send(background, question{}); err != nil {
				panic(err)
			}
		}
	}
	f := q.model.Fiber()
	q.Go("worker", func() { q.model.Work(f) })
	return q
}

func (q *askModel) over() {
	if q.left--; q.left == 0 {
		q.model.End()
	}
}

// asker adds a thread that asks, and a check of the answers, in the order of refs.
func (q *askModel) asker(ask func() []actor.Answer[int]) {
	q.left++
	var answers []actor.Answer[int]
	q.Go("asker", func() {
		answers = ask()
		for i, ref := range q.refs {
			if n := actor.SendersWaiting(ref); n != 0 {
				q.faults = append(q.faults, fmt.Errorf("behind ask %d, its message waits for room still", i))
			}
		}
		q.over()
	})
	q.Finally(func() error {
		for i, a := range answers {
			switch gone := errors.Is(a.Err, context.Canceled) || errors.Is(a.Err, actor.ErrNotNeeded); {
			case a.Err == nil && (a.Value != i+1 || q.taken[i] != 1):
				return fmt.Errorf("actor %d has answered %d, and %d answers were accepted", i, a.Value, q.taken[i])
			case a.Err != nil && (!gone || q.taken[i] != 0):
				return fmt.Errorf("ask %d has ended by %w, and %d answers were accepted", i, a.Err, q.taken[i])
			case q.handled[i] > 1:
				return fmt.Errorf("ask %d was handled %d times", i, q.handled[i])
			}
		}
		if q.letters != 0 {
			return fmt.Errorf("%d dead letters", q.letters)
		}
		return errors.Join(q.faults...)
	})
}

func number(i int) func(actor.Reply[int]) question {
	return func(r actor.Reply[int]) question { return question{i + 1, r} }
}

// givingUp has an ask of an actor whose lane is full, and somebody who ends its
// context.
func givingUp(ask func(ctx context.Context, q *askModel) []actor.Answer[int]) func(*modelcheck.Program) {
	return func(p *modelcheck.Program) {
		q := newAskModel(p, true)
		ctx, cancel := context.WithCancel(background)
		q.asker(func() []actor.Answer[int] { return ask(ctx, q) })
		q.Go("cancel", func() { modelcheck.Outside(); cancel() })
	}
}

func askOne(ctx context.Context, q *askModel) []actor.Answer[int] {
	v, err := actor.Ask(ctx, q.refs[0], number(0))
	return []actor.Answer[int]{{Value: v, Err: err}}
}

func askAll(ctx context.Context, q *askModel) []actor.Answer[int] {
	return actor.AskAll(ctx, q.refs, number(0))
}

// havingEnough has two actors asked, and needs one answer. The message to the other actor,
// whose lane is full, is then taken back.
func havingEnough(p *modelcheck.Program) {
	q := newAskModel(p, true, false)
	q.asker(func() []actor.Answer[int] {
		i := -1
		answers, err := actor.AskQuorum(background, q.refs, 1, func(r actor.Reply[int]) question {
			i++
			return question{i + 1, r}
		})
		if err != nil {
			panic(err)
		}
		return answers
	})
}
