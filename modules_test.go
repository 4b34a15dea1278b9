package troupe_test

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

// The price of importing Troupe. docs/decisions/0060-modules.md says why it matters.
const (
	maxModules = 4 // Of its module graph: itself, Troupe, x/sys, and rapid for our tests.
	maxSums    = 6 // Lines in the go.sum of Troupe.
)

// goCommand runs the go command in a folder, without go.work as for a user, and returns what it prints.
func goCommand(dir string, args ...string) (string, error) {
	cmd := exec.Command("go", args...)
	var stderr bytes.Buffer
	cmd.Dir, cmd.Stderr = dir, &stderr
	cmd.Env = append(os.Environ(), "GOWORK=off")
	out, err := cmd.Output()
	if err != nil {
		err = fmt.Errorf("go %s: %w\n%s", strings.Join(args, " "), err, &stderr)
	}
	return string(out), err
}

func TestPackagesNeedNothingButSys(t *testing.T) {
	out, err := goCommand(".", "list", "-deps", "-f", "{{with .Module}}{{.Path}}{{end}}", "./...")
	if err != nil {
		t.Fatal(err)
	}
	modules := slices.Compact(slices.Sorted(slices.Values(strings.Fields(out))))
	if want := []string{"github.com/troupe-go/troupe", "golang.org/x/sys"}; !slices.Equal(modules, want) {
		t.Errorf("the packages are from %v, want %v", modules, want)
	}
}

func TestSmallModuleGraph(t *testing.T) {
	root, err := os.Getwd()
	if err != nil {
		t.Fatal(err)
	}
	const program = "package main\n\nimport (\n_ \"github.com/troupe-go/troupe/actor\"\n" +
		"_ \"github.com/troupe-go/troupe/supervise\"\n_ \"github.com/troupe-go/troupe/journal/memory\"\n)\n\nfunc main() {}\n"
	const module = "module example.com/program\n\ngo 1.26.0\n\nrequire github.com/troupe-go/troupe v0.0.0\n\n" +
		"replace github.com/troupe-go/troupe => %q\n"
	dir := t.TempDir()
	write(t, dir, map[string]string{"main.go": program, "go.mod": fmt.Sprintf(module, root)})
	out, err := goCommand(dir, "list", "-mod=mod", "-m", "all")
	if err != nil {
		t.Fatal(err)
	}
	if n := strings.Count(out, "\n"); n > maxModules {
		t.Errorf("a program that imports actor, supervise and journal/memory has %d modules, want at most %d:\n%s", n, maxModules, out)
	}
	sums, err := os.ReadFile("go.sum")
	if err != nil {
		t.Fatal(err)
	}
	if n := bytes.Count(sums, []byte("\n")); n > maxSums {
		t.Errorf("go.sum has %d lines, want at most %d", n, maxSums)
	}
}

func TestModulesOfTheRepository(t *testing.T) {
	if err := checkModules("."); err != nil {
		t.Error(err)
	}
}

func TestBrokenModulesAreReported(t *testing.T) {
	const (
		work   = "go 1.26.0\n\nuse (\n\t.\n\t./a\n\t./a/b\n)\n"
		root   = "module example.com/m\n"
		nested = "module example.com/m/a\n\nrequire example.com/m v0.1.0\n"
		deep   = "module example.com/m/a/b\n\nrequire example.com/m v0.1.0\n"
	)
	for name, tc := range map[string]struct{ file, text, want string }{
		"sound":       {"go.work", work, ""},
		"replace":     {"a/go.mod", nested + "\nreplace example.com/m => ..\n", "a/go.mod replaces"},
		"not in work": {"c/go.mod", "module example.com/m/c\n", "c is not in go.work"},
		"other name":  {"a/go.mod", "module example.com/m/z\n", "a has the module example.com/m/z"},
		"versions":    {"a/go.mod", "module example.com/m/a\n\nrequire example.com/m v0.2.0\n", "[v0.1.0 v0.2.0]"},
	} {
		t.Run(name, func(t *testing.T) {
			dir := t.TempDir()
			write(t, dir, map[string]string{"go.work": work, "go.mod": root, "a/go.mod": nested, "a/b/go.mod": deep})
			write(t, dir, map[string]string{tc.file: tc.text})
			err := checkModules(dir)
			if tc.want == "" {
				if err != nil {
					t.Errorf("sound modules are reported: %v", err)
				}
				return
			}
			if err == nil || !strings.Contains(err.Error(), tc.want) {
				t.Errorf("got %v, want an error with %q", err, tc.want)
			}
		})
	}
}

func write(t *testing.T, dir string, files map[string]string) {
	t.Helper()
	for name, text := range files {
		name = filepath.Join(dir, name)
		if err := errors.Join(os.MkdirAll(filepath.Dir(name), 0o755), os.WriteFile(name, []byte(text), 0o644)); err != nil {
			t.Fatal(err)
		}
	}
}

// goMod is a go.mod file as `go mod edit -json` prints it, goWork a go.work file.
type (
	goMod struct {
		Module  struct{ Path string }
		Require []struct{ Path, Version string }
		Replace []struct{ Old struct{ Path string } }
	}
	goWork struct {
		Use []struct{ DiskPath string }
	}
)

// checkModules checks the modules below dir: each is in go.work, is named after its folder, by which it has a tag of
// its own, and replaces nothing, as no module can that others are to install. They require each other at one version.
func checkModules(dir string) error {
	var work goWork
	if err := parse(dir, &work, "work", "edit", "-json", "go.work"); err != nil {
		return err
	}
	modules, problems := findModules(dir)
	root, versions := modules["."].Module.Path, map[string]bool{}
	for folder, m := range modules {
		if !slices.ContainsFunc(work.Use, func(use struct{ DiskPath string }) bool { return filepath.Clean(use.DiskPath) == folder }) {
			problems = errors.Join(problems, fmt.Errorf("%s is not in go.work", folder))
		}
		if want := strings.TrimSuffix(root+"/"+filepath.ToSlash(folder), "/."); m.Module.Path != want {
			problems = errors.Join(problems, fmt.Errorf("%s has the module %s, want %s", folder, m.Module.Path, want))
		}
		for _, r := range m.Replace {
			problems = errors.Join(problems, fmt.Errorf("%s/go.mod replaces %s", folder, r.Old.Path))
		}
		for _, r := range m.Require {
			if r.Path == root || strings.HasPrefix(r.Path, root+"/") {
				versions[r.Version] = true
			}
		}
	}
	if len(versions) > 1 {
		problems = errors.Join(problems, fmt.Errorf("the modules require each other at %v", slices.Sorted(maps.Keys(versions))))
	}
	return problems
}

// findModules parses each go.mod below dir, hidden folders and test data excepted.
func findModules(dir string) (modules map[string]goMod, err error) {
	modules = map[string]goMod{}
	return modules, fs.WalkDir(os.DirFS(dir), ".", func(name string, entry fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		if entry.IsDir() && name != "." && (entry.Name()[0] == '.' || entry.Name() == "testdata") {
			return fs.SkipDir
		}
		if entry.Name() != "go.mod" {
			return nil
		}
		var m goMod
		err = parse(dir, &m, "mod", "edit", "-json", name)
		modules[filepath.Dir(name)] = m
		return err
	})
}

// parse has the go command print a file as JSON.
func parse(dir string, file any, args ...string) error {
	out, err := goCommand(dir, args...)
	if err != nil {
		return err
	}
	return json.Unmarshal([]byte(out), file)
}
