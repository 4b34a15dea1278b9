package main_test

import (
	"encoding/json"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"github.com/troupe-go/troupe/actor"
	"github.com/troupe-go/troupe/inspect"
	"github.com/troupe-go/troupe/internal/lane"
	"github.com/troupe-go/troupe/internal/patience"
)

func TestTop(t *testing.T) {
	lane.Short(t)
	sys, err := actor.NewSystem(actor.Config{})
	if err != nil {
		t.Fatal(err)
	}
	patience.StopAtEnd(t, sys)
	i, err := inspect.New(sys, inspect.Config{})
	if err != nil {
		t.Fatal(err)
	}
	defer i.Close()
	idle := actor.Func(func(*actor.Context[int], int) error { return nil })
	for _, name := range []string{"first", "second"} {
		if _, err := actor.Spawn(sys, idle, actor.WithName(name), actor.WithRegistration(name)); err != nil {
			t.Fatal(err)
		}
	}
	const token = "0123456789abcdef"
	s, err := i.Listen(":0", inspect.WebConfig{Token: token})
	if err != nil {
		t.Fatal(err)
	}
	defer s.Close() //nolint:errcheck // Others tell.
	other := httptest.NewServer(http.NotFoundHandler())
	defer other.Close()
	addr := s.Addr().String()
	for _, c := range []struct {
		args   string
		status int
		part   string
	}{
		{"--addr " + addr + " --token " + token + " --every 100ms", 0, "second"}, // It waits for a second look.
		{"--addr " + addr + " --token " + token + " --tree", 0, "first"},
		{"--addr " + s.URL() + " --token " + token + " --name sec --json --every 100ms", 0, `"name": "second"`},
		{"--addr " + addr, 1, "wants a token"},
		{"--addr " + addr + " --token wrong", 1, "another token"},
		{"--addr " + addr + " --token " + token + " --sort size", 2, "--sort must be one of"},
		{"--addr 127.0.0.1:1 --sort nope", 2, "\"nope\""}, // Nothing answers there: the order is checked before.
		{"--addr " + addr + " --view waits --name x", 2, "leave it out for --view waits"},
		{"--addr " + addr + " --token " + token + " --view workers --once", 0, "PREEMPTED"},
		{"--addr " + addr + " --token " + token + " --view waits --once", 0, "0 waits, 0 of them in a ring"},
		{"--addr " + addr + " --token " + token + " --view events --once", 0, "KIND"},
		{"--addr " + addr + " --token " + token + " --view events --json", 0, "[]"},
		{"--addr " + other.URL, 1, "not the live page"},
		{"--addr 127.0.0.1:1", 1, "nothing answers"},
		{"--addr nonsense", 2, "HOST:PORT"},
		{"--addr " + addr + " --token " + token + " --view jobs", 0, "0 of 0 under way"},
		{"--addr " + addr + " --token " + token + " --view strands --json", 0, `"matched": 0`},
		{"--addr " + addr + " --token " + token + " --view timers", 0, "0 timers"},
		{"--addr " + addr + " --token " + token + " --view names --name sec", 0, "second"},
		{"--addr " + addr + " --token " + token + " --view names --limit 10000", 0, "second"},
		{"--addr " + addr + " --token " + token + " --view names --limit 10001", 1, "NameQuery.Limit is 10001"},
		{"--addr " + addr + " --token " + token + " --view names --limit 1 --json", 0, `"next": "first"`},
		{"--addr " + addr + " --token " + token + " --view tree --tree", 0, "first"},
		{"--addr " + addr + " --view size", 2, "--view must be one of"},
		{"--addr " + addr + " --view size --tree", 2, "--view must be one of"},
		{"--addr " + addr + " --view jobs --tree", 2, "--tree is --view tree"},
		{"--addr " + addr + " --view actors --tree", 2, "--tree is --view tree"},
		{"--addr " + addr + " --view jobs --sort slow", 2, "--sort is the order of actors"},
		{"--addr " + addr + " --view names --sort mailbox", 2, "--sort is the order of actors"},
		{"--limit 0", 2, "--limit"},
		{"--every 1ms", 2, "--every"},
	} {
		status, stdout, stderr := run(t, append([]string{"top"}, strings.Fields(c.args)...)...)
		if status != c.status || !strings.Contains(stdout+stderr, c.part) {
			t.Errorf("top %s: got %d, %q and %q, want %d and %q", c.args, status, stdout, stderr, c.status, c.part)
		}
		if strings.Contains(stdout, "\x1b") {
			t.Errorf("top %s writes an escape sequence", c.args)
		}
		if strings.Contains(c.args, "--view names") && strings.Contains(stdout, "matched") {
			t.Errorf("top %s writes a count that it does not know", c.args)
		}
		if strings.Contains(c.args, "--json") && !json.Valid([]byte(stdout)) {
			t.Errorf("top %s writes no JSON", c.args)
		}
	}
}
