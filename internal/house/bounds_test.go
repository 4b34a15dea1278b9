package main_test

import (
	"os"
	"strings"
	"testing"

	main "github.com/troupe-go/troupe/internal/house"
)

const defaults = `
default files 35
default lines 6000
default circle 12
default methods 45
default top 40
default exported 60
default over500 0
default over800 0
project stilted 10
`

func TestBoundsOfTheProject(t *testing.T) {
	text, err := os.ReadFile("bounds.txt")
	if err != nil {
		t.Fatal(err)
	}
	if err := main.CheckBounds(string(text)); err != nil {
		t.Error(err)
	}
}

func TestBadBounds(t *testing.T) {
	for text, want := range map[string]string{
		defaults + "actor files":                             "line 11: \"actor files\" is not a package, a figure and a bound",
		defaults + "actor flies 1":                           "line 11: actor has no figure \"flies\"",
		defaults + "actor stilted 1":                         "line 11: actor has no figure \"stilted\"",
		defaults + "project files 1":                         "line 11: project has no figure \"files\"",
		defaults + "actor files few":                         "line 11: few is not a number",
		defaults + "actor files -1":                          "line 11: -1 is not a number",
		defaults + "actor files 1\nactor files 2":            "line 12: a second bound for actor files",
		strings.Replace(defaults, "default top", "x top", 1): "no bound for default top",
		"": "no bound for",
	} {
		if err := main.CheckBounds(text); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%q: %v, want %s", text, err, want)
		}
	}
}

func TestTighten(t *testing.T) {
	text := "# Comment.\n" + defaults + `
actor files 90 # Because.
actor lines 7000
actor over500 5
actor circle 77
gone circle 20
`
	got, err := main.Tighten(text,
		"project stilted 7", "actor files 88", "actor lines 6000", "actor over500 3", "actor circle 78", "task circle 3")
	if err != nil {
		t.Fatal(err)
	}
	want := "# Comment.\n" + strings.Replace(defaults, "stilted 10", "stilted 7", 1) + `
actor files 88 # Because.
actor over500 3
actor circle 77
`
	if got != want {
		t.Errorf("got %s\nwant %s", got, want)
	}
}
