// Package planted shows that a check finds the faults which it is there to
// find: it plants them into a copy of the source, and expects a test to fail.
//
// The copy is seen by the compiler alone, through the overlay of the go
// command. So the faults need no switches in the source, and a fault whose
// place has changed is reported, not passed over.
//
// To build a test takes far longer than to run it, so all faults go into one
// build: beside the function that a fault changes lies its faulty twin, and the
// environment says which of the two runs. A fault outside of the functions'
// bodies has a build of its own.
package planted

import (
	"context"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/troupe-go/troupe/internal/patience"
)

// Fault is a change for the worse.
type Fault struct {
	Name string
	File string // Relative to the package of the running test.
	Old  string // Occurs in File exactly once.
	New  string
	Want string // Occurs in the output of the failing test.
	Run  string // The tests that are to find it, if not all of the group's.
	// Hang says that the tests fail by the end of their patience, of which they
	// have little then. A fault that hangs without it is found too, and later.
	Hang bool
}

// Group is the faults that the same tests are to find.
type Group struct {
	Run    string // The tests, as for the flag -run.
	Faults []Fault
}

// limit is for one run of the tests. A search with a fault takes 10 s at most.
const limit = 3 * time.Minute

// tries is how often the tests run at most until they find a fault. Some faults show
// only if a worker is quick: one in hundreds of runs has missed such a one.
const tries = 3

// Expect builds the tests of the package of the running test, with the tags,
// and runs those of each group: once as they are, which has to pass, and once
// with each of the faults, which has to fail as wanted. Searches of schedules,
// and tests that hang, run several at a time: what else goes on does not matter to
// them, as it does to tests that find a fault by chance.
func Expect(t *testing.T, tags string, groups ...Group) {
	t.Helper()
	b := build{tags: tags, dir: t.TempDir()}
	var all []Fault
	for _, g := range groups {
		all = append(all, g.Faults...)
	}
	twins := newTwins(t, all)
	binary := b.compile(t, twins.sources())
	i := 0
	for _, g := range groups {
		if out, err := execute(binary, g.Run); err != nil {
			t.Fatalf("the test fails without a fault: %v\n%s", err, out)
		}
		for _, f := range g.Faults {
			name := nameOf(i)
			i++
			t.Run(f.Name, func(t *testing.T) {
				t.Helper()
				if f.Hang || tags == "modelcheck" {
					t.Parallel()
				}
				binary := binary
				if !twins.have(name) {
					binary = b.compile(t, alone(t, f))
				}
				run := g.Run
				if f.Run != "" {
					run = f.Run
				}
				expect(t, f, binary, run, name)
			})
		}
	}
}

func expect(t *testing.T, f Fault, binary, run, name string) {
	t.Helper()
	var out []byte
	var err error
	for range tries {
		if out, err = execute(binary, run, variable+"="+name, patience.Variable+"="+f.patience()); err != nil {
			break
		}
	}
	if err == nil {
		t.Fatalf("the test passes with the fault:\n%s", out)
	}
	if !strings.Contains(string(out), f.Want) {
		t.Fatalf("the test does not fail with %q:\n%s", f.Want, out)
	}
}

// patience returns how long the tests with the fault wait for what may not come.
func (f Fault) patience() string {
	if f.Hang {
		return "2s"
	}
	return "10s"
}

// execute runs the tests until the first one fails, with additions to the environment.
func execute(binary, run string, env ...string) (out []byte, err error) {
	ctx, cancel := context.WithTimeout(context.Background(), limit)
	defer cancel()
	cmd := exec.CommandContext(ctx, binary, "-test.run", run, "-test.failfast", "-test.timeout", (limit - time.Second).String())
	cmd.Env = append(os.Environ(), env...)
	return cmd.CombinedOutput()
}

// build makes test binaries of the package of the running test.
type build struct {
	tags string
	dir  string

	mu   sync.Mutex // One at a time, which keeps all processors busy.
	made int
}

// compile returns the path of a binary in which the given files have other
// contents. It does without what takes time and says nothing here.
func (b *build) compile(t *testing.T, sources map[string]string) string {
	t.Helper()
	b.mu.Lock()
	defer b.mu.Unlock()
	b.made++
	binary := filepath.Join(b.dir, "planted"+nameOf(b.made)+".test")
	args := []string{
		"test", "-c", "-o", binary, "-overlay", overlay(t, sources), "-tags", b.tags, "-vet", "off", "-ldflags", "-w", ".",
	}
	if out, err := exec.Command("go", args...).CombinedOutput(); err != nil {
		t.Fatalf("the test does not compile with the fault: %v\n%s", err, out)
	}
	return binary
}
