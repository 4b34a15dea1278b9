package netio_test

import (
	"os"
	"runtime"
	"strings"
	"testing"
	"time"

	"github.com/troupe-go/troupe/actor"
	"github.com/troupe-go/troupe/internal/lane"
	"github.com/troupe-go/troupe/internal/patience"
	"github.com/troupe-go/troupe/netio"
)

// TestBadPeersLeaveNothing has one connection end badly in each way that there is:
// others are served as before, and at the end there are no more goroutines and
// descriptors than at the beginning. It is not parallel, since it counts.
func TestBadPeersLeaveNothing(t *testing.T) {
	lane.Short(t)
	for _, c := range []struct {
		name string
		cfg  config
		peer func(p *peer)
	}{
		{"half-closed", config{}, func(p *peer) {
			p.say("a\nb")
			_ = p.CloseWrite()
			p.hear("a", "b")
			p.hearEnd()
		}},
		{"reset", config{}, func(p *peer) {
			p.say("a\n")
			_ = p.SetLinger(0)
		}},
		// The others have the same timeout, so it must be longer than a busy machine keeps one waiting.
		{"never reads", config{Timeouts: netio.Timeouts{Write: time.Second}}, func(p *peer) { p.say("flood\n") }},
		{"silent", config{Timeouts: netio.Timeouts{Idle: 5 * time.Millisecond}}, func(p *peer) { p.hearEnd() }},
		{"invalid UTF-8", config{}, func(p *peer) {
			p.say("\xff\xfe\n")
			p.hearEnd()
		}},
		{"a frame of 2 GB", config{Codec: textFrames{}}, func(p *peer) {
			p.say("\x80\x00\x00\x00")
			p.hearEnd()
		}},
		{"half of a frame", config{Codec: textFrames{}}, func(p *peer) {
			p.say("\x00\x00\x00\x09abc")
			_ = p.CloseWrite()
			p.hearEnd()
		}},
		{"panic", config{}, func(p *peer) {
			p.say("panic\n")
			p.hearEnd()
		}},
		{"goexit", config{}, func(p *peer) {
			p.say("goexit\n")
			p.hearEnd()
		}},
	} {
		t.Run(c.name, func(t *testing.T) {
			ctx := guarded(t)
			files, goroutines := descriptors(t), runtime.NumGoroutine()
			t.Cleanup(func() { // After the system has stopped.
				patience.Until(t, ctx, func() bool { return descriptors(t) <= files && runtime.NumGoroutine() <= goroutines })
			})
			fine := "fine\n"
			if c.cfg.Codec != nil {
				fine = "\x00\x00\x00\x05fine\n"
			}
			onEnd, ended := ends()
			c.cfg.OnEnd, c.cfg.New = onEnd, misled
			l := serve(t, c.cfg)
			other := dial(t, l)
			p := dial(t, l)
			c.peer(p)
			if c.name == "never reads" {
				wrong(t, (<-ended).Err, netio.ErrWriteTimeout)
			}
			_ = p.Close()
			if c.cfg.Timeouts.Idle == 0 {
				other.say(fine)
				other.hear(strings.TrimSuffix(fine, "\n"))
			}
			_ = other.Close()
			if err := l.Stop(ctx); err != nil {
				t.Error(err)
			}
		})
	}
}

// misled echoes, but does what it is told.
func misled(c conn) actor.Actor[string] {
	return actor.Func(func(ctx *actor.Context[string], text string) error {
		switch text {
		case "panic":
			panic(text)
		case "goexit":
			runtime.Goexit()
		case "flood":
			for {
				if err := c.Send(ctx, strings.Repeat("x", 60_000)); err != nil {
					return err
				}
			}
		}
		return c.Send(ctx, text)
	})
}

// textFrames are frames of text.
type textFrames struct{ netio.Frames }

func (f textFrames) NewDecoder() (netio.Decoder[string], error) {
	return netio.Map(f.Frames, func(b []byte) string { return string(b) }).NewDecoder()
}

func (f textFrames) Append(dst []byte, text string) ([]byte, error) {
	return f.Frames.Append(dst, []byte(text))
}

// descriptors returns how many file descriptors the process has open.
func descriptors(t *testing.T) int {
	t.Helper()
	if runtime.GOOS != "linux" {
		return 0
	}
	all, err := os.ReadDir("/proc/self/fd")
	if err != nil {
		t.Fatal(err)
	}
	return len(all)
}
