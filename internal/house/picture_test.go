package main_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
)

const architecture = `# Architecture

<!-- The picture below is drawn by go run ./internal/house -draw. -->
<!-- The picture ends here. -->

A ` + "`first`" + ` of ` + "`ring`" + ` has ` + "`first.inB`" + `, as ` + "`door.Same`" + ` says; ` + "`go test -v`" + ` is no name.
`

// The picture has an arrow for each import that other arrows do not show. It is compared until it is drawn again.
func TestPictureIsComparedWithTheImports(t *testing.T) {
	root := project(t)
	page := filepath.Join(root, "ARCHITECTURE.md")
	write(t, root, "ARCHITECTURE.md", architecture)
	write(t, root, "top/top.go", "package top\n\nimport (\n\t_ \"example.com/project/door\"\n\t_ \"example.com/project/internal/used\"\n\t_ \"example.com/project/ring\"\n)\n")
	write(t, root, "internal/used/used.go", "package used\n")
	write(t, root, "internal/unused/unused.go", "package unused\n\nimport _ \"example.com/project/internal/also\"\n")
	write(t, root, "internal/also/also.go", "package also\n")
	const stale = "ARCHITECTURE.md shows other arrows than the imports: run go run ./internal/house -draw."
	if status, out := house(t, "-root", root); status != 1 || !strings.Contains(out, stale) {
		t.Errorf("without a picture: status %d:\n%s", status, out)
	}
	if status, out := house(t, "-root", root, "-draw"); status != 0 {
		t.Errorf("draw: status %d:\n%s", status, out)
	}
	if status, out := house(t, "-root", root); status != 0 {
		t.Errorf("after it is drawn: status %d:\n%s", status, out)
	}
	text, err := os.ReadFile(page)
	if err != nil {
		t.Fatal(err)
	}
	for _, want := range []string{
		"  ring --> door\n",
		"  top --> internal_used & ring\n", // And door by way of ring.
		"  internal_used[\"internal/used\"]\n",
		"\n  wide\n",
	} {
		if !strings.Contains(string(text), want) {
			t.Errorf("no %q in:\n%s", want, text)
		}
	}
	for _, room := range []string{"unused", "also"} {
		if strings.Contains(string(text), room) {
			t.Errorf("%s, which serves nobody, is in:\n%s", room, text)
		}
	}
	write(t, root, "door/more.go", "package door\n\nimport _ \"example.com/project/internal/used\"\n")
	if status, out := house(t, "-root", root); status != 1 || !strings.Contains(out, stale) {
		t.Errorf("after another import: status %d:\n%s", status, out)
	}
}

func TestNamesOfTheArchitectureAreDeclared(t *testing.T) {
	root := project(t)
	write(t, root, "ARCHITECTURE.md", architecture)
	if status, out := house(t, "-root", root, "-draw"); status != 0 {
		t.Fatalf("status %d:\n%s", status, out)
	}
	write(t, root, "ARCHITECTURE.md", architecture+"But `first.inC` is not, nor `nobody` or `door.Other`.\n")
	status, out := house(t, "-root", root, "-draw")
	for _, name := range []string{"first.inC", "nobody", "door.Other"} {
		if want := "ARCHITECTURE.md names " + name + ", which is declared nowhere: was it renamed?"; !strings.Contains(out, want) {
			t.Errorf("no %q in:\n%s", want, out)
		}
	}
	if n := strings.Count(out, "declared nowhere"); status != 1 || n != 3 {
		t.Errorf("status %d, %d names:\n%s", status, n, out)
	}
}

func TestArchitectureWithoutPlaceForItsPicture(t *testing.T) {
	root := project(t)
	write(t, root, "ARCHITECTURE.md", "# Architecture\n")
	if status, out := house(t, "-root", root); status != 2 || !strings.Contains(out, "has no place for its picture") {
		t.Errorf("status %d: %s", status, out)
	}
}
