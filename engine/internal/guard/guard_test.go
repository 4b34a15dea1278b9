package guard_test

import (
	"errors"
	"strings"
	"testing"

	"github.com/troupe-go/troupe/engine"
	"github.com/troupe-go/troupe/engine/internal/guard"
)

func TestRevisionsThatGrowAreSound(t *testing.T) {
	var g guard.Guard
	first, _ := g.Begin()
	second, _ := g.Begin() // At the same time as the first.
	if err := errors.Join(g.Acknowledged(second, 2), g.Acknowledged(first, 1)); err != nil {
		t.Errorf("two writes at once, acknowledged in another order: %v", err)
	}
	g.Saw(7)
	before, err := g.Begin()
	if before != 7 || err != nil {
		t.Errorf("Begin returns %d, %v", before, err)
	}
	if err := g.Acknowledged(before, 8); err != nil {
		t.Error(err)
	}
}

func TestRevisionThatDoesNotGrowIsAmnesia(t *testing.T) {
	for _, revision := range []uint64{1, 6, 7} {
		g := guard.Guard{Where: `table "members"`}
		g.Saw(7)
		before, _ := g.Begin()
		err := g.Acknowledged(before, revision)
		if !errors.Is(err, engine.ErrAmnesia) || !strings.Contains(err.Error(), "troupe cluster repair") || !strings.Contains(err.Error(), `table "members"`) {
			t.Errorf("revision %d after 7: %v", revision, err)
		}
		if _, err := g.Begin(); !errors.Is(err, engine.ErrAmnesia) {
			t.Errorf("the next write begins with %v", err)
		}
	}
}
