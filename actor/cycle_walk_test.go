package actor_test

import (
	"fmt"
	"testing"

	"github.com/troupe-go/troupe/actor"
)

// A ring is found, whatever its length.
func TestRingOfManyActors(t *testing.T) {
	sys := oneWorker(t)
	var actors []instructedRef
	var names []string
	for i := range 50 {
		names = append(names, fmt.Sprint("actor-", i))
		actors = append(actors, spawn(t, sys, run, actor.WithName(names[i])))
	}
	err := let(guarded(t), actors[0], askRing(actors))
	_ = wantRing(t, err, append([]string{names[49]}, names[:49]...)...)
}
