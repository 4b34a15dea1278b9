// Package planted shows that a check finds the faults which it is there to
// find: it plants one into a copy of the source, and expects a test to fail.
//
// The copy is seen by the compiler alone, through the overlay of the go
// command. So the faults need no switches in the source, and a fault whose
// place has changed is reported, not passed over.
package planted

import (
	"encoding/json"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
)

// Fault is a change for the worse.
type Fault struct {
	Name string
	File string // Relative to the package of the running test.
	Old  string // Occurs in File exactly once.
	New  string
	Want string // Occurs in the output of the failing test.
	Run  string // The tests that are to find it, if not all of them.
}

// Expect runs `go test` with the given arguments in the package of the running
// test: once as it is, which has to pass, and once with each fault, which has to
// fail as wanted.
func Expect(t *testing.T, faults []Fault, args ...string) {
	t.Helper()
	if out, err := goTest(args...); err != nil {
		t.Fatalf("the test fails without a fault: %v\n%s", err, out)
	}
	for _, f := range faults {
		t.Run(f.Name, func(t *testing.T) {
			t.Helper()
			flags := append([]string{"-overlay", overlay(t, f)}, args...)
			if f.Run != "" {
				flags = append(flags, "-run", f.Run)
			}
			out, err := goTest(flags...)
			if err == nil {
				t.Fatalf("the test passes with the fault:\n%s", out)
			}
			if !strings.Contains(string(out), f.Want) || strings.Contains(string(out), "[build failed]") {
				t.Fatalf("the test does not fail with %q:\n%s", f.Want, out)
			}
		})
	}
}

// goTest does without what takes time and says nothing here.
func goTest(args ...string) (out []byte, err error) {
	return exec.Command("go", append([]string{"test", "-count", "1", "-vet", "off", "-ldflags", "-w"}, args...)...).CombinedOutput()
}

// overlay writes the changed copy and the description by which the go command
// puts it in the place of the original.
func overlay(t *testing.T, f Fault) (path string) {
	t.Helper()
	original, err := filepath.Abs(f.File)
	if err != nil {
		t.Fatal(err)
	}
	source, err := os.ReadFile(original)
	if err != nil {
		t.Fatal(err)
	}
	if n := strings.Count(string(source), f.Old); n != 1 {
		t.Fatalf("%s has the place for the fault %d times; it has moved, or is not unique:\n%s", f.File, n, f.Old)
	}
	dir := t.TempDir()
	changed := filepath.Join(dir, filepath.Base(f.File))
	if err := os.WriteFile(changed, []byte(strings.Replace(string(source), f.Old, f.New, 1)), 0o600); err != nil {
		t.Fatal(err)
	}
	description, err := json.Marshal(map[string]map[string]string{"Replace": {original: changed}})
	if err != nil {
		t.Fatal(err)
	}
	path = filepath.Join(dir, "overlay.json")
	if err := os.WriteFile(path, description, 0o600); err != nil {
		t.Fatal(err)
	}
	return path
}
