package shop_test

import (
	"context"
	"errors"
	"strings"
	"testing"
	"time"

	"github.com/troupe-go/troupe/actor"
	"github.com/troupe-go/troupe/cmd/troupe/internal/shop"
	"github.com/troupe-go/troupe/inspect"
	"github.com/troupe-go/troupe/internal/patience"
)

// In a round of a shop there is something for each view: failures, lost messages, slow handlers, waits and a backlog.
func TestEachViewHasSomethingToShow(t *testing.T) {
	sys, err := actor.NewSystem(actor.Config{})
	if err != nil {
		t.Fatal(err)
	}
	defer func() {
		if err := sys.Stop(context.WithoutCancel(t.Context())); err != nil {
			t.Error(err)
		}
	}()
	i, err := inspect.New(sys, inspect.Config{ScanEvery: 10 * time.Millisecond})
	if err != nil {
		t.Fatal(err)
	}
	defer i.Close()
	events := i.Subscribe(inspect.Subscription{})
	s, err := shop.Open(t.Context(), sys, shop.Config{Round: 600 * time.Millisecond, Seed: 1})
	if err != nil {
		t.Fatal(err)
	}
	defer s.Close()
	missing := map[inspect.EventKind]bool{inspect.Failed: true, inspect.Restarted: true, inspect.DeadLetters: true, inspect.SlowHandler: true}
	ctx := patience.Context(t)
	for len(missing) > 0 {
		e, err := events.Next(ctx)
		if err != nil {
			t.Fatalf("%v are missing: %v", missing, err)
		}
		delete(missing, e.Kind)
		if e.Kind == inspect.Failed && (e.Name != "importer" || !strings.Contains(e.Error, "index out of range")) {
			t.Errorf("unlike the importer, %s has failed: %s", e.Name, e.Error)
		}
	}
	var waits, backlog, drained bool
	patience.Until(t, ctx, func() bool {
		for _, w := range i.Waits() {
			waits = waits || w.ToName == "bank" && w.FromName == "payments"
		}
		page, err := i.Actors(inspect.Query{Name: "mailer"})
		if err != nil || len(page.Actors) != 1 {
			t.Fatalf("got %+v and %v, want the mailer", page, err)
		}
		drained = drained || backlog && page.Actors[0].Mailbox < 5
		backlog = backlog || page.Actors[0].Mailbox > 20
		return waits && drained
	})
}

func TestShopThatMakesNoSense(t *testing.T) {
	sys, err := actor.NewSystem(actor.Config{})
	if err != nil {
		t.Fatal(err)
	}
	if _, err := shop.Open(t.Context(), sys, shop.Config{Round: -1}); err == nil || !strings.Contains(err.Error(), "Round") {
		t.Errorf("got %v, want an error about the round", err)
	}
	if err := sys.Stop(t.Context()); err != nil {
		t.Fatal(err)
	}
	if _, err := shop.Open(t.Context(), sys, shop.Config{}); !errors.Is(err, actor.ErrSystemStopped) {
		t.Errorf("in a system that has stopped: %v", err)
	}
}
