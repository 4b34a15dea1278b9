package main_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	main "github.com/troupe-go/troupe/internal/house"
)

// measure returns the figures of the project in testdata.
func measure(t *testing.T, root string) map[string]int {
	t.Helper()
	t.Setenv("GOWORK", "") // The go.work of the project counts.
	figures, err := main.Figures(root)
	if err != nil {
		t.Fatal(err)
	}
	return figures
}

func TestFigures(t *testing.T) {
	figures := measure(t, "testdata/project")
	for name, want := range map[string]int{
		"ring files":          6, // The file for Windows counts, the test does not.
		"ring lines":          9 + 5 + 5 + 4 + 3 + 3,
		"ring median":         5,
		"ring circle":         3,  // Neither d, which none refers to, nor the file for Windows.
		"ring references x10": 12, // 6 from 5 files.
		"ring methods":        3,  // Of first: next, a and fromOutside.

		"wide files":          3, // Not the test for Windows.
		"wide methods":        4, // one, two, three, onSystem.
		"wide.wide methods":   4,
		"wide.wide files":     3,
		"wide.wide fields":    3, // Without padding.
		"wide.narrow methods": 1,
		"wide.pair methods":   2,
		"wide circle":         0, // The files for systems refer to the type, which refers to none.

		"door top":      7,
		"door exported": 9, // Door.Close and hinge.Open.

		"suburb/far files":    1, // In a module of its own.
		"suburb/far exported": 1,
	} {
		if got, ok := figures[name]; !ok || got != want {
			t.Errorf("%s: %d, want %d", name, got, want)
		}
	}
	if _, ok := figures["internal/house files"]; ok {
		t.Error("a folder without Go files is a package")
	}
}

func TestLongFiles(t *testing.T) {
	root := t.TempDir()
	write(t, root, "go.mod", "module example.com/long\n\ngo 1.26\n")
	write(t, root, "a500.go", "package long\n"+strings.Repeat("\n", 499))
	write(t, root, "b501.go", "package long\n"+strings.Repeat("\n", 499)+"var x int")
	write(t, root, "c801.go", "package long\n"+strings.Repeat("\n", 800))
	figures := measure(t, root)
	for name, want := range map[string]int{". over500": 2, ". over800": 1, ". lines": 1802} {
		if figures[name] != want {
			t.Errorf("%s: %d, want %d", name, figures[name], want)
		}
	}
}

func TestCodeThatDoesNotCompileIsAnError(t *testing.T) {
	root := t.TempDir()
	write(t, root, "go.mod", "module example.com/broken\n\ngo 1.26\n")
	write(t, root, "broken.go", "package broken\n\nvar x undefined\n")
	if figures, err := main.Figures(root); err == nil || !strings.Contains(err.Error(), "undefined") {
		t.Errorf("%v, %v", figures, err)
	}
	if _, err := main.Figures(t.TempDir()); err == nil || !strings.Contains(err.Error(), "no go.mod") {
		t.Errorf("without a module: %v", err)
	}
}

func write(t *testing.T, dir, name, text string) {
	t.Helper()
	file := filepath.Join(dir, name)
	if err := os.MkdirAll(filepath.Dir(file), 0o777); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(file, []byte(text), 0o666); err != nil {
		t.Fatal(err)
	}
}
