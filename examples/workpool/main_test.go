package main

import (
	"context"
	"errors"
	"strings"
	"testing"
)

// The urgent task begins before the thousand that were sent before it, all tasks are done, and each key is shown.
func TestUrgentWorkGoesFirst(t *testing.T) {
	r, err := play(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	if r.done != workers+tasks+1 || len(r.took) != keys {
		t.Errorf("%d tasks are done, and %d keys are shown", r.done, len(r.took))
	}
	if r.urgent != workers+1 { // Behind those that were at work, and before all that waited.
		t.Errorf("the urgent task began as number %d", r.urgent)
	}
	var out strings.Builder
	if err := r.print(&out); err != nil || !strings.Contains(out.String(), "pool of 4: 1005 tasks done") {
		t.Errorf("it printed %q, %v", out.String(), err)
	}
}

func TestEndOfTheContextEndsIt(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if _, err := play(ctx); !errors.Is(err, context.Canceled) {
		t.Errorf("it ended with %v", err)
	}
}
