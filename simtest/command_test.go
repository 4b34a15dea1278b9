package simtest_test

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/troupe-go/troupe/actor"
	"github.com/troupe-go/troupe/simtest"
)

// awkwardNames mean something to the shell, to a regular expression, or to go test.
var awkwardNames = []string{
	"n=3 (full)", "[x]", "it's", "a/b", "a|b", "$HOME", "`x`", `back\slash`, "x*y?", "a.b", "axb", "twice", "twice",
	"tab\t", "größe", `"q"`, "!", "#", "-v", "{2}", "^$", "",
}

// The command replays the one test whatever its name: it goes through a shell, which
// runs this test's binary in place of the go command.
func TestReplayCommandIsQuoted(t *testing.T) {
	if os.Getenv("TROUPE_REPLAY") == "" {
		if _, err := exec.LookPath("sh"); err != nil {
			t.Skip("there is no shell: ", err)
		}
	}
	for _, name := range awkwardNames {
		t.Run(name, func(t *testing.T) {
			f := find(t, simtest.Config{}, func(s *simtest.Sim) { s.Error("fails") })
			if os.Getenv("TROUPE_REPLAY") != "" {
				_, _ = fmt.Fprintf(os.Stdout, "%s: %s\n", t.Name(), f.When)
				return
			}
			if got, want := runByShell(t, f.Command), t.Name()+": when replayed\n"; got != want {
				t.Errorf("%s\nhas printed %q, not %q", f.Command, got, want)
			}
		})
	}
}

// runByShell runs a command, and returns the lines that it prints about tests.
func runByShell(t *testing.T, command string) (lines string) {
	t.Helper()
	binary, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	dir := t.TempDir()
	script := "#!/bin/sh\n[ \"$1 $2 $4\" = 'test -run .' ] || exit 9\nexec '" + binary + "' -test.run \"$3\"\n"
	if err := os.WriteFile(filepath.Join(dir, "go"), []byte(script), 0o700); err != nil { //nolint:gosec // It has to be run.
		t.Fatal(err)
	}
	cmd := exec.CommandContext(t.Context(), "sh", "-c", command)
	cmd.Env = append(os.Environ(), "PATH="+dir+string(os.PathListSeparator)+os.Getenv("PATH"))
	out, err := cmd.CombinedOutput()
	if err != nil {
		t.Fatalf("%s: %v\n%s", command, err, out)
	}
	for line := range strings.Lines(string(out)) {
		if strings.HasPrefix(line, "Test") {
			lines += line
		}
	}
	return lines
}

// A search that finds nothing says what it has searched.
func TestQuietSearch(t *testing.T) {
	if os.Getenv("SIMTEST_QUIET") != "" {
		simtest.Run(t, simtest.Config{Schedules: 1200}, func(*simtest.Sim) {})
		simtest.Run(t, simtest.Config{Strategy: simtest.Exhaustive}, func(*simtest.Sim) {})
		simtest.Run(t, simtest.Config{Strategy: simtest.Exhaustive, Schedules: 1}, func(s *simtest.Sim) {
			c := counter(s, s.System(actor.Config{}))
			_, _ = c.Send(bg, get{}), c.Send(bg, get{})
		})
		return
	}
	t.Setenv("TROUPE_SCHEDULES", "") // It would be another search.
	out := runSelf(t, "SIMTEST_QUIET")
	for _, want := range []string{`: simtest: 1,200 schedules, \d+\.\d s, quiet\n`, `: simtest: 1 schedules, which are all, \d`, `: simtest: 1 schedules, and there are more, \d`} {
		if !regexp.MustCompile(want).MatchString(out) {
			t.Errorf("%s is missing in\n%s", want, out)
		}
	}
}
