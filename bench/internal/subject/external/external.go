// Package external has the subjects that are not Go: they run as programs of
// their own, whose source is embedded here, where the machine has what they
// need. Such a program measures by itself, so that its start counts for nothing,
// and prints what it has found.
package external

import (
	"bufio"
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/troupe-go/troupe/internal/bench/suite"
)

// absent returns a function for Subject.Absent: all these commands are needed.
func absent(install string, commands ...string) func() string {
	return func() string {
		for _, c := range commands {
			if _, err := exec.LookPath(c); err != nil {
				return fmt.Sprintf("there is no %s here (on Debian: apt-get install %s)", c, install)
			}
		}
		return ""
	}
}

// program is what compile makes of sources, in a folder that is kept: it is
// made once for each version of the sources. The command of compile runs in that folder.
func program(sources map[string]string, compile func(dir string) *exec.Cmd) (dir string, err error) {
	dir = filepath.Join(os.TempDir(), fmt.Sprintf("troupe-bench-%d-%s", os.Getuid(), digest(sources)))
	if _, err := os.Stat(dir); err == nil {
		return dir, nil
	}
	// Made under another name, so that nobody finds a half of it.
	made, err := os.MkdirTemp("", "troupe-bench-")
	if err != nil {
		return "", err
	}
	defer func() { err = errors.Join(err, os.RemoveAll(made)) }()
	for name, text := range sources {
		if err := os.WriteFile(filepath.Join(made, name), []byte(text), 0o600); err != nil {
			return "", err
		}
	}
	cmd := compile(made)
	cmd.Dir = made
	if out, err := cmd.CombinedOutput(); err != nil {
		return "", fmt.Errorf("%s: %w\n%s", cmd, err, out)
	}
	if err := os.Rename(made, dir); err != nil {
		if _, there := os.Stat(dir); there == nil {
			return dir, nil // Another run was first.
		}
		return "", err
	}
	return dir, nil
}

func digest(sources map[string]string) string {
	sum := sha256.New()
	for _, name := range slices.Sorted(maps.Keys(sources)) {
		_, _ = fmt.Fprintf(sum, "%s %d\n%s", name, len(sources[name]), sources[name]) // A sum takes everything.
	}
	return hex.EncodeToString(sum.Sum(nil)[:8])
}

// run starts a command and takes its findings for a result of r. The command
// ends when its standard input does, as it does if this process is killed.
func run(r *suite.Run, cmd *exec.Cmd) (int64, error) {
	var stderr bytes.Buffer
	cmd.Stderr = &stderr
	input, err := cmd.StdinPipe()
	if err != nil {
		return 0, err
	}
	out, err := cmd.Output()
	_ = input.Close() // Mostly closed by Output.
	if err != nil {
		return 0, fmt.Errorf("%s: %w\n%s%s", cmd, err, out, stderr.String())
	}
	return parse(r, string(out))
}

// parse reads lines of a word and a number: "result 12", "elapsed 1500" and
// "sample 700" in nanoseconds, "grew 4096" in bytes.
func parse(r *suite.Run, out string) (result int64, err error) {
	there := false
	lines := bufio.NewScanner(strings.NewReader(out))
	for lines.Scan() {
		word, number, _ := strings.Cut(lines.Text(), " ")
		n, err := strconv.ParseInt(number, 10, 64)
		if err != nil {
			return 0, fmt.Errorf("it printed %q: %w", lines.Text(), err)
		}
		switch word {
		case "result":
			result, there = n, true
		case "elapsed":
			r.Took(time.Duration(n))
		case "sample":
			r.Sample(time.Duration(n))
		case "grew":
			r.Grew(uint64(max(n, 0)))
		default:
			return 0, fmt.Errorf("it printed %q", lines.Text())
		}
	}
	if !there {
		return 0, errors.New("it printed no result")
	}
	return result, lines.Err()
}
