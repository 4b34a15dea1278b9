package main

import (
	"context"
	"math/rand/v2"
	"time"

	"github.com/troupe-go/troupe/actor"
)

// pack makes a message for a target.
func (r *run) pack(t target) cargo {
	r.books.sent.Add(1)
	m := cargo{parcel: &parcel{retried: t.breed.retry > 0}, hops: rand.IntN(2)}
	switch n := rand.IntN(2000); {
	case n < 4:
		m.fail = true
	case n == 4:
		m.block = time.Duration(rand.IntN(50)) * time.Millisecond
	}
	return m
}

// settle enters how a send has ended.
func (r *run) settle(m cargo, err error) {
	if err == nil {
		r.books.note(m.parcel, accepted)
	} else {
		r.books.note(m.parcel, refused)
	}
}

// send keeps sending until the load ends, from a goroutine outside.
func (r *run) send(load context.Context) {
	for load.Err() == nil {
		_, t := r.people.any()
		to := t.ref.On(lanes[rand.IntN(len(lanes))])
		switch n := rand.IntN(100); {
		case n < 50:
			m := r.pack(t)
			r.settle(m, to.TrySend(r.ctx, m))
		case n < 90:
			ctx, cancel := context.WithTimeout(r.ctx, time.Duration(1+rand.IntN(50))*time.Millisecond)
			m := r.pack(t)
			r.settle(m, to.Send(ctx, m))
			cancel()
		case n < 98:
			r.ask(r.ctx, t, to)
		default:
			m := r.pack(t)
			if _, err := actor.SendAfter(r.sys, time.Duration(rand.IntN(100))*time.Millisecond, to, m); err != nil {
				r.books.note(m.parcel, refused)
			}
		}
	}
}

// ask asks, for a while. An ask that fails may have been accepted or not.
func (r *run) ask(parent context.Context, t target, to actor.Ref[cargo]) {
	ctx, cancel := context.WithTimeout(parent, time.Duration(1+rand.IntN(20))*time.Millisecond)
	defer cancel()
	m := r.pack(t)
	_, err := actor.Ask(ctx, to, func(reply actor.Reply[int]) cargo {
		m.reply = reply
		return m
	})
	if err == nil {
		r.books.note(m.parcel, accepted)
	}
}

// sendOn sends something from a handler.
func (r *run) sendOn(c *actor.Context[cargo], hops int) {
	_, t := r.people.any()
	m := r.pack(t)
	m.hops = hops
	to := t.ref.On(lanes[rand.IntN(len(lanes))])
	switch rand.IntN(8) {
	case 0:
		ctx, cancel := context.WithTimeout(c, 10*time.Millisecond)
		defer cancel()
		r.settle(m, to.Send(ctx, m))
	case 1:
		r.books.sent.Add(-1)
		r.ask(c, t, to)
	default:
		r.settle(m, to.TrySend(c, m))
	}
}

// disturb kills, stops and replaces actors until the load ends.
func (r *run) disturb(load context.Context) {
	for load.Err() == nil {
		time.Sleep(time.Duration(rand.IntN(2000)) * time.Microsecond)
		i, t := r.people.any()
		switch rand.IntN(4) {
		case 0, 1:
			if t.ref.Kill() == nil {
				r.kills.Add(1)
			}
		case 2: // Its supervisor restarts it.
			ctx, cancel := context.WithTimeout(r.ctx, 5*time.Millisecond)
			_ = t.ref.Stop(ctx)
			cancel()
			r.stops.Add(1)
		}
		select {
		case <-t.ref.Done():
			fresh, err := r.child(r.supervisors[rand.IntN(len(r.supervisors))], t.breed)
			if err != nil {
				r.books.fault("a child could not be started: %v", err)
				return
			}
			r.people.replace(i, fresh)
		default:
		}
	}
}
