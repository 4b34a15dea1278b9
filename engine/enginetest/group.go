package enginetest

import (
	"context"
	"errors"
	"fmt"
	"strconv"
	"sync"
	"time"

	"github.com/troupe-go/troupe/engine"
)

var groupCases = []testCase{
	{"a group delivers each record once, in order, until it is acknowledged", groupDelivers},
	{"a group begins where it was told, with the key it was told", groupSelects},
	{"members of a group share its records", groupShares},
	{"a refused record comes again, with its attempt counted", groupNacks},
	{"a record that is not settled in time comes again", groupRedelivers},
	{"a group delivers no more than its records in flight", groupInFlight},
	{"a group keeps its position when it is closed", groupKeeps},
	{"a group says where it is", groupInfo},
	{"a group can be forgotten", groupForgotten},
	{"a Next that is cancelled loses no record", nextCancelled},
	{"settings of groups", groupSettings},
}

// next returns the next delivery of a group, which must have the text.
func (k *kit) next(g engine.Group, text string, attempt int) engine.Delivery {
	k.Helper()
	d, err := g.Next(k.ctx)
	k.must(err, fmt.Sprintf("Next, for %q", text))
	if string(d.Data) != text || d.Attempt != attempt {
		k.Fatalf("Next returns %q, attempt %d, want %q, attempt %d", d.Data, d.Attempt, text, attempt)
	}
	return d
}

func (k *kit) ack(d engine.Delivery) {
	k.Helper()
	k.must(d.Ack(k.ctx), "Ack")
}

// nothing fails if the group has something to deliver. It may not be called if something is under way.
func (k *kit) nothing(g engine.Group) {
	k.Helper()
	ctx, cancel := context.WithTimeout(k.ctx, 50*time.Millisecond)
	defer cancel()
	if d, err := g.Next(ctx); !errors.Is(err, context.DeadlineExceeded) {
		k.Errorf("Next returns %q, attempt %d, %v, want nothing", d.Data, d.Attempt, err)
	}
}

func groupDelivers(k *kit) {
	name := k.name()
	l := k.log(name, 0, engine.LogConfig{})
	k.append(l, "1", "2")
	g := k.group(k.log(name, 1, engine.LogConfig{}), "g", engine.GroupConfig{})
	one := k.next(g, "1", 1)
	if one.Sequence != 1 {
		k.Errorf("the first delivery has the sequence %d", one.Sequence)
	}
	k.ack(k.next(g, "2", 1))
	k.ack(one)
	k.ack(one)
	k.nothing(g)
	waiting := make(chan engine.Delivery, 1)
	go func() {
		d, err := g.Next(k.ctx)
		if err != nil {
			k.Errorf("Next: %v", err)
		}
		waiting <- d
	}()
	k.append(l, "3")
	d := <-waiting
	if string(d.Data) != "3" {
		k.Fatalf("a Next that waits returns %q", d.Data)
	}
	k.ack(d)
	other := k.group(l, "other", engine.GroupConfig{})
	k.ack(k.next(other, "1", 1))
}

func groupSelects(k *kit) {
	l := k.log(k.name(), 0, engine.LogConfig{})
	for i := range 6 {
		_, err := l.Append(k.ctx, engine.Any, engine.Record{Key: []string{"a", "b", "a.b"}[i%3], Data: []byte(strconv.Itoa(i + 1))})
		k.must(err, "Append")
	}
	k.ack(k.next(k.group(l, "from", engine.GroupConfig{From: 5}), "5", 1))
	key := k.group(l, "key", engine.GroupConfig{Key: "a"})
	k.ack(k.next(key, "1", 1))
	k.ack(k.next(key, "4", 1))
	k.nothing(key)
	future := k.group(l, "future", engine.GroupConfig{From: 8})
	k.append(l, "7", "8")
	k.ack(k.next(future, "8", 1))
}

func groupShares(k *kit) {
	const members, records = 3, 30
	name := k.name()
	l := k.log(name, 0, engine.LogConfig{})
	for i := range records {
		k.append(l, strconv.Itoa(i))
	}
	var mu sync.Mutex
	seen := map[string]int{}
	ctx, cancel := context.WithCancel(k.ctx)
	defer cancel()
	var wait sync.WaitGroup
	for i := range members {
		g := k.group(k.log(name, i, engine.LogConfig{}), "g", engine.GroupConfig{InFlight: 3})
		wait.Go(func() {
			for {
				d, err := g.Next(ctx)
				if err != nil {
					return
				}
				if err := d.Ack(k.ctx); err != nil {
					k.Errorf("Ack: %v", err)
				}
				mu.Lock()
				if seen[string(d.Data)]++; len(seen) == records {
					cancel()
				}
				mu.Unlock()
			}
		})
	}
	wait.Wait()
	if len(seen) != records {
		k.Errorf("the members have seen %d records of %d", len(seen), records)
	}
}

func groupNacks(k *kit) {
	l := k.log(k.name(), 0, engine.LogConfig{})
	k.append(l, "1")
	g := k.group(l, "g", engine.GroupConfig{})
	k.must(k.next(g, "1", 1).Nack(k.ctx, 0), "Nack")
	k.must(k.next(g, "1", 2).Nack(k.ctx, 20*time.Millisecond), "Nack with a delay")
	third := k.next(g, "1", 3)
	for _, delay := range []time.Duration{-1, 25 * time.Hour} {
		k.is(third.Nack(k.ctx, delay), engine.ErrInvalid, fmt.Sprintf("Nack with the delay %v", delay))
	}
	k.ack(third)
	k.nothing(g)
}

func groupRedelivers(k *kit) {
	name := k.name()
	l := k.log(name, 0, engine.LogConfig{})
	k.append(l, "1")
	c := engine.GroupConfig{Redeliver: 200 * time.Millisecond}
	g := k.group(l, "g", c)
	k.next(g, "1", 1)
	for attempt := 2; ; attempt++ {
		d, err := g.Next(k.ctx)
		k.must(err, "Next")
		if string(d.Data) != "1" || d.Attempt < 2 {
			k.Fatalf("a record that was not settled comes as %q, attempt %d", d.Data, d.Attempt)
		}
		if d.Ack(k.ctx) == nil {
			return
		}
	}
}

func groupInFlight(k *kit) {
	l := k.log(k.name(), 0, engine.LogConfig{})
	k.append(l, "1", "2", "3")
	g := k.group(l, "g", engine.GroupConfig{InFlight: 2})
	one := k.next(g, "1", 1)
	k.next(g, "2", 1)
	k.nothing(g)
	k.ack(one)
	k.next(g, "3", 1)
}

func groupKeeps(k *kit) {
	l := k.log(k.name(), 0, engine.LogConfig{})
	k.append(l, "1", "2", "3")
	first, err := l.Group(k.ctx, "g", engine.GroupConfig{})
	k.must(err, "Group")
	k.ack(k.next(first, "1", 1))
	two := k.next(first, "2", 1)
	k.must(first.Close(), "Close")
	k.must(first.Close(), "a second Close")
	closed := first
	if c, ok := first.(cancelledGroup); ok {
		closed = c.Group
	}
	_, err = closed.Next(k.ctx)
	k.is(err, engine.ErrClosed, "Next of a closed group")
	k.ack(two)
	g := k.group(l, "g", engine.GroupConfig{})
	d, err := g.Next(k.ctx)
	if err != nil || string(d.Data) != "3" {
		k.Fatalf("a group that is opened again delivers %q, %v, want 3", d.Data, err)
	}
	k.ack(d)
}

func groupInfo(k *kit) {
	l := k.log(k.name(), 0, engine.LogConfig{})
	g := k.group(l, "g", engine.GroupConfig{InFlight: 1})
	k.append(l, "1", "2", "3")
	one := k.next(g, "1", 1)
	k.eventually("one record in flight and two waiting", func() bool {
		info, err := g.Info(k.ctx)
		k.must(err, "Info")
		return info == engine.GroupInfo{Acked: 0, InFlight: 1, Waiting: 2}
	})
	k.ack(one)
	k.ack(k.next(g, "2", 1))
	k.ack(k.next(g, "3", 1))
	k.eventually("three acknowledged records", func() bool {
		info, err := g.Info(k.ctx)
		k.must(err, "Info")
		return info == engine.GroupInfo{Acked: 3}
	})
}

func groupForgotten(k *kit) {
	l := k.log(k.name(), 0, engine.LogConfig{})
	k.append(l, "1")
	k.is(l.Forget(k.ctx, "g"), engine.ErrNotFound, "Forget of a group that does not exist")
	g := k.group(l, "g", engine.GroupConfig{})
	k.ack(k.next(g, "1", 1))
	k.must(l.Forget(k.ctx, "g"), "Forget")
	_, err := g.Info(k.ctx)
	k.is(err, engine.ErrNotFound, "Info of a forgotten group")
	again := k.group(l, "g", engine.GroupConfig{InFlight: 7})
	k.ack(k.next(again, "1", 1))
}

func nextCancelled(k *kit) {
	const records = 20
	l := k.log(k.name(), 0, engine.LogConfig{})
	g := k.group(l, "g", engine.GroupConfig{})
	done := make(chan struct{})
	go func() {
		defer close(done)
		for i := range records {
			if _, err := l.Append(k.ctx, engine.Any, record(strconv.Itoa(i))); err != nil {
				k.Errorf("Append: %v", err)
			}
		}
	}()
	for want := 0; want < records; {
		ctx, cancel := context.WithTimeout(k.ctx, time.Millisecond)
		d, err := g.Next(ctx)
		cancel()
		if k.ctx.Err() != nil {
			k.Fatalf("record %d is lost", want)
		}
		if err != nil {
			continue
		}
		if string(d.Data) != strconv.Itoa(want) {
			k.Fatalf("Next returns %q, want %d", d.Data, want)
		}
		k.ack(d)
		want++
	}
	<-done
}

func groupSettings(k *kit) {
	l := k.log(k.name(), 0, engine.LogConfig{})
	for _, c := range []engine.GroupConfig{{InFlight: -1}, {InFlight: engine.MaxInFlight + 1}, {Redeliver: -1}, {Redeliver: time.Millisecond}, {Key: "*"}} {
		_, err := l.Group(k.ctx, "g", c)
		k.is(err, engine.ErrInvalid, fmt.Sprintf("Group with %+v", c))
	}
	_, err := l.Group(k.ctx, "a.b", engine.GroupConfig{})
	k.is(err, engine.ErrInvalid, "Group with a dot in its name")
	k.group(l, "g", engine.GroupConfig{InFlight: 3})
	k.group(l, "g", engine.GroupConfig{InFlight: 3})
	_, err = l.Group(k.ctx, "g", engine.GroupConfig{InFlight: 4})
	k.is(err, engine.ErrExists, "Group with another configuration")
}
