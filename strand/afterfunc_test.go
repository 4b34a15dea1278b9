package strand_test

import (
	"context"
	"testing"

	"github.com/troupe-go/troupe/strand"
)

// A strand that is cancelled before it begins ends its context, also for a function that
// AfterFunc is to call then.
func TestContextOfAStrandThatNeverBegins(t *testing.T) {
	ctx := guarded(t)
	sc := newScheduler(t, 1)
	open, begun := make(chan struct{}), make(chan struct{})
	blocks := start(t, ctx, func(*strand.Strand) error { close(begun); <-open; return nil }, strand.On(sc))
	<-begun
	s := start(t, ctx, (*strand.Strand).Park, strand.On(sc))
	called := make(chan error, 1)
	context.AfterFunc(s, func() { called <- context.Cause(s) })
	s.Cancel(errBroken)
	is(t, <-called, errBroken)
	close(open)
	join(t, ctx, blocks)
}
