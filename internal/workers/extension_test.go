package workers_test

import (
	"testing"

	"github.com/troupe-go/troupe/internal/workers"
)

type extension struct{ forced chan struct{} }

func (e *extension) Forced() { close(e.forced) }

func TestAnExtensionIsKeptAndToldOfAForcedStop(t *testing.T) {
	ctx, s := guarded(t), newScheduler(t, workers.Config{})
	type key struct{}
	e := &extension{forced: make(chan struct{})}
	for range 2 {
		if got := s.Extension(key{}, func() workers.Extension { return e }); got != workers.Extension(e) {
			t.Error("the extension is another")
		}
		e, _ = s.Extension(key{}, func() workers.Extension { return &extension{} }).(*extension)
	}
	release := occupy(t, ctx, s)
	if err := s.Stop(expired()); err == nil {
		t.Error("the stop did not give up")
	}
	receive(t, ctx, "the call", e.forced)
	release()
}
