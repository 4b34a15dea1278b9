package main_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	main "github.com/troupe-go/troupe/cmd/troupe"
)

func TestNewWritesAProgramAndSaysWhatIsNext(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "shop")
	status, out, errs := run(t, "new", "--kind", "pipeline", dir)
	if status != 0 || errs != "" || !strings.Contains(out, "app_test.go") || !strings.Contains(out, "go mod tidy") {
		t.Errorf("status %d, printed %q and %q", status, out, errs)
	}
	mod, err := os.ReadFile(filepath.Join(dir, "go.mod"))
	if err != nil {
		t.Fatal(err)
	}
	if want := "module shop\n"; !strings.HasPrefix(string(mod), want) {
		t.Errorf("go.mod is %q, want %q at its beginning", mod, want)
	}
	status, _, errs = run(t, "new", dir)
	if status != 2 || !strings.Contains(errs, dir+" exists") {
		t.Errorf("the same once more: status %d, %q", status, errs)
	}
}

func TestNewRefusesAWrongCommandLine(t *testing.T) {
	t.Chdir(t.TempDir())
	for line, want := range map[string]string{
		"new":              "takes the name of the program",
		"new a b":          "takes the name of the program",
		"new Shop":         `"Shop" is no good name`,
		"new --kind x a":   `the kind is "x"; use one of service, tcp, pipeline`,
		"new --no-such a":  "unknown flag: --no-such",
		"new --module ! a": `"!" is no path of a module`,
	} {
		status, out, errs := run(t, strings.Fields(line)...)
		if status != 2 || out != "" || !strings.Contains(errs, want) {
			t.Errorf("%s: status %d, printed %q and %q, want 2 and %q", line, status, out, errs, want)
		}
	}
}

// A command that was built from a commit, and one from a folder with changes, write the version that is released next.
func TestNewProgramNeedsAVersionThatExists(t *testing.T) {
	mod, err := os.ReadFile("go.mod")
	if err != nil {
		t.Fatal(err)
	}
	_, after, found := strings.Cut(string(mod), "github.com/troupe-go/troupe ")
	next := strings.Fields(after)[0]
	if !found || main.ModuleVersion("(devel)") != next {
		t.Errorf("a build from source writes %s, go.mod says %s", main.ModuleVersion("(devel)"), next)
	}
	for build, want := range map[string]string{
		"v0.3.1":                               "v0.3.1",
		"v0.3.1-rc.1":                          "v0.3.1-rc.1",
		"v0.3.1+dirty":                         next,
		"v0.0.0-20261128212159-381d9ae00000":   next,
		"v0.3.2-0.20261128212159-381d9ae00000": next,
	} {
		if got := main.ModuleVersion(build); got != want {
			t.Errorf("a command %s writes %s, want %s", build, got, want)
		}
	}
}
