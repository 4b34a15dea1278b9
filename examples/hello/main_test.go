package main_test

import (
	"os"
	"os/exec"
	"strings"
	"testing"
)

func TestHello(t *testing.T) {
	if testing.Short() {
		t.Skip("it builds and runs the program")
	}
	out, err := exec.Command("go", "run", ".").CombinedOutput()
	if err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	if got, want := string(out), "hello, gopher <nil>\n"; got != want {
		t.Errorf("it printed %q, want %q", got, want)
	}
}

// The first program is short: that is a promise.
func TestHelloIsShort(t *testing.T) {
	source, err := os.ReadFile("main.go")
	if err != nil {
		t.Fatal(err)
	}
	_, program, found := strings.Cut(string(source), "\npackage main\n")
	if !found {
		t.Fatal("main.go has no package clause")
	}
	if n := strings.Count(program, "\n"); n > 20 {
		t.Errorf("there are %d lines after the package clause, want at most 20", n)
	}
}
