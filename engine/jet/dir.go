package jet

import (
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
)

// Errors of a directory.
var (
	// ErrForeign is returned by Open for a directory with files of something else.
	ErrForeign = errors.New("the directory is not one of Troupe")
	// ErrOtherStore is returned by Open for a directory that was made for another cluster
	// or node, or alone.
	ErrOtherStore = errors.New("the directory belongs to another store")
	// ErrInUse is returned by Open for a directory that another engine has open.
	ErrInUse = errors.New("the directory is in use")
)

// markerName is the file that says what a directory is for.
const markerName = "troupe.json"

// marker is what the file has.
type marker struct {
	Format  int    `json:"format"`
	Cluster string `json:"cluster,omitempty"` // Empty for a store that was made alone.
	Node    string `json:"node,omitempty"`
}

func (m marker) String() string {
	if m.Cluster == "" {
		return "a store that was made alone"
	}
	return fmt.Sprintf("node %q of cluster %q", m.Node, m.Cluster)
}

// claim checks that the directory may be used, marks it as one of want, and locks it.
func claim(dir string, want marker) (unlock func() error, err error) {
	if err := os.MkdirAll(dir, 0o700); err != nil {
		return nil, fmt.Errorf("jet: Config.Dir: %w; choose a directory that this user may write", err)
	}
	if err := checkContents(dir); err != nil {
		return nil, err
	}
	unlock, err = lock(filepath.Join(dir, "lock"))
	if err != nil {
		return nil, fmt.Errorf("jet: the directory %q: %w: %w; stop the other program, or choose another directory", dir, ErrInUse, err)
	}
	if err := mark(dir, want); err != nil {
		return nil, errors.Join(err, unlock())
	}
	return unlock, nil
}

// checkContents returns an error unless the directory is marked or empty.
func checkContents(dir string) error {
	entries, err := os.ReadDir(dir)
	if err != nil {
		return fmt.Errorf("jet: Config.Dir: %w", err)
	}
	for _, e := range entries {
		if e.Name() == markerName {
			return nil
		}
	}
	for _, e := range entries {
		if e.Name() != "lock" {
			return fmt.Errorf("jet: %w: %q has no %s, and has %q; choose an empty directory", ErrForeign, dir, markerName, e.Name())
		}
	}
	return nil
}

// mark writes the marker, or compares it.
func mark(dir string, want marker) error {
	name := filepath.Join(dir, markerName)
	text, err := os.ReadFile(name)
	if errors.Is(err, fs.ErrNotExist) {
		return writeMarker(name, want)
	}
	if err != nil {
		return fmt.Errorf("jet: %w", err)
	}
	var is marker
	if err := json.Unmarshal(text, &is); err != nil {
		return fmt.Errorf("jet: %w: %q: %w; restore the file, or choose an empty directory", ErrForeign, name, err)
	}
	if is.Format != want.Format {
		return fmt.Errorf("jet: %q has the format %d, and this release knows %d; use the release that has written it", name, is.Format, want.Format)
	}
	if is == want {
		return nil
	}
	advice := "choose another directory"
	if is.Cluster == "" {
		advice = "JetStream would delete its streams in a cluster; choose an empty directory, or copy it by `troupe cluster adopt`"
	}
	return fmt.Errorf("jet: %w: %q is of %v, and is opened as %v; %s", ErrOtherStore, dir, is, want, advice)
}

// writeMarker writes the file, whole or not at all.
func writeMarker(name string, m marker) error {
	text, err := json.Marshal(m)
	if err != nil {
		return err
	}
	temp := name + ".new"
	f, err := os.OpenFile(temp, os.O_CREATE|os.O_TRUNC|os.O_WRONLY, 0o600)
	if err != nil {
		return fmt.Errorf("jet: %w", err)
	}
	_, err = f.Write(append(text, '\n'))
	if err = errors.Join(err, f.Sync(), f.Close()); err == nil {
		err = os.Rename(temp, name)
	}
	if err != nil {
		return fmt.Errorf("jet: the marker of the directory: %w", errors.Join(err, os.Remove(temp)))
	}
	return nil
}
