package main_test

import (
	"bytes"
	"os"
	"path/filepath"
	"strings"
	"testing"

	main "github.com/troupe-go/troupe/internal/house"
)

// project is a copy of the project in testdata.
func project(t *testing.T) string {
	t.Helper()
	t.Setenv("GOWORK", "")
	root := t.TempDir()
	if err := os.CopyFS(root, os.DirFS("testdata/project")); err != nil {
		t.Fatal(err)
	}
	return root
}

// house runs a command line and returns its exit status and output.
func house(t *testing.T, args ...string) (status int, output string) {
	t.Helper()
	var out bytes.Buffer
	status = main.Run(args, &out, &out)
	return status, out.String()
}

func TestFiguresWithinTheirBoundsPass(t *testing.T) {
	status, out := house(t, "-root", project(t))
	if status != 0 || strings.Contains(out, "WORSE") {
		t.Errorf("status %d:\n%s", status, out)
	}
	for _, want := range []string{
		"\n      6     29       5     0     0   1.2       3        3    0         0  ring (first)\n",
		"\n  README.md:3: Whoever reads this is stilted. [who]\n",
		"\nStilted sentences: 1 of 18, who 1\n",
		"\nFiles over 500 lines:\n  none\n",
		"\nNo figure is worse than its bound.\n",
	} {
		if !strings.Contains(out, want) {
			t.Errorf("no %q in:\n%s", want, out)
		}
	}
}

func TestWorseFiguresFail(t *testing.T) {
	root := project(t)
	write(t, root, "ring/f.go", "package ring\n\n// Whoever sees f is in d.\nfunc f() int { return d() }\n")
	write(t, root, "ring/d.go", "package ring\n\nfunc d() int { return a(nil) + f() + system() + fromOutside(nil) + (*first)(nil).next(nil) }\n")
	write(t, root, "ring/c.go", "package ring\n\ntype list[T any] struct{ all []T }\n\nfunc (l *list[T]) length() int { return d() }\n")
	status, out := house(t, "-root", root)
	for _, want := range []string{
		"WORSE: project stilted: 2, 1 over its bound of 1: write",
		"WORSE: ring circle: 5, 2 over its bound of 3: cut",
		"WORSE: ring files: 7, 1 over its bound of 6: move",
	} {
		if !strings.Contains(out, want) {
			t.Errorf("no %q", want)
		}
	}
	if status != 1 || t.Failed() {
		t.Errorf("status %d:\n%s", status, out)
	}
}

func TestPackageWithoutLineHasDefaults(t *testing.T) {
	root := project(t)
	file := filepath.Join(root, "internal/house/bounds.txt")
	text, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	write(t, root, "internal/house/bounds.txt", strings.Replace(string(text), "default top 7", "default top 6", 1))
	status, out := house(t, "-root", root)
	if status != 1 || !strings.Contains(out, "WORSE: door top: 7, 1 over its default bound of 6: ") {
		t.Errorf("status %d:\n%s", status, out)
	}
}

func TestTightenRewritesTheBounds(t *testing.T) {
	root := project(t)
	write(t, root, "README.md", "Plain.\n")
	status, out := house(t, "-root", root)
	if status != 0 || !strings.Contains(out, "Bounds that can be lowered: 1.") {
		t.Errorf("before: status %d:\n%s", status, out)
	}
	if status, out = house(t, "-root", root, "-tighten"); status != 0 {
		t.Fatalf("status %d:\n%s", status, out)
	}
	text, err := os.ReadFile(filepath.Join(root, "internal/house/bounds.txt"))
	if err != nil || !strings.Contains(string(text), "project stilted 0\nring circle 3 # a, b, c\n") {
		t.Errorf("%v:\n%s", err, text)
	}
	status, out = house(t, "-root", root)
	if status != 0 || strings.Contains(out, "can be lowered") {
		t.Errorf("after: status %d:\n%s", status, out)
	}
}

func TestIncomparableInputExitsWithStatus2(t *testing.T) {
	root := project(t)
	if err := os.Remove(filepath.Join(root, "internal/house/prose.txt")); err != nil {
		t.Fatal(err)
	}
	if status, out := house(t, "-root", root); status != 2 || !strings.Contains(out, "prose.txt") {
		t.Errorf("without patterns: status %d: %s", status, out)
	}
	write(t, root, "internal/house/prose.txt", "who (\n")
	if status, out := house(t, "-root", root); status != 2 || !strings.Contains(out, "prose.txt: line 1: ") {
		t.Errorf("with a bad pattern: status %d: %s", status, out)
	}
	if status, _ := house(t, "-unknown"); status != 2 {
		t.Errorf("with an unknown flag: status %d", status)
	}
}
