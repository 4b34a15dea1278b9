// Package planted shows that a check finds the faults which it is there to
// find: it plants them into a copy of the source, and expects a test to fail.
//
// A fault has its place in a function's syntax, not in a file's text: Old is an
// expression or some statements of the function In, and its names stand for
// whatever names the code has now. So a fault survives when its function moves to
// another file, when the code around it changes, and when anything that it speaks
// of is renamed. If a place is gone, the error names the fault and its function.
//
// The compiler alone sees the copy, through the overlay of the go command. So the
// faults need no switches in the source.
//
// To build a test takes far longer than to run it, so all faults go into one
// build: beside the function that a fault changes lies its faulty twin, and the
// environment says which of the two runs. A fault outside of the functions'
// bodies has a build of its own.
package planted

import (
	"context"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/troupe-go/troupe/internal/lane"
	"github.com/troupe-go/troupe/internal/patience"
)

// Fault is a change for the worse.
type Fault struct {
	Name string
	Dir  string // Relative to the package of the running test; "" is this package.
	In   string // A function, a method as Type.method, a constant or a variable.
	// Old is an expression, or statements that follow each other. It is enough that it
	// has the shape of the code: names may differ, the same ones for the same ones.
	Old string
	New string // Replaces Old. The names of Old in it become the names in the code.
	Nth int    // Which one, from 1, if several places in In have this shape.

	Want string // Occurs in the output of the failing test.
	Run  string // The tests that are to find it, if not all of the group's.
	// Hang says that the tests fail by the end of their patience, which is
	// short then. A fault that hangs without it is found too, and later.
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

// hanging is how many tests that hang run at a time. They wait, and take no processor meanwhile.
const hanging = 8

// Expect builds the tests of the package of the running test, with the tags,
// and runs the tests of each group: once as they are, which has to pass, and once
// with each of the faults, which has to fail as wanted. With -run, one fault is tried alone. Searches of schedules,
// and tests that hang, run several at a time: what else goes on does not matter to
// them, as it does to tests that find a fault by chance.
//
// In the quick lane it only looks whether each fault has its place. With -v, it logs what is slow: in processor time, as
// the time in all says little while faults run beside each other.
func Expect(t *testing.T, tags string, groups ...Group) {
	t.Helper()
	places := fit(t, tags, groups)
	lane.Check(t)
	b := build{tags: tags, dir: t.TempDir()}
	twins := newTwins(places)
	binary := b.compile(t, twins.sources())
	i := 0
	others, room := make(chan struct{}), make(chan struct{}, hanging)
	defer close(others) // The tests that hang begin when all that do not run in parallel have ended.
	for n, g := range groups {
		t.Run(fmt.Sprintf("no fault, group %d", n), func(t *testing.T) {
			t.Helper()
			if tags == "modelcheck" {
				t.Parallel()
			}
			var c cost
			out, err := execute(binary, g.Run, &c)
			c.tell(t, g.Run)
			if err != nil {
				t.Errorf("%s fails without a fault: %v\n%s", g.Run, err, out)
			}
		})
		for _, f := range g.Faults {
			name, p := nameOf(i), places[i]
			i++
			t.Run(f.Name, func(t *testing.T) {
				t.Helper()
				if !f.Hang && tags == "modelcheck" {
					t.Parallel()
				}
				binary := binary
				if !twins.have(name) {
					binary = b.compile(t, map[string]string{p.file.path: p.text()})
				}
				run := g.Run
				if f.Run != "" {
					run = f.Run
				}
				var c cost
				if !f.Hang {
					out, err := attempt(f, binary, run, name, &c)
					c.tell(t, f.Name)
					judge(t, f, out, err)
					return
				}
				var out []byte
				var err error
				done := make(chan struct{})
				go func() {
					defer close(done)
					<-others
					room <- struct{}{}
					out, err = attempt(f, binary, run, name, &c)
					<-room
				}()
				t.Parallel() // As few at a time as there are processors: so it only waits.
				<-done
				c.tell(t, f.Name)
				judge(t, f, out, err)
			})
		}
	}
}

// fit returns the places of all faults, and fails if one has none.
func fit(t *testing.T, tags string, groups []Group) (places []place) {
	t.Helper()
	sources := map[string]*source{}
	for _, g := range groups {
		for _, f := range g.Faults {
			if sources[f.Dir] == nil {
				s, err := load(f.Dir, tags)
				if err != nil {
					t.Fatalf("the fault %q: %v", f.Name, err)
				}
				sources[f.Dir] = s
			}
			p, err := sources[f.Dir].fit(f)
			if err != nil {
				t.Errorf("the fault %q has lost its place: %v", f.Name, err)
			}
			places = append(places, p)
		}
	}
	if t.Failed() {
		t.FailNow()
	}
	return places
}

// attempt runs the tests with the fault until they fail, and adds up what that costs.
func attempt(f Fault, binary, run, name string, c *cost) (out []byte, err error) {
	for range tries {
		if out, err = execute(binary, run, c, variable+"="+name, patience.Variable+"="+f.patience()); err != nil {
			break
		}
	}
	return out, err
}

// judge wants the tests to have failed as the fault says.
func judge(t *testing.T, f Fault, out []byte, err error) {
	t.Helper()
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

// execute runs the tests until the first one fails, with additions to the environment. It adds what that costs to c.
func execute(binary, run string, c *cost, env ...string) (out []byte, err error) {
	ctx, cancel := context.WithTimeout(context.Background(), limit)
	defer cancel()
	cmd := exec.CommandContext(ctx, binary, "-test.run", run, "-test.failfast", "-test.timeout", (limit - time.Second).String())
	cmd.Env = append(os.Environ(), env...)
	begin := time.Now()
	out, err = cmd.CombinedOutput()
	c.add(time.Since(begin), cmd.ProcessState)
	return out, err
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
	cmd := exec.Command("go", args...)
	begin := time.Now()
	out, err := cmd.CombinedOutput()
	var c cost
	c.add(time.Since(begin), cmd.ProcessState)
	c.tell(t, "a build")
	if err != nil {
		t.Fatalf("the test does not compile with the fault: %v\n%s", err, out)
	}
	return binary
}
