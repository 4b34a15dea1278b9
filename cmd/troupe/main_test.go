package main_test

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strings"
	"syscall"
	"testing"

	main "github.com/troupe-go/troupe/cmd/troupe"
	"github.com/troupe-go/troupe/cmd/troupe/internal/demo"
	"github.com/troupe-go/troupe/cmd/troupe/internal/journals/places"
	"github.com/troupe-go/troupe/cmd/troupe/internal/strands"
	"github.com/troupe-go/troupe/internal/bench/runner"
	"github.com/troupe-go/troupe/internal/lane"
	"github.com/troupe-go/troupe/internal/leak"
)

// TestMain makes the test binary a child that does one run of a benchmark, or the tool of go vet.
func TestMain(m *testing.M) {
	if main.IsVetTool(os.Args[1:]) {
		main.VetTool()
	}
	if len(os.Args) > 1 && os.Args[1] == "bench" {
		os.Exit(main.Run(context.Background(), os.Args[1:], os.Stdout, os.Stderr))
	}
	if len(os.Args) > 1 && os.Args[1] == runner.ChildArg {
		os.Exit(runner.Child(main.AllWorkloads, main.AllSubjects, os.Args[2:], os.Stdout, os.Stderr))
	}
	if len(os.Args) > 1 && os.Args[1] == strands.ServerArg {
		os.Exit(strands.Server(os.Args[2:], os.Stdin, os.Stdout, os.Stderr))
	}
	leak.Main(places.Main{M: m})
}

// run runs a command line and returns its exit status and output.
func run(t *testing.T, args ...string) (status int, stdout, stderr string) {
	t.Helper()
	var out, errs bytes.Buffer
	status = main.Run(t.Context(), args, &out, &errs)
	return status, out.String(), errs.String()
}

// smallTree returns a directory with two good files and an instance of what is skipped.
func smallTree(t *testing.T) string {
	t.Helper()
	dir := t.TempDir()
	for name, text := range map[string]string{
		"main.go": "package main\n\nfunc main() { main() }\n", "sub/notes.txt": "notes on main\n",
		"binary": "\x7fELF\x00", "large": strings.Repeat("large ", 1000),
	} {
		path := filepath.Join(dir, name)
		if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	if err := os.Symlink("nowhere", filepath.Join(dir, "dangling")); err != nil {
		t.Fatal(err)
	}
	if err := makePipe(filepath.Join(dir, "pipe")); err != nil {
		t.Fatal(err)
	}
	return dir
}

func TestDemoJSON(t *testing.T) {
	lane.Short(t)
	t.Parallel()
	dir := smallTree(t)
	status, stdout, stderr := run(t, "demo", "--json", "--verify", "--max-file-size", "1KiB", "--fault-rate", "0.5", dir)
	if status != 0 {
		t.Fatalf("the status is %d: %s", status, stderr)
	}
	var r demo.Report
	d := json.NewDecoder(strings.NewReader(stdout))
	if err := d.Decode(&r); err != nil {
		t.Fatalf("%v in %q", err, stdout)
	}
	if _, err := d.Token(); !errors.Is(err, io.EOF) {
		t.Errorf("there is more than one object in %q", stdout)
	}
	want := demo.Skipped{demo.Binary: 1, demo.TooLarge: 1, demo.Irregular: 2}
	if r.Files != 2 || r.Words != 8 || r.Skipped != want || r.Dir != dir || !*r.Verified {
		t.Errorf("the report is %+v", r)
	}
	if r.Top[0].Word != "main" || r.Top[0].Count != 4 {
		t.Errorf("the top is %v, want main with 4", r.Top)
	}
}

func TestDemoText(t *testing.T) {
	lane.Short(t)
	t.Parallel()
	status, stdout, stderr := run(t, "demo", "--verify", "--seed", "5", "--fault-rate", "0.3", "--top", "1", smallTree(t))
	if status != 0 {
		t.Fatalf("the status is %d: %s", status, stderr)
	}
	for _, want := range []string{"Indexed", "large", "verified: true", "seed 5", "skipped: irregular"} {
		if !strings.Contains(stdout, want) {
			t.Errorf("the report lacks %q:\n%s", want, stdout)
		}
	}
	if strings.Contains(stdout, "main ") {
		t.Errorf("the report lists more than one identifier:\n%s", stdout)
	}
	if !strings.Contains(stderr, "seed 5") || !strings.Contains(stderr, "indexing") {
		t.Errorf("the progress does not tell the seed and the phases:\n%s", stderr)
	}
}

func TestEmptyDirectory(t *testing.T) {
	lane.Short(t)
	t.Parallel()
	for _, args := range [][]string{{}, {"--json"}, {"--verify"}} {
		if status, _, stderr := run(t, append([]string{"demo", t.TempDir()}, args...)...); status != 0 {
			t.Errorf("%q: the status is %d: %s", args, status, stderr)
		}
	}
}

func TestWrongUse(t *testing.T) {
	dir := t.TempDir()
	file := filepath.Join(dir, "file")
	if err := os.WriteFile(file, nil, 0o644); err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct {
		args []string
		want string // In the message.
	}{
		{[]string{"demo", "--workers", "0", dir}, "--workers must be at least 1, not 0"},
		{[]string{"demo", "--workers", "-2", dir}, "--workers must be at least 1, not -2"},
		{[]string{"demo", "--workers", "many", dir}, `"many"`},
		{[]string{"demo", "--workers", "100000", dir}, "100000"},
		{[]string{"demo", "--shards", "0", dir}, "--shards must be at least 1"},
		{[]string{"demo", "--tokenizers", "-1", dir}, "--tokenizers must be at least 1"},
		{[]string{"demo", "--fault-rate", "1", dir}, "below 1, not 1"},
		{[]string{"demo", "--fault-rate", "NaN", dir}, "NaN"},
		{[]string{"demo", "--fault-rate", "-0.1", dir}, "-0.1"},
		{[]string{"demo", "--top", "-1", dir}, "-1"},
		{[]string{"demo", "--seed", "-1", dir}, "-1"},
		{[]string{"demo", "--max-file-size", "0", dir}, "--max-file-size must be at least 1"},
		{[]string{"demo", "--max-file-size", "big", dir}, "64MiB"},
		{[]string{"demo", "--max-file-size", "1PB", dir}, "maximal file size"},
		{[]string{"demo", filepath.Join(dir, "missing")}, "no such file or directory"},
		{[]string{"demo", file}, "not a directory"},
		{[]string{"demo", ""}, `""`},
		{[]string{"demo", dir, dir}, "at most one directory"},
		{[]string{"demo", "--no-such-flag"}, "unknown flag: --no-such-flag; see troupe demo --help"},
		{[]string{"dmo"}, `unknown command "dmo", did you mean demo?`},
		{[]string{"version", "please"}, "no arguments"},
		{[]string{"steal", "now"}, "no arguments"},
		{[]string{"steal", "--workers", "0"}, "--workers must be at least 1, not 0"},
		{[]string{"steal", "--workers", "1000"}, "workers must be from 1 to 256, not 1000"},
		{[]string{"steal", "--load", "-0.5"}, "the load must be from 0 to 4, not -0.5"},
		{[]string{"steal", "--load", "NaN"}, "NaN"},
		{[]string{"steal", "--strategy", "greedy"}, "the strategies are adaptive"},
		{[]string{"steal", "--interval", "0s"}, "--interval must be at least 10ms, not 0s"},
		{[]string{"steal", "--duration", "-1s"}, "--duration must be at least 10ms, not -1s"},
		{[]string{"steal", "--keys", "cq"}, "no act has the key 'q'"},
		{[]string{"bench", "actors"}, `unknown command "actors"; see troupe bench --help`},
		{[]string{"bench", "shced"}, "did you mean sched?"},
		{[]string{"bench", "sched", "flat"}, "--workload"},
		{[]string{"bench", "sched", "--rounds", "0"}, "rounds is 0; it must be at least 1"},
		{[]string{"bench", "sched", "--rounds", "few"}, `"few"`},
		{[]string{"bench", "sched", "--limit", "0s"}, "limit is 0s; it must be positive"},
		{[]string{"bench", "sched", "--workload", "flat,fob"}, `unknown workload "fob"; there are fib, flat,`},
		{[]string{"bench", "sched", "--subject", "ants"}, `unknown subject "ants"; there are balanced, goroutines`},
		{[]string{"bench", "terminal", "--rounds", "0"}, "--rounds must be from 1 to 100, not 0"},
		{[]string{"bench", "terminal", "--rounds", "101"}, "must be from 1 to 100, not 101"},
		{[]string{"bench", "terminal", "--subject", "fiber"}, `unknown subject "fiber"; there are reader, thread, actor and pool`},
		{[]string{"bench", "terminal", "--gate", "0"}, "--gate must be from 1 on, such as 2, not 0"},
		{[]string{"bench", "terminal", "--gate", "0.5"}, "the gate must be a number from 1 on, such as 2, not 0.5"},
		{[]string{"bench", "terminal", "--gate", "twice"}, "twice"},
		{[]string{"bench", "terminal", "--gate", "2", "--subject", "actor"}, "which is not among the subjects actor"},
		{[]string{"bench", "terminal", "thread"}, "--subject"},
		{[]string{"--no-such-flag"}, "see troupe --help"},
	} {
		status, stdout, stderr := run(t, c.args...)
		if status != 2 || stdout != "" {
			t.Errorf("%q: the status is %d, want 2; standard output: %q", c.args, status, stdout)
		}
		if !strings.Contains(stderr, c.want) || strings.Count(stderr, "\n") != 1 {
			t.Errorf("%q: the message is %q, want one line with %q", c.args, stderr, c.want)
		}
	}
}

func TestInterrupt(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	var out, errs bytes.Buffer
	status := main.Run(ctx, []string{"demo", "--json", smallTree(t)}, &out, &errs)
	var r demo.Report
	if err := json.Unmarshal(out.Bytes(), &r); err != nil || !r.Partial {
		t.Errorf("the report %q (%v) is not partial", out.String(), err)
	}
	if status != 130 || !strings.Contains(errs.String(), "interrupted") {
		t.Errorf("the status is %d with %q, want 130", status, errs.String())
	}
}

// TestSignal interrupts a process of its own.
func TestSignal(t *testing.T) {
	const child = "TROUPE_TEST_SIGNAL_DIR"
	if dir := os.Getenv(child); dir != "" {
		main.Main(dir)
		return
	}
	for _, sig := range []os.Signal{os.Interrupt, syscall.SIGTERM} {
		cmd := exec.Command(os.Args[0], "-test.run=^TestSignal$")
		cmd.Env = append(os.Environ(), child+"="+t.TempDir())
		pipe, err := cmd.StderrPipe()
		if err != nil {
			t.Fatal(err)
		}
		if err := cmd.Start(); err != nil {
			t.Fatal(err)
		}
		if _, err := pipe.Read(make([]byte, 1)); err != nil { // It is at work.
			t.Fatal(err)
		}
		if err := cmd.Process.Signal(sig); err != nil {
			t.Fatal(err)
		}
		_, _ = io.Copy(io.Discard, pipe)
		if _ = cmd.Wait(); cmd.ProcessState.ExitCode() != 130 {
			t.Errorf("after %v the process ended with %v, want status 130", sig, cmd.ProcessState)
		}
	}
}

type brokenWriter struct{}

func (brokenWriter) Write([]byte) (int, error) { return 0, io.ErrClosedPipe }

func TestBrokenOutput(t *testing.T) {
	lane.Short(t)
	var errs bytes.Buffer
	if status := main.Run(t.Context(), []string{"demo", t.TempDir()}, brokenWriter{}, &errs); status != 1 {
		t.Errorf("the status is %d, want 1: %s", status, errs.String())
	}
	if !strings.Contains(errs.String(), "writing the report") {
		t.Errorf("the message is %q", errs.String())
	}
}

func TestHelp(t *testing.T) {
	for _, args := range [][]string{{}, {"--help"}, {"help"}} {
		if status, stdout, _ := run(t, args...); status != 0 || !strings.Contains(stdout, "demo") {
			t.Errorf("%q: status %d and %q, want the commands", args, status, stdout)
		}
	}
	status, stdout, _ := run(t, "demo", "--help")
	for _, want := range []string{
		"--workers", "--shards", "--tokenizers", "--fault-rate", "--seed", "--top", "--verify", "--json", "--max-file-size",
		"GOROOT", "Exit status", "130",
	} {
		if status != 0 || !strings.Contains(stdout, want) {
			t.Errorf("the help of demo (status %d) lacks %q", status, want)
		}
	}
}

func TestVersion(t *testing.T) {
	for _, args := range [][]string{{"version"}, {"--version"}} {
		status, stdout, _ := run(t, args...)
		if status != 0 || !strings.HasPrefix(stdout, "troupe ") || !strings.Contains(stdout, runtime.Version()) {
			t.Errorf("%q: status %d and %q", args, status, stdout)
		}
	}
}

func TestDefaultDirectory(t *testing.T) {
	dir, err := main.GoSource(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	if _, err := os.Stat(filepath.Join(dir, "runtime", "proc.go")); err != nil {
		t.Errorf("the default directory is not Go's source: %v", err)
	}
	t.Setenv("PATH", t.TempDir())
	status, _, stderr := run(t, "demo")
	if status != 2 || !strings.Contains(stderr, "troupe demo DIR") || strings.Count(stderr, "\n") != 1 {
		t.Errorf("without Go: status %d and %q, want one line that says what to do", status, stderr)
	}
}
