package journals_test

import (
	"strings"
	"testing"

	"github.com/troupe-go/troupe/cmd/troupe/internal/journals"
)

// No error tells the password.
func TestOpenRefusesURLs(t *testing.T) {
	for target, want := range map[string]string{
		"mysql://user:secret@host/db":                         "not one of mysql://",
		"http://host/journal.db":                              "not one of http://",
		"postgres://user:secret@127.0.0.1:1/db?sslmode=no":    "sslmode",
		"postgres://user:secret@127.0.0.1:1/db?user=u":        "connect",
		"postgresql://user:secret@127.0.0.1:1/db?port=100000": "port",
	} {
		s, err := journals.Open(t.Context(), target)
		if err == nil {
			t.Errorf("%s is opened", target)
			err = s.Close()
		}
		wants(t, err, want)
		if err != nil && strings.Contains(err.Error(), "secret") {
			t.Errorf("the error tells the password: %v", err)
		}
	}
}

func TestRedacted(t *testing.T) {
	for target, want := range map[string]string{
		"bank.db":                             "bank.db",
		"a?password=b":                        "a?password=b",
		"%zz":                                 "%zz",
		"postgres://u:secret@h/db":            "postgres://u:xxxxx@h/db",
		"postgres://u@h/db?a=b":               "postgres://u@h/db?a=b",
		"postgres:///db?password=secret&user": "postgres:///db?password=xxxxx&user=",
	} {
		if got := journals.Redacted(target); got != want {
			t.Errorf("%q is told as %q, want %q", target, got, want)
		}
	}
}
