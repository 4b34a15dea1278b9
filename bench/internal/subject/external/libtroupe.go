package external

import (
	"crypto/sha256"
	_ "embed" // The program.
	"encoding/hex"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"sync"

	"github.com/troupe-go/troupe/bench/internal/workload"
	"github.com/troupe-go/troupe/internal/bench/suite"
)

//go:embed program/troupe_bench.c
var libtroupeSource string

// Libtroupe is this project's C library, with processes that have a stack.
var Libtroupe = suite.Subject{
	Name:     "libtroupe",
	About:    "this project's C library, static, gcc -O2: processes with stacks of 64 KB; a program that measures by its own clock",
	Families: []suite.Family{suite.Actors},
	Runs: libtroupeRuns("stack", workload.PingPong, workload.Tell, workload.Tell4, workload.Ring, workload.Spawn, workload.SpawnNew,
		workload.Check, workload.CheckCall),
	Notes: map[string]string{
		"":                "unbounded mailboxes; messages are copied; requests to the Go code are not gathered, so each is a batch of 1",
		workload.PingPong: "a batch of 1: each receive finds one message",
		workload.Ring:     "a batch of 1: each receive finds one message",
		workload.Tell: "a process sends; the receiver takes all that waits at once, so the batch is what comes during its turn, " +
			"and its turn is 4,000 messages at most",
		workload.Tell4:     "four processes send; batches as in tell",
		workload.Spawn:     "a process starts the others, in batches of 10,000; the ends of a batch are awaited, unmeasured",
		workload.SpawnNew:  "a process starts the others, in one batch",
		workload.Check:     "TROUPE_CHECK_AT, inline; 4,000 checks a turn",
		workload.CheckCall: "troupe_check of the static library; 4,000 checks a turn",
	},
	Absent: libtroupeAbsent,
}

// LibtroupeLight is the same with light processes.
var LibtroupeLight = suite.Subject{
	Name:     "libtroupe-light",
	About:    "the same with light processes: a function that is called for each message",
	Families: []suite.Family{suite.Actors},
	Runs:     libtroupeRuns("light", workload.PingPong, workload.Tell, workload.Tell4, workload.Ring, workload.Spawn, workload.SpawnNew),
	Notes: map[string]string{
		"":                 "the process that measures, and those that send in tell and tell4, have a stack; batches as with libtroupe",
		workload.Check:     "it checks as libtroupe does",
		workload.CheckCall: "it checks as libtroupe does",
	},
	Absent: libtroupeAbsent,
}

func libtroupeRuns(kind string, names ...string) map[string]suite.Func {
	runs := map[string]suite.Func{}
	for _, name := range names {
		runs[name] = func(r *suite.Run) (int64, error) {
			dir, err := libtroupe()
			if err != nil {
				return 0, err
			}
			return run(r, exec.Command(filepath.Join(dir, "troupe_bench"), kind, name, strconv.Itoa(r.N), strconv.Itoa(r.Size)))
		}
	}
	return runs
}

// libtroupe builds the library and the program, once for each version of the two.
func libtroupe() (dir string, err error) {
	source, err := libtroupeFolder()
	if err != nil {
		return "", err
	}
	version, err := versionOf(source, filepath.Join(source, "..", "internal"))
	if err != nil {
		return "", err
	}
	return program(map[string]string{"troupe_bench.c": libtroupeSource, "version": version}, func(string) *exec.Cmd {
		return exec.Command("sh", "-c", `"$0" . static && gcc -O2 -I. -o troupe_bench troupe_bench.c libtroupe.a -lpthread`,
			filepath.Join(source, "build.sh"))
	})
}

// versionOf returns a sum of the sources in some folders.
func versionOf(folders ...string) (string, error) {
	sum := sha256.New()
	for _, folder := range folders {
		err := filepath.WalkDir(folder, func(path string, entry fs.DirEntry, err error) error {
			if err != nil || entry.IsDir() || strings.HasSuffix(path, "_test.go") {
				return err
			}
			switch filepath.Ext(path) {
			case ".go", ".c", ".h", ".s", ".sh":
				text, err := os.ReadFile(path)
				_, _ = fmt.Fprintf(sum, "%s %d\n%s", path, len(text), text) // A sum takes everything.
				return err
			}
			return nil
		})
		if err != nil {
			return "", err
		}
	}
	return hex.EncodeToString(sum.Sum(nil)), nil
}

// libtroupeFolder returns the folder with the sources of the library. Only a checkout of the project has it.
var libtroupeFolder = sync.OnceValues(func() (string, error) {
	out, err := exec.Command("go", "list", "-m", "-f", "{{.Dir}}", "github.com/troupe-go/troupe/libtroupe").Output()
	dir := strings.TrimSpace(string(out))
	if err != nil || dir == "" {
		return "", errors.Join(errors.New("no sources of libtroupe here; run this in the folder bench of a checkout"), err)
	}
	return dir, nil
})

func libtroupeAbsent() string {
	if why := absent("gcc libc6-dev", "gcc")(); why != "" {
		return why
	}
	if _, err := libtroupeFolder(); err != nil {
		return "there are no sources of libtroupe here; run this in the folder bench of a checkout"
	}
	return ""
}
