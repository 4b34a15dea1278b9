package main_test

import (
	"bytes"
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/troupe-go/troupe/internal/lane"
)

// Each limit is there: what the program prints, and whether the process ends by itself.
func TestLimitsAreThere(t *testing.T) {
	lane.Check(t) // It builds a program, and waits for one that hangs.
	program := filepath.Join(t.TempDir(), "limits")
	if out, err := exec.Command("go", "build", "-ldflags=-w", "-o", program, ".").CombinedOutput(); err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	page, err := os.ReadFile("../../docs/guide/limits.md")
	if err != nil {
		t.Fatal(err)
	}
	list, err := exec.Command(program).CombinedOutput()
	if exit := (*exec.ExitError)(nil); !errors.As(err, &exit) || exit.ExitCode() != 2 {
		t.Errorf("without a name it ends with %v", err)
	}
	cases := map[string]struct {
		want string
		ends bool // The process ends by an error of the Go runtime.
	}{
		"latency":    {"handled while the long one runs: 0\nthen: long urgent data\n", false},
		"syscall":    {"4 handlers are blocked, with 2 workers; a thread for each: true\n", false},
		"loop":       {"the actor has ended: actor: the actor was killed\nits handler still runs: true\n", false},
		"nopreempt":  {"the garbage is collected\na second later it was collected: false\n", false},
		"lockthread": {"fatal error: ", true},
		"overflow":   {"stack overflow", true},
		"mapwrite":   {"fatal error: concurrent map writes", true},
		"memory":     {"out of memory", true},
		"foreign":    {"a ring was found: false, the time was up: true\n", false},
		"heap":       {"an actor whose messages may take 1000 bytes keeps 48 MiB\n", false},
	}
	if lines := strings.Count(string(list), "\n"); lines != len(cases) {
		t.Errorf("%d limits are listed, and %d are tested:\n%s", lines, len(cases), list)
	}
	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			var out bytes.Buffer
			cmd := exec.Command(program, name)
			cmd.Stdout, cmd.Stderr = &out, &out
			cmd.Env = append(os.Environ(), "GOMAXPROCS=4") // So that writers of a map meet.
			err := cmd.Run()
			if (err != nil) != tc.ends || !strings.Contains(out.String(), tc.want) {
				t.Errorf("it ended with %v and printed %.2000q, want %q", err, out.String(), tc.want)
			}
			if !strings.Contains(string(page), "go run ./examples/limits "+name) {
				t.Error("the page does not have it")
			}
		})
	}
}
