//go:build (linux || darwin) && (amd64 || arm64)

package main_test

import (
	"fmt"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/troupe-go/troupe/internal/lane"
)

// quick are the tests of testdata/suite that each library has to pass.
var quick = strings.Fields(`not_running configuration restart bad_arguments outside inside fork
	order wakes bytes selective timeouts late timers names doorbell
	reasons chain survives kill demonitor main_returns shutdown_in_time main_taken_along main_exits killed_at_birth
	fair woken priorities urgent blocking killed_while_blocking moves deep_calls`)

func suite(t *testing.T, dir, flags string) string {
	t.Helper()
	files, err := filepath.Glob("testdata/suite/*.c")
	if err != nil || len(files) == 0 {
		t.Fatalf("no suite: %v", err)
	}
	return compile(t, dir, flags, files...)
}

func runSuite(t *testing.T, program string, names []string, env ...string) {
	for _, name := range names {
		t.Run(name, func(t *testing.T) {
			if _, err := run(t, env, program, name); err != nil {
				t.Error(err)
			}
		})
	}
}

func TestStaticLibrary(t *testing.T) {
	lane.Short(t)
	t.Parallel()
	dir := build(t, "static")
	program := suite(t, dir, "")
	runSuite(t, program, quick)
	t.Run("a failed check fails", func(t *testing.T) {
		if out, err := run(t, nil, program, "no such test"); err == nil || !strings.Contains(out, "usage") {
			t.Errorf("an unknown test ends with %v: %s", err, out)
		}
	})
	t.Run("overflow", func(t *testing.T) {
		for _, env := range [][]string{nil, {"TROUPE_NO_GUARDS=1"}} {
			if out, err := run(t, env, program, "overflow"); err == nil {
				t.Errorf("a process left its stack, and the program ended well with %v: %s", env, out)
			}
		}
	})
	t.Run("exit in a process", func(t *testing.T) {
		if _, err := run(t, nil, program, "exit_in_process"); err == nil || !strings.Contains(err.Error(), "exit status 3") {
			t.Errorf("the program ended with %v, want exit status 3", err)
		}
		if _, err := run(t, nil, program, "abort"); err == nil {
			t.Error("a process aborted, and the program ended well")
		}
	})
	// A new release of Go may change what the library rests on; this says what.
	t.Run("probe", func(t *testing.T) {
		probe := compile(t, dir, "", "testdata/probe.c")
		for _, env := range [][]string{nil, {"GOGC=1"}} {
			if out := must(t, env, probe); !strings.Contains(out, "holds") {
				t.Errorf("with %v it prints %s", env, out)
			}
		}
	})
	t.Run("canary", func(t *testing.T) {
		out, err := run(t, []string{"TROUPE_NO_GUARDS=1"}, program, "canary")
		if err == nil || !strings.Contains(out, "has overflowed its stack") {
			t.Errorf("a process wrote below its stack, and the program ended with %v: %s", err, out)
		}
	})
	t.Run("many", func(t *testing.T) {
		lane.Check(t)
		if out := must(t, nil, program, "many"); strings.Contains(out, "without guards") {
			atMost(t, out, 9500) // The canary takes a page of each stack.
		} else {
			atMost(t, out, 5120)
		}
		atMost(t, must(t, nil, program, "many_light"), 1024)
	})
	t.Run("without guards", func(t *testing.T) {
		lane.Check(t)
		runSuite(t, program, []string{"restart", "order", "moves", "deep_calls"}, "TROUPE_NO_GUARDS=1")
	})
	t.Run("collected all the time", func(t *testing.T) {
		lane.Check(t)
		for _, name := range []string{"deep_calls", "moves", "order", "chain"} {
			must(t, []string{"GOGC=1", "GODEBUG=gccheckmark=1"}, program, name)
		}
	})
}

// atMost checks the bytes that a process took.
func atMost(t *testing.T, out string, most int) {
	t.Helper()
	match := regexp.MustCompile(`(\d+) bytes for each`).FindStringSubmatch(out)
	if match == nil {
		t.Fatalf("no figure in %s", out)
	}
	if n, err := strconv.Atoi(match[1]); err != nil || n > most {
		t.Errorf("%s bytes for each, want at most %d", match[1], most)
	}
}

// The address and the undefined-behaviour sanitizers look at the library and at its callers.
func TestSanitized(t *testing.T) {
	lane.Check(t)
	t.Parallel()
	dir := build(t, "static", "CGO_CFLAGS=-O1 -g "+sanitizers)
	runSuite(t, suite(t, dir, sanitizers), quick)
	t.Run("finds", func(t *testing.T) {
		program := compile(t, dir, sanitizers+" -fno-sanitize=bounds,object-size", "testdata/overrun.c")
		if out, err := run(t, nil, program); err == nil || !strings.Contains(out, "stack-buffer-overflow") {
			t.Errorf("a process wrote behind an array on its stack, and the program ended with %v: %.2000s", err, out)
		}
	})
	runExamples(t, dir, sanitizers, nil, "pingpong.c", "ring.c", "bank.c", "crowd.c", "toy.c")
}

// The thread sanitizer looks at the library and at its callers. The library announces each switch of stacks to it.
func TestThreadSanitizer(t *testing.T) {
	lane.Check(t)
	t.Parallel()
	dir := build(t, "static", "CGO_CFLAGS=-O1 -g -fsanitize=thread", "CGO_LDFLAGS=-fsanitize=thread")
	program := suite(t, dir, "-fsanitize=thread")
	if out, err := run(t, nil, program); err != nil && strings.Contains(out, "unexpected memory mapping") {
		t.Skip("this sanitizer does not run on this kernel, which lays out memory at random: sysctl vm.mmap_rnd_bits=28")
	}
	// The sanitizer calls handlers of signals on the stack of the process, which Go does not allow: it must send itself none.
	names := strings.Fields("outside inside order wakes selective timeouts late timers doorbell reasons chain kill main_taken_along fair woken urgent blocking moves deep_calls")
	env := []string{"TSAN_OPTIONS=atexit_sleep_ms=0", "GODEBUG=asyncpreemptoff=1"}
	runSuite(t, program, names, env...)
	runExamples(t, dir, "-fsanitize=thread", env, "pingpong.c", "ring.c", "bank.c", "crowd.c", "toy.c")
}

// example is a program of the folder examples, its arguments, and what it prints.
var examples = []struct{ file, args, want string }{
	{"pingpong.c", "20000", "20000 rounds\n"},
	{"ring.c", "500 40000", "40000 hops around 500 processes\n"},
	{"bank.c", "", "100 accounts, 3 tellers failed and were replaced, no money was lost: 100000\n"},
	{"crowd.c", "2000", "2000 processes answered, on several threads\n"},
	{"toy.c", "examples/fair.toy", "counter 3\ncounter 2\ncounter 1\nsum 42\n"},
}

// runExamples runs some of the examples, and the program of the guide.
func runExamples(t *testing.T, dir, flags string, env []string, files ...string) {
	for _, e := range examples {
		if !slices.Contains(files, e.file) {
			continue
		}
		t.Run(e.file, func(t *testing.T) {
			program := compile(t, dir, flags, filepath.Join("examples", e.file))
			out, err := run(t, env, program, strings.Fields(e.args)...)
			if err != nil || !strings.HasSuffix(out, e.want) {
				t.Errorf("%v prints:\n%s\nwant:\n%s", err, out, e.want)
			}
		})
	}
	t.Run("program of the guide", func(t *testing.T) {
		program := compile(t, dir, flags, guideProgram(t))
		if out, err := run(t, env, program); err != nil || out != "worker 1: 1\nworker 2: 4\nworker 3 failed with code 7\nworker 4: 16\nworker 5: 25\n" {
			t.Errorf("%v: it prints:\n%s", err, out)
		}
	})
}

// The shared library: what it exports, and programs in C and in Rust.
func TestSharedLibrary(t *testing.T) {
	lane.Check(t)
	t.Parallel()
	dir := build(t, "shared")
	runExamples(t, dir, "", nil, "bank.c")
	t.Run("abi", func(t *testing.T) { checkABI(t, dir) })
	t.Run("pkg-config", func(t *testing.T) {
		text := string(read(t, filepath.Join(dir, "troupe.pc")))
		for _, want := range []string{"libdir=" + dir + "\n", "includedir=" + dir + "\n", "Libs: -L${libdir} -ltroupe\n", "Cflags: -I${includedir}\n"} {
			if !strings.Contains(text, want) {
				t.Errorf("troupe.pc has no %q:\n%s", want, text)
			}
		}
	})
	t.Run("rust", func(t *testing.T) {
		program := filepath.Join(t.TempDir(), "bank")
		must(t, nil, tool(t, "rustc"), "--edition=2021", "-D", "warnings", "-L", dir, "-C", "link-arg=-Wl,-rpath,"+dir, "-o", program, "examples/squares.rs")
		if out := must(t, nil, program); out != fmt.Sprintf("%d\n", 332833500) {
			t.Errorf("it prints %s", out)
		}
	})
}
