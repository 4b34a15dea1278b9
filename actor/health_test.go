package actor_test

import (
	"runtime"
	"testing"

	"github.com/troupe-go/troupe/actor"
)

type patient struct{ health func() actor.Health }

func (*patient) Receive(*actor.Context[int], int) error { return nil }

func (p *patient) Health(*actor.Context[int]) actor.Health { return p.health() }

// A checkup does not wait for who fails in it.
func TestHealthOfActorsThatFail(t *testing.T) {
	for name, health := range map[string]func() actor.Health{
		"panic":  func() actor.Health { panic("sick") },
		"Goexit": func() actor.Health { runtime.Goexit(); return actor.Health{} },
	} {
		t.Run(name, func(t *testing.T) {
			ctx := guarded(t) // So long the checkup would wait.
			sys := newSystem(t, actor.Config{})
			ref, err := actor.Spawn(sys, &patient{health})
			wantNoErr(t, err)
			found := sys.Checkup(ctx)
			wantNoErr(t, ctx.Err())
			if len(found) != 1 || found[0].PID != ref.PID() || found[0].Level != actor.Unhealthy {
				t.Errorf("the checkup found %v, want the one that is unhealthy", found)
			}
			<-ref.Done()
			if ref.Err() == nil {
				t.Error("the actor has not failed")
			}
		})
	}
}
