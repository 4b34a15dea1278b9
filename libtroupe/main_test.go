//go:build (linux || darwin) && (amd64 || arm64)

package main_test

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/troupe-go/troupe/internal/leak"
	_ "github.com/troupe-go/troupe/internal/workers" // A change of it has these tests run again.
)

func TestMain(m *testing.M) { leak.Main(m) }

// patience bounds what a program of C may take. None takes long; one that hangs must not hold up the tests.
const patience = 5 * time.Minute

// tool returns the path of a program that a test needs. Where it is missing the test is skipped, but not in CI, which
// installs it.
func tool(t *testing.T, names ...string) string {
	t.Helper()
	for _, name := range names {
		if path, err := exec.LookPath(name); err == nil {
			return path
		}
	}
	if os.Getenv("CI") != "" {
		t.Fatalf("none of %v is installed; .ci/run should have installed one", names)
	}
	t.Skipf("needs one of %v; on Debian: apt-get install gcc libc6-dev rustc", names)
	return ""
}

// run runs a command and returns what it prints.
func run(t *testing.T, env []string, name string, args ...string) (string, error) {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), patience)
	defer cancel()
	cmd := exec.CommandContext(ctx, name, args...)
	cmd.Env = append(os.Environ(), env...)
	cmd.WaitDelay = time.Second
	out, err := cmd.CombinedOutput()
	if err != nil {
		err = fmt.Errorf("%s %s: %w\n%.4000s", filepath.Base(name), strings.Join(args, " "), errors.Join(err, ctx.Err()), out)
	}
	return string(out), err
}

// must is run where a failure ends the test.
func must(t *testing.T, env []string, name string, args ...string) string {
	t.Helper()
	out, err := run(t, env, name, args...)
	if err != nil {
		t.Fatal(err)
	}
	return out
}

// sanitizers has C code checked for bad addresses and undefined behaviour.
const sanitizers = "-fsanitize=address,undefined -fno-sanitize-recover=undefined -fno-omit-frame-pointer"

// build builds the library, "static" or "shared", and returns its folder, which lives as long as the test.
func build(t *testing.T, kind string, env ...string) string {
	t.Helper()
	tool(t, compilers()...)
	readSources(t)
	dir := t.TempDir()
	must(t, env, "./build.sh", dir, kind)
	return dir
}

// compilers are the C compilers that the go command may use.
func compilers() []string {
	if cc := os.Getenv("CC"); cc != "" {
		return []string{cc}
	}
	return []string{"gcc", "clang"}
}

// readSources reads what the libraries and the test programs are made of. The go command sees that, and runs the tests again when
// one of the files has changed.
func readSources(t *testing.T) {
	t.Helper()
	for _, pattern := range []string{"*", "include/*", "testdata/*", "testdata/suite/*", "examples/*", "../docs/c.md"} {
		files, err := filepath.Glob(pattern)
		if err != nil {
			t.Fatal(err)
		}
		for _, name := range files {
			if info, err := os.Stat(name); err != nil || info.IsDir() {
				continue
			}
			if _, err := os.ReadFile(name); err != nil {
				t.Fatal(err)
			}
		}
	}
}

// compile makes a program from C files, with the library in dir, and returns its path.
func compile(t *testing.T, dir, flags string, files ...string) string {
	t.Helper()
	program := filepath.Join(t.TempDir(), "program")
	args := append(strings.Fields("-std=gnu11 -O1 -g -Wall -Wextra -Werror "+flags+" -I"+dir), files...)
	if _, err := os.Stat(filepath.Join(dir, "libtroupe.a")); err == nil {
		args = append(args, filepath.Join(dir, "libtroupe.a"), "-lpthread")
	} else {
		args = append(args, "-L"+dir, "-Wl,-rpath,"+dir, "-ltroupe")
	}
	must(t, nil, tool(t, compilers()...), append(args, "-o", program)...)
	return program
}
