package netio_test

import (
	"sync/atomic"
	"testing"

	"github.com/troupe-go/troupe/actor"
	"github.com/troupe-go/troupe/internal/lane"
	"github.com/troupe-go/troupe/netio"
)

func TestMaxConns(t *testing.T) {
	t.Parallel()
	var open, most atomic.Int64
	l := serve(t, config{
		MaxConns: 1,
		New: func(c conn) actor.Actor[string] {
			if n := open.Add(1); n > most.Load() {
				most.Store(n)
			}
			return echo(c)
		},
		OnEnd: func(netio.End) { open.Add(-1) },
	})
	var all []*peer
	for range 10 {
		all = append(all, dial(t, l))
	}
	for _, p := range all {
		for range 10 { // Time enough for the next one to be accepted.
			p.say("a\n")
			p.hear("a")
		}
		_ = p.Close()
	}
	if most.Load() != 1 {
		t.Errorf("%d connections were open", most.Load())
	}
}

// A peer that stays after its connection has ended for us keeps no other one out.
func TestMaxConnsOfPeersThatStay(t *testing.T) {
	lane.Short(t)
	t.Parallel()
	l := serve(t, config{MaxConns: 1, Codec: netio.Lines{MaxSize: 1}})
	for range 2 {
		dial(t, l).say("too long\n") // It is closed at the end of the test.
	}
	p := dial(t, l)
	p.say("a\n")
	p.hear("a")
}
