package router_test

import (
	"context"
	"errors"
	"testing"
	"testing/synctest"
	"time"

	"github.com/troupe-go/troupe/actor"
	"github.com/troupe-go/troupe/router"
)

// An ask that waits for a routee, or for room in its lane, had waited for ever.
func TestAskThatNobodyTakes(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		sys := newSystem(t, actor.Config{})
		c := newRoutees(t, sys, 1)
		plain := func(reply actor.Reply[int]) task { return task{reply: reply} }
		empty := newRouter(t, sys, router.Config[task]{WhenEmpty: router.WaitWhenEmpty})
		held := newRouter(t, sys, router.Config[task]{Routees: c.refs})
		wantNoErr(t, sys.Suspend(c.refs[0].PID()))
		synctest.Wait()
		for held.TrySend(context.Background(), task{}) == nil {
		}
		for name, ask := range map[string]func() (int, error){
			"no routee":       func() (int, error) { return ask(context.Background(), empty, task{}) },
			"no first routee": func() (int, error) { return first(context.Background(), empty, plain) },
			"no room":         func() (int, error) { return ask(context.Background(), held, task{}) },
			"no room at all":  func() (int, error) { return first(context.Background(), held, plain) },
		} {
			begin := time.Now()
			_, err := ask()
			if took := time.Since(begin); !errors.Is(err, actor.ErrAskTimeout) || took < 5*time.Second || took > 5625*time.Millisecond {
				t.Errorf("%s: the ask ended after %v: %v", name, took, err)
			}
		}
		wantNoErr(t, sys.Resume(c.refs[0].PID()))
	})
}
