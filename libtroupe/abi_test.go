//go:build (linux || darwin) && (amd64 || arm64)

package main_test

import (
	"bytes"
	"os"
	"path/filepath"
	"regexp"
	"runtime"
	"slices"
	"strings"
	"testing"
)

// golden holds the symbols with their versions, and sizes, offsets and constants of the header.
const golden = "testdata/abi.txt"

// checkABI compares the shared library with what is recorded. TROUPE_UPDATE=1 records it.
func checkABI(t *testing.T, dir string) {
	if runtime.GOOS != "linux" {
		t.Skip("symbols have versions on Linux alone")
	}
	got := must(t, nil, compile(t, dir, "", "testdata/abi.c"))
	for line := range strings.Lines(must(t, nil, tool(t, "nm"), "-D", "--defined-only", filepath.Join(dir, "libtroupe.so.1"))) {
		if fields := strings.Fields(line); fields[1] != "A" {
			got += "symbol " + fields[2] + "\n"
		}
	}
	if os.Getenv("TROUPE_UPDATE") != "" {
		if err := os.WriteFile(golden, []byte(got), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	want, err := os.ReadFile(golden)
	if err != nil {
		t.Fatal(err)
	}
	if got != string(want) {
		t.Errorf("the interface has changed: raise TROUPE_ABI and the version in troupe.map, and record it with TROUPE_UPDATE=1. It is\n%s", got)
	}
}

// The header declares what the map exports. The suite calls each function, and also from the end of a stack.
func TestHeader(t *testing.T) {
	header, exported := read(t, "include/troupe.h"), read(t, "troupe.map")
	declared := regexp.MustCompile(`(?m)^[a-z].*?\b(troupe_\w+)\(`)
	var names []string
	for _, match := range declared.FindAllSubmatch(header, -1) {
		names = append(names, string(match[1]))
	}
	slices.Sort(names)
	var listed []string
	for _, match := range regexp.MustCompile(`(?m)^ +(troupe_\w+);`).FindAllSubmatch(exported, -1) {
		listed = append(listed, string(match[1]))
	}
	if !slices.Equal(names, listed) {
		t.Errorf("troupe.h declares\n%v\ntroupe.map exports\n%v", names, listed)
	}
	var suite []byte
	files, err := filepath.Glob("testdata/suite/*")
	if err != nil {
		t.Fatal(err)
	}
	for _, name := range files {
		suite = append(suite, read(t, name)...)
	}
	_, rest, _ := bytes.Cut(suite, []byte("static void calls_all("))
	deep, _, _ := bytes.Cut(rest, []byte("\n}\n"))
	for _, name := range names {
		if !bytes.Contains(deep, []byte(name+"(")) {
			t.Errorf("calls_all, at the end of a stack, does not call %s", name)
		}
		if !bytes.Contains(suite, []byte(name+"(")) && name != "troupe_refill" { // The macros call it.
			t.Errorf("no test calls %s", name)
		}
	}
}

// guideProgram returns the file with the first C program of the guide.
func guideProgram(t *testing.T) string {
	t.Helper()
	_, rest, found := strings.Cut(string(read(t, "../docs/c.md")), "```c\n")
	program, _, closed := strings.Cut(rest, "```")
	if lines := strings.Count(program, "\n"); !found || !closed || lines > 40 {
		t.Fatalf("the guide's program has %d lines, want 1 to 40", lines)
	}
	name := filepath.Join(t.TempDir(), "guide.c")
	if err := os.WriteFile(name, []byte(program), 0o644); err != nil {
		t.Fatal(err)
	}
	return name
}

func read(t *testing.T, name string) []byte {
	t.Helper()
	text, err := os.ReadFile(name)
	if err != nil {
		t.Fatal(err)
	}
	return text
}
