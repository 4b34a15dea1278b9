package actor_test

import (
	"bytes"
	"log/slog"
	"strings"
	"testing"

	"github.com/troupe-go/troupe/actor"
)

// TestRefsAreLogged has slog write refs of a system that is no node, whose refs have no binary form.
func TestRefsAreLogged(t *testing.T) {
	sys := newSystem(t, actor.Config{})
	ref := spawn(t, sys, func(*actor.Context[int], int) error { return nil })
	var text, json bytes.Buffer
	for _, h := range []slog.Handler{slog.NewTextHandler(&text, nil), slog.NewJSONHandler(&json, nil)} {
		slog.New(h).Info("sent", "to", ref)
	}
	for _, log := range []string{text.String(), json.String()} {
		if !strings.Contains(log, ref.String()) || strings.Contains(log, "ERROR") {
			t.Errorf("want %s in the log: %s", ref, log)
		}
	}
}
