package actor_test

import (
	"context"
	"fmt"
	"testing"

	"github.com/troupe-go/troupe/actor"
)

// An ask of an actor that waits for one that does not wait can close no ring. To see
// that takes no memory.
func TestAskOfOneThatWaitsAllocatesNothing(t *testing.T) {
	type held struct {
		reply  actor.Reply[int]
		answer bool
	}
	ctx := context.Background() // Asks that carry nothing.
	sys := oneWorker(t)
	var kept actor.Reply[int]
	last := spawn(t, sys, func(c *actor.Context[held], m held) error {
		if m.answer {
			return kept.Send(c, 1)
		}
		kept = m.reply
		return nil
	})
	var waits, before, after int
	middle := spawn(t, sys, func(c *actor.Context[question], q question) error {
		if q.n == 0 {
			return q.reply.Send(c, 0)
		}
		before++
		_, err := actor.Ask(c, last, func(r actor.Reply[int]) held { return held{reply: r} })
		after++
		return err
	})
	numbers := spawn(t, sys, answer)
	first := spawn(t, sys, func(c *actor.Context[question], q question) error {
		n := testing.AllocsPerRun(500, func() {
			wantNoErr(t, middle.Send(c, question{n: 1}))
			_, err := actor.Ask(c, numbers, asking(1)) // Meanwhile middle begins to wait.
			wantNoErr(t, err)
			waits += before - after
			wantNoErr(t, last.Send(c, held{answer: true}))
			_, err = actor.Ask(c, middle, asking(0))
			wantNoErr(t, err)
		})
		return q.reply.Send(c, int(n))
	})
	n, err := actor.Ask(ctx, first, asking(1))
	wantNoErr(t, err)
	if n != 0 {
		t.Errorf("three asks allocate %d times", n)
	}
	if waits != 501 { // AllocsPerRun makes a round more.
		t.Errorf("%d of 501 asks were of an actor that waited", waits)
	}
}

// A ring is found, whatever its length.
func TestRingOfManyActors(t *testing.T) {
	sys := oneWorker(t)
	var actors []runner
	var names []string
	for i := range 50 {
		names = append(names, fmt.Sprint("actor-", i))
		actors = append(actors, spawn(t, sys, run, actor.WithName(names[i])))
	}
	err := let(guarded(t), actors[0], circle(actors))
	_ = wantRing(t, err, append([]string{names[49]}, names[:49]...)...)
}
