package actor_test

import (
	"errors"
	"fmt"
	"strings"
	"testing"

	"github.com/troupe-go/troupe/actor"
	"github.com/troupe-go/troupe/internal/simulated"
)

func TestExitKind(t *testing.T) {
	linked := &actor.LinkedError{Reason: actor.ErrKilled}
	for _, c := range []struct {
		reason error
		want   actor.ExitKind
		text   string
	}{
		{nil, actor.Normal, "normal"},
		{errHook, actor.Failed, "failed"},
		{actor.ErrGoexit, actor.Failed, "failed"},
		{actor.ErrKilled, actor.Killed, "killed"},
		{linked, actor.Linked, "linked"},
		{fmt.Errorf("was told: %w", actor.ErrKilled), actor.Failed, "failed"},
		{fmt.Errorf("was told: %w", linked), actor.Failed, "failed"},
	} {
		if got := (actor.Exit{Reason: c.reason}).Kind(); got != c.want || got.String() != c.text {
			t.Errorf("an exit for %v is %v, want %v", c.reason, got, c.want)
		}
	}
	if s := actor.ExitKind(4).String(); s != "ExitKind(4)" {
		t.Errorf("kind 4 is called %s", s)
	}
}

// The error of a long chain names its ends only, and wraps all of it.
func TestLinkedError(t *testing.T) { simulated.Too(t, testLinkedError) }

func testLinkedError(t testing.TB) {
	err := error(&actor.LinkedError{Name: "first", Reason: errHook})
	if want := "linked to first<0.0>, which has ended: from a hook"; !strings.Contains(err.Error(), want) {
		t.Errorf("%q does not contain %q", err, want)
	}
	for range 10_000 {
		err = &actor.LinkedError{Name: "between", Reason: err}
	}
	err = &actor.LinkedError{Name: "last", Reason: err}
	if text := err.Error(); len(text) > 200 || !strings.Contains(text, "last") || !strings.Contains(text, "first") {
		t.Errorf("the error of a long chain is %.300q", text)
	}
	if l := (*actor.LinkedError)(nil); !errors.Is(err, errHook) || !errors.As(err, &l) || l.Name != "last" {
		t.Error("the error of a long chain does not wrap it")
	}
}
