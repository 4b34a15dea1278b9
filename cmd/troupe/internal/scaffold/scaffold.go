// Package scaffold writes programs to begin with.
package scaffold

import (
	"bytes"
	"embed"
	"errors"
	"fmt"
	"go/format"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"text/template"
)

// ErrInput is wrapped by errors about what the user has asked for.
var ErrInput = errors.New("wrong input")

// The kinds of programs.
const (
	Service  = "service"  // Answers HTTP requests.
	TCP      = "tcp"      // Serves connections, each by an actor.
	Pipeline = "pipeline" // A source, a pool of workers, a sink.
)

// Kinds are all kinds.
var Kinds = []string{Service, TCP, Pipeline}

// Config says what to write.
type Config struct {
	// Name is the folder to make, which must not exist. Its last element names the program.
	Name string
	// Module is the path of the new module. Defaults to the last element of Name.
	Module string
	// Kind is one of Kinds.
	Kind string
	// Version is which release of Troupe the module needs, such as v0.1.0.
	Version string
}

//go:embed templates
var templates embed.FS

// program is what the templates are given.
type program struct{ Name, Module, Kind, Version string }

var (
	goodName   = regexp.MustCompile(`^[a-z][a-z0-9]*([-_][a-z0-9]+)*$`)
	goodModule = regexp.MustCompile(`^[A-Za-z0-9._~-]+(/[A-Za-z0-9._~-]+)*$`)
)

// taken are names that mean something else to the go command.
var taken = []string{"all", "cmd", "std", "main", "test", "tool", "vendor", "internal", "testdata"}

const maxName = 64

// check returns the program that is asked for, or what is wrong with that.
func (c Config) check() (program, error) {
	name := filepath.Base(filepath.Clean(c.Name))
	p := program{name, c.Module, c.Kind, c.Version}
	if p.Module == "" {
		p.Module = name
	}
	switch {
	case c.Name == "":
		return p, fmt.Errorf("%w: the name is empty; give one such as shop", ErrInput)
	case len(name) > maxName || !goodName.MatchString(name):
		return p, fmt.Errorf("%w: %q is no good name for a program; use small letters and digits, with single hyphens between, %d at most, beginning with a letter",
			ErrInput, name, maxName)
	case slices.Contains(taken, name):
		return p, fmt.Errorf("%w: the name %q means something else to the go command; use another", ErrInput, name)
	case !goodModule.MatchString(p.Module):
		return p, fmt.Errorf("%w: %q is no path of a module; use one such as example.com/shop", ErrInput, p.Module)
	case !slices.Contains(Kinds, c.Kind):
		return p, fmt.Errorf("%w: the kind is %q; use one of %s", ErrInput, c.Kind, strings.Join(Kinds, ", "))
	}
	return p, nil
}

// Write writes the program into a new folder and returns the files that it has written, relative to that. If it
// fails, it leaves nothing behind.
func Write(c Config) (files []string, err error) {
	p, err := c.check()
	if err != nil {
		return nil, err
	}
	contents, err := p.render()
	if err != nil {
		return nil, err
	}
	if err := os.Mkdir(c.Name, 0o755); err != nil {
		switch {
		case errors.Is(err, fs.ErrExist):
			return nil, fmt.Errorf("%w: %s exists; choose another name, or remove it", ErrInput, c.Name)
		case errors.Is(err, fs.ErrNotExist):
			return nil, fmt.Errorf("%w: the folder %s does not exist; make it first", ErrInput, filepath.Dir(c.Name))
		}
		return nil, err
	}
	defer func() {
		if err != nil {
			err = errors.Join(err, os.RemoveAll(c.Name))
		}
	}()
	for name, content := range contents {
		if err := os.WriteFile(filepath.Join(c.Name, name), content, 0o644); err != nil {
			return nil, err
		}
		files = append(files, name)
	}
	slices.Sort(files)
	return files, nil
}

// render returns the files of the program.
func (p program) render() (map[string][]byte, error) {
	files := map[string][]byte{}
	for _, dir := range []string{"common", p.Kind} {
		all, err := fs.Glob(templates, path.Join("templates", dir, "*.tmpl"))
		if err != nil {
			return nil, err
		}
		for _, file := range all {
			t, err := template.ParseFS(templates, file)
			if err != nil {
				return nil, err
			}
			var out bytes.Buffer
			if err := t.Execute(&out, p); err != nil {
				return nil, err
			}
			content := out.Bytes()
			name := p.fileName(strings.TrimSuffix(path.Base(file), ".tmpl"))
			if path.Ext(name) == ".go" {
				if content, err = format.Source(content); err != nil {
					return nil, fmt.Errorf("%s: %w", name, err)
				}
			}
			files[name] = content
		}
	}
	return files, nil
}

// fileName is under which name the file of a template is written.
func (p program) fileName(name string) string {
	switch name {
	case "gitignore", "dockerignore":
		return "." + name
	case "unit.service":
		return p.Name + ".service"
	}
	return name
}
