package inspect_test

import (
	"encoding/json"
	"strings"
	"testing"
	"time"

	"github.com/troupe-go/troupe/actor"
	"github.com/troupe-go/troupe/inspect"
)

// The last measurements are shown until there are newer ones: where few messages are measured,
// most intervals have none.
func TestQuantilesStayForAWhile(t *testing.T) {
	ctx := guarded(t)
	sys := newSystem(t, actor.Config{})
	cfg := quiet
	cfg.SampleEvery = 1
	i := newInspector(t, sys, cfg)
	url := serve(t, i, inspect.WebConfig{Every: 50 * time.Millisecond})
	ref := spawn(t, sys, sink{})
	look := func() (s inspect.Sample) {
		_, body := request(t, "GET", url+"api/sample")
		wantNoErr(t, json.Unmarshal([]byte(body), &s))
		return s
	}
	first := look()
	send(t, ctx, ref, 1)
	var busy, idle inspect.Sample
	until(t, ctx, func() bool { busy = look(); return busy.LatencyP99Seconds > 0 && busy.DurationP99Seconds > 0 })
	until(t, ctx, func() bool { idle = look(); return idle.Time.After(busy.Time) })
	if idle.LatencyP99Seconds != busy.LatencyP99Seconds || idle.DurationP50Seconds != busy.DurationP50Seconds || len(idle.Kinds) != 1 || idle.Kinds[0].DurationP99Seconds == 0 {
		t.Errorf("behind an interval with %+v there is one with %+v", busy, idle)
	}
	if first.LatencyP99Seconds != 0 {
		t.Errorf("at first there is %+v", first)
	}
	if got := inspect.ShownAfter(9*time.Second, 11*time.Second); got != [3]uint64{7, 7, 0} {
		t.Errorf("what was measured is shown as %v, want it for 10 s", got)
	}
}

// slowActor takes long for each message.
type slowActor struct{}

func (slowActor) Receive(*actor.Context[int], int) error {
	<-time.After(30 * time.Millisecond)
	return nil
}

// An old measurement of one kind of actors stays with that kind. It is not among the later
// measurements of all kinds.
func TestQuantilesOfAllAreOfOneInterval(t *testing.T) {
	ctx := guarded(t)
	sys := newSystem(t, actor.Config{})
	cfg := quiet
	cfg.SampleEvery = 1
	i := newInspector(t, sys, cfg)
	url := serve(t, i, inspect.WebConfig{Every: 50 * time.Millisecond})
	slow, quick := spawn(t, sys, slowActor{}), spawn(t, sys, sink{})
	var last time.Time
	until(t, ctx, func() bool {
		var s inspect.Sample
		_, body := request(t, "GET", url+"api/sample")
		wantNoErr(t, json.Unmarshal([]byte(body), &s))
		if s.Time.Equal(last) {
			return false // One message in an interval: of many, the slow one would not be seen.
		}
		last = s.Time
		for _, k := range s.Kinds {
			if strings.HasSuffix(k.Kind, "slowActor") && k.DurationP99Seconds >= .03 {
				send(t, ctx, quick, 1)
				return s.DurationP99Seconds > 0 && s.DurationP99Seconds < .03
			}
		}
		send(t, ctx, slow, 1)
		return false
	})
}
