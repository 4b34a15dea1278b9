package inspect_test

import (
	"bufio"
	"context"
	"net/http"
	"slices"
	"testing"
	"time"

	"github.com/troupe-go/troupe/actor"
	"github.com/troupe-go/troupe/inspect"
)

// BenchmarkOverhead says by how many percent work is slower while it is
// observed. Both sides are measured in turn, a few ms each, in one process, so
// that they see the same weather; overhead-% is the median of the pairs.
//
//	go test -run '^$' -bench Overhead -benchtime 100x -cpu 1 ./inspect
//
// The two of page are at full load: of the same system, while nobody looks, and
// while a page is open that shows actors. These pairs are longer, so that a page
// looks several times in each: -benchtime 7x.
func BenchmarkOverhead(b *testing.B) {
	counting, all := quiet, inspect.Config{}
	for _, work := range []struct {
		name   string
		make   func(*testing.B, *actor.System) func(int)
		second int // How many messages take about a second.
	}{{"ping-pong", players, 11_000_000}, {"tell", teller, 45_000_000}} {
		b.Run(work.name+"/counting", func(b *testing.B) { overhead(b, work.make, counting, false) })
		b.Run(work.name+"/all", func(b *testing.B) { overhead(b, work.make, all, false) })
		b.Run(work.name+"/recorded", func(b *testing.B) { overhead(b, work.make, all, true) })
		b.Run(work.name+"/page", func(b *testing.B) { pageOverhead(b, work.make, work.second) })
	}
}

// pairs measures both sides again and again, and reports the median ratio.
func pairs(b *testing.B, plain, observed func() time.Duration) {
	plain()
	observed()
	var ratios []float64
	for b.Loop() {
		var p, o time.Duration
		if len(ratios)%2 == 0 {
			p, o = plain(), observed()
		} else {
			o, p = observed(), plain()
		}
		ratios = append(ratios, float64(o)/float64(p))
	}
	slices.Sort(ratios)
	b.ReportMetric(100*(ratios[len(ratios)/2]-1), "overhead-%")
}

func overhead(b *testing.B, work func(*testing.B, *actor.System) func(int), cfg inspect.Config, recorded bool) {
	const messages = 30_000
	plain, observed := newSystem(b, actor.Config{}), newSystem(b, actor.Config{})
	i := newInspector(b, observed, cfg)
	if recorded {
		newRecorder(b, i, inspect.RecordConfig{})
	}
	time := func(run func(int)) func() time.Duration {
		return func() time.Duration {
			began := time.Now()
			run(messages)
			return time.Since(began)
		}
	}
	pairs(b, time(work(b, plain)), time(work(b, observed)))
}

// pageOverhead runs for a second on each side: what it costs to open a page, some
// ms, is before that, and there are several looks in each.
func pageOverhead(b *testing.B, work func(*testing.B, *actor.System) func(int), messages int) {
	sys := newSystem(b, actor.Config{})
	i := newInspector(b, sys, inspect.Config{})
	for range 1000 {
		spawn(b, sys, actor.Actor[int](sink{}))
	}
	s, err := i.Listen(":0", inspect.WebConfig{})
	wantNoErr(b, err)
	b.Cleanup(func() { _ = s.Close() })
	run := work(b, sys)
	plain := func() time.Duration {
		began := time.Now()
		run(messages)
		return time.Since(began)
	}
	pairs(b, plain, func() time.Duration {
		defer openPage(b, s.URL()+"api/stream?view=actors")()
		return plain()
	})
}

// openPage returns when the first message of the stream has come. The others are
// read until the returned function is called.
func openPage(b *testing.B, url string) (hangUp func()) {
	ctx, cancel := context.WithCancel(b.Context())
	r, err := http.NewRequestWithContext(ctx, "GET", url, nil)
	wantNoErr(b, err)
	resp, err := (&http.Client{Transport: &http.Transport{DisableKeepAlives: true}}).Do(r)
	wantNoErr(b, err)
	began, gone := make(chan struct{}), make(chan struct{})
	go func() {
		defer close(gone)
		in := bufio.NewReader(resp.Body)
		_, err := in.ReadString('\n')
		for close(began); err == nil; {
			_, err = in.Discard(64)
		}
	}()
	<-began
	return func() {
		cancel()
		<-gone
		_ = resp.Body.Close()
	}
}

// players returns a function that has a ball played n times.
func players(b *testing.B, sys *actor.System) func(int) {
	bounce := actor.Func(func(ctx *actor.Context[ball], m ball) error {
		if m.left == 0 {
			close(m.done)
			return nil
		}
		return m.from.Send(ctx, ball{m.left - 1, ctx.Self(), m.done})
	})
	x, y := spawn(b, sys, bounce), spawn(b, sys, bounce)
	return func(n int) {
		done := make(chan struct{})
		send(b, context.Background(), x, ball{n, y, done})
		<-done
	}
}

// teller returns a function that sends an actor n messages, from outside.
func teller(b *testing.B, sys *actor.System) func(int) {
	done := make(chan struct{})
	ref := spawn(b, sys, actor.Func(func(_ *actor.Context[int], left int) error {
		if left == 0 {
			done <- struct{}{}
		}
		return nil
	}))
	return func(n int) {
		for left := n; left >= 0; left-- {
			if err := ref.Send(context.Background(), left); err != nil {
				b.Fatal(err)
			}
		}
		<-done
	}
}
