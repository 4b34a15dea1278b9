package main

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
)

// listed is what the go command says of a package.
type listed struct {
	ImportPath     string
	Dir            string
	Export         string // The file with the package's export data.
	GoFiles        []string
	CgoFiles       []string
	IgnoredGoFiles []string // For other systems or other build tags; tests are among them.
	DepOnly        bool     // Not of this module: needed to compile it.
}

// listedFields are the fields of listed, as the go command wants them.
const listedFields = "-json=ImportPath,Dir,Export,GoFiles,CgoFiles,IgnoredGoFiles,DepOnly"

// sources returns the names of the package's source files for all systems.
func (l *listed) sources() []string {
	names := append(append([]string(nil), l.GoFiles...), l.CgoFiles...)
	for _, name := range l.IgnoredGoFiles {
		if !strings.HasSuffix(name, "_test.go") {
			names = append(names, name)
		}
	}
	return names
}

// skipped reports whether a folder holds nothing that is counted: the go command skips the
// same ones.
func skipped(name string) bool {
	return name == "testdata" || strings.HasPrefix(name, "_") || strings.HasPrefix(name, ".") && name != "."
}

// walk calls do with the path of each file below root, relative to root.
func walk(root string, do func(path string) error) error {
	return fs.WalkDir(os.DirFS(root), ".", func(path string, entry fs.DirEntry, err error) error {
		switch {
		case err != nil:
			return err
		case !entry.IsDir():
			return do(path)
		case skipped(entry.Name()):
			return fs.SkipDir
		}
		return nil
	})
}

// modules returns the folders below root that hold a go.mod.
func modules(root string) (dirs []string, err error) {
	err = walk(root, func(path string) error {
		if filepath.Base(path) == "go.mod" {
			dirs = append(dirs, filepath.Join(root, filepath.Dir(path)))
		}
		return nil
	})
	if err == nil && len(dirs) == 0 {
		err = fmt.Errorf("no go.mod in %s or below it", root)
	}
	return dirs, err
}

// list asks the go command for the packages of the module in dir and for the packages that they
// need. It lists for Linux on amd64 because the figures are to be the same on every machine. The go
// command compiles packages that have changed: the type checker reads their export data.
func list(dir string) ([]*listed, error) {
	cmd := exec.Command("go", "list", "-export", "-deps", listedFields, "./...")
	cmd.Dir = dir
	cmd.Env = append(os.Environ(), "GOOS=linux", "GOARCH=amd64")
	var stderr bytes.Buffer
	cmd.Stderr = &stderr
	out, err := cmd.Output()
	if err != nil {
		return nil, fmt.Errorf("go list in %s: %w\n%s", dir, err, stderr.String())
	}
	return decode(bytes.NewReader(out))
}

func decode(in io.Reader) (packages []*listed, err error) {
	for d := json.NewDecoder(in); ; {
		p := new(listed)
		if err := d.Decode(p); errors.Is(err, io.EOF) {
			return packages, nil
		} else if err != nil {
			return nil, fmt.Errorf("output of go list: %w", err)
		}
		packages = append(packages, p)
	}
}
