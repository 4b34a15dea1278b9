package netio_test

import (
	"runtime"
	"strings"
	"sync/atomic"
	"testing"

	"github.com/troupe-go/troupe/actor"
	"github.com/troupe-go/troupe/internal/patience"
	"github.com/troupe-go/troupe/netio"
	"github.com/troupe-go/troupe/strand"
)

// TestFunctionsThatFail has each function of a listener's user panic, or call Goexit,
// on every second connection. That one ends, and says why if it was not over; others
// are served, nothing is left of it, and the listener stops.
func TestFunctionsThatFail(t *testing.T) {
	t.Parallel()
	for how, fail := range map[string]func(){"panicked": func() { panic("broken") }, "runtime.Goexit": runtime.Goexit} {
		for name, c := range map[string]struct {
			spoil func(cfg *config, now func())
			say   string
			says  string // The name in the connection's error; empty if it has no error.
		}{
			"decoder": {func(cfg *config, now func()) {
				cfg.Codec = netio.Map(netio.Lines{}, func(line string) string { now(); return line })
			}, "a\n", "decoder"},
			"codec": {func(cfg *config, now func()) { cfg.Codec = &freshCodec{now: now} }, "a\n", "NewDecoder"},
			"Ended": {func(cfg *config, now func()) { cfg.Ended = func(error) string { now(); return "over" } }, "", "Ended"},
			"OnEnd": {func(cfg *config, now func()) {
				told := cfg.OnEnd
				cfg.OnEnd = func(e netio.End) { told(e); now() }
			}, "", ""},
		} {
			t.Run(name+" "+how, func(t *testing.T) {
				t.Parallel()
				var connections atomic.Int32
				onEnd, ended := ends()
				cfg := config{OnEnd: onEnd}
				c.spoil(&cfg, func() {
					if connections.Add(1)%2 == 1 {
						fail()
					}
				})
				l := serve(t, cfg)
				for i := range 4 {
					p := dial(t, l)
					p.say(c.say)
					_ = p.CloseWrite()
					e := <-ended
					switch {
					case i%2 == 1 || c.says == "":
						if e.Err != nil {
							t.Errorf("connection %d ended with %v", i, e.Err)
						}
					case e.Err == nil || !strings.Contains(e.Err.Error(), c.says) || !strings.Contains(e.Err.Error(), how):
						t.Errorf("connection %d ended with %v, want that %s %s", i, e.Err, c.says, how)
					}
				}
				patience.Until(t, guarded(t), func() bool { return l.Stats().Open == 0 })
				if err := l.Stop(guarded(t)); err != nil {
					t.Error(err)
				}
			})
		}
	}
}

// freshCodec calls now for each decoder but the first, by which Listen tries it.
type freshCodec struct {
	netio.Lines
	now   func()
	tried atomic.Bool
}

func (c *freshCodec) NewDecoder() (netio.Decoder[string], error) {
	if c.tried.Swap(true) {
		c.now()
	}
	return c.Lines.NewDecoder()
}

// TestActorLearnsOfADecoderThatFails has the decoder of a stream that is attached
// panic, or call Goexit: the actor is told that nothing more comes.
func TestActorLearnsOfADecoderThatFails(t *testing.T) {
	t.Parallel()
	for how, fail := range map[string]func(){"panicked": func() { panic("broken") }, "runtime.Goexit": runtime.Goexit} {
		ctx, sys, got := guarded(t), newSystem(t), make(chan input, 1)
		near, far := strand.Pipe()
		cfg := attaching()
		cfg.Codec = netio.Map(netio.Lines{}, func(string) input { fail(); return input{} })
		c, err := netio.Attach(ctx, sys, collector(t, sys, got), near, cfg)
		if err != nil {
			t.Fatal(err)
		}
		if err := far.WriteLine(ctx, "a"); err != nil {
			t.Fatal(err)
		}
		if m := <-got; !m.ended || m.why == nil || !strings.Contains(m.why.Error(), how) {
			t.Errorf("the actor was told %+v", m)
		}
		if err := c.Send(ctx, "b"); err != nil { // It is the actor's until that closes it.
			t.Errorf("after that, Send says %v", err)
		}
		_ = c.Close()
		<-c.Done()
	}
}

// TestLastAnswersOfAnEndThatFails has Ended panic while the actor has something to
// answer. The peer gets the answers.
func TestLastAnswersOfAnEndThatFails(t *testing.T) {
	t.Parallel()
	for how, fail := range map[string]func(){"panicked": func() { panic("broken") }, "runtime.Goexit": runtime.Goexit} {
		for _, halfOpen := range []bool{false, true} {
			onEnd, ended := ends()
			l := serve(t, config{
				Ended: func(error) string { fail(); return "" }, OnEnd: onEnd, HalfOpen: halfOpen,
				New: func(c conn) actor.Actor[string] {
					return actor.Func(func(ctx *actor.Context[string], line string) error {
						for c.Err() == nil && ctx.Err() == nil {
							runtime.Gosched() // Until Ended has failed.
						}
						return c.Send(ctx, line)
					})
				},
			})
			p := dial(t, l)
			p.say("a\nb\n")
			_ = p.CloseWrite()
			p.hear("a", "b")
			p.hearEnd()
			if e := <-ended; e.Err == nil || !strings.Contains(e.Err.Error(), how) {
				t.Errorf("the connection ended with %v, want %s", e.Err, how)
			}
		}
	}
}
