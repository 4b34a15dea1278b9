package external

import (
	_ "embed" // The program.
	"os"
	"os/exec"
	"path/filepath"
	"strconv"

	"github.com/troupe-go/troupe/internal/bench/jobs"
	"github.com/troupe-go/troupe/internal/bench/suite"
)

//go:embed program/onetbb.cpp
var oneTBBSource string

// OneTBB is oneAPI Threading Building Blocks, the work-stealing library of C++.
var OneTBB = suite.Subject{
	Name:     "oneTBB",
	About:    "oneTBB of the machine, compiled by g++ -O2, one thread for each processor",
	Families: []suite.Family{suite.Jobs},
	Runs: map[string]suite.Func{
		jobs.ForkJoin:   oneTBB,
		jobs.Flat:       oneTBB,
		jobs.SpawnJoin:  oneTBB,
		jobs.OneFlooded: oneTBB,
	},
	Notes: map[string]string{
		"":                  "C++, whose tasks have no contexts, and no containment of panics but exceptions",
		jobs.ForkJoin:       "parallel_invoke",
		jobs.Flat:           "task_group",
		jobs.SpawnJoin:      "task_group",
		jobs.OneFlooded:     "a task_group in a task",
		jobs.StartIdle:      "a program of its own, which Go's clock can't look into",
		jobs.Queued:         "its memory can't be asked for",
		jobs.Yield:          "a task can't yield",
		"urgent-checkpoint": "it has priorities, but no checkpoints",
	},
	Absent: func() string {
		for _, header := range []string{"/usr/include", "/usr/local/include", "/opt/homebrew/include"} {
			if _, err := os.Stat(filepath.Join(header, "oneapi/tbb.h")); err == nil {
				return absent("g++", "g++")()
			}
		}
		return "there is no oneTBB here (on Debian: apt-get install g++ libtbb-dev)"
	},
}

func oneTBB(r *suite.Run) (int64, error) {
	dir, err := program(map[string]string{"onetbb.cpp": oneTBBSource}, func(string) *exec.Cmd {
		return exec.Command("g++", "-O2", "-std=c++17", "-o", "onetbb", "onetbb.cpp", "-ltbb")
	})
	if err != nil {
		return 0, err
	}
	return run(r, exec.Command(filepath.Join(dir, "onetbb"), r.Workload.Name, strconv.Itoa(r.N), strconv.Itoa(r.Size)))
}
