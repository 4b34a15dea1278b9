package main

import (
	"context"
	"errors"
	"io"
	"strings"
	"testing"

	"github.com/troupe-go/troupe/actor"
)

// lines passes on what is written, line by line.
type lines chan string

func (l lines) Write(b []byte) (int, error) {
	l <- string(b)
	return len(b), nil
}

func TestDeskRunsUntilItIsToldToStop(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	out, ended := make(lines, 1000), make(chan error, 1)
	go func() { ended <- run(ctx, out, "127.0.0.1:0") }()
	for _, want := range []string{"the page is at http://127.0.0.1:", "10 ACME for "} {
		select {
		case line := <-out:
			if !strings.HasPrefix(line, want) {
				t.Errorf("it printed %q, want %q", line, want)
			}
		case err := <-ended:
			t.Fatalf("it ended early: %v", err)
		}
	}
	cancel()
	if err := <-ended; err != nil {
		t.Error(err)
	}
}

func TestDeskSaysWhyItCannotStart(t *testing.T) {
	if err := run(t.Context(), io.Discard, "nowhere:x:y"); err == nil {
		t.Error("it ran with an address that makes no sense")
	}
}

// startTestDesk starts a desk with money and a price.
func startTestDesk(t *testing.T) (context.Context, *desk) {
	t.Helper()
	sys, err := actor.NewSystem(actor.Config{})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := sys.Stop(context.Background()); err != nil {
			t.Error(err)
		}
	})
	d, _, err := startDesk(sys)
	if err != nil {
		t.Fatal(err)
	}
	if err := errors.Join(d.Account.Send(t.Context(), deposit{cents: 5000}), d.Market.Send(t.Context(), tick{"ACME", 100})); err != nil {
		t.Fatal(err)
	}
	return t.Context(), d
}

func TestOrdersAreRefusedWithAReason(t *testing.T) {
	ctx, d := startTestDesk(t)
	buy := func(symbol string, shares int64) (int64, error) {
		return actor.Ask(ctx, d.Risk, func(r actor.Reply[int64]) order { return order{symbol, shares, r} })
	}
	if paid, err := buy("ACME", 20); paid != 2000 || err != nil {
		t.Errorf("20 shares cost %d, %v", paid, err)
	}
	if _, err := buy("ACME", 31); !errors.Is(err, errFunds) {
		t.Errorf("an order for more than there is ends with %v", err)
	}
	if _, err := buy("ACME", 0); err == nil || !strings.Contains(err.Error(), "1 to 1000") {
		t.Errorf("an order of 0 shares ends with %v", err)
	}
	if _, err := buy("NONE", 1); err == nil || !strings.Contains(err.Error(), `no price for "NONE"`) {
		t.Errorf("an order without a price ends with %v", err)
	}
	if err := d.Market.On(actor.Control).Send(ctx, halt{"ACME"}); err != nil {
		t.Fatal(err)
	}
	if _, err := buy("ACME", 1); err == nil || !strings.Contains(err.Error(), "halted") {
		t.Errorf("an order in a halted symbol ends with %v", err)
	}
	if _, err := actor.Ask(ctx, d.Account, func(r actor.Reply[int64]) toAccount { return deposit{-1, r} }); err == nil {
		t.Error("a deposit of -1 was taken")
	}
}

func TestUnknownMessagesEndNothing(t *testing.T) {
	ctx, d := startTestDesk(t)
	if err := errors.Join(d.Account.Send(ctx, nil), d.Market.Send(ctx, nil)); err != nil {
		t.Fatal(err)
	}
	left, err := actor.Ask(ctx, d.Account, func(r actor.Reply[int64]) toAccount { return balance{r} })
	if left != 5000 || err != nil {
		t.Errorf("the account has %d, %v", left, err)
	}
	if _, err := actor.Ask(ctx, d.Market, func(r actor.Reply[int64]) toMarket { return price{"ACME", r} }); err != nil {
		t.Error(err)
	}
}
