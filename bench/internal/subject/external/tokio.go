package external

import (
	_ "embed" // The program.
	"os/exec"
	"path/filepath"
	"strconv"

	"github.com/troupe-go/troupe/bench/internal/workload"
	"github.com/troupe-go/troupe/internal/bench/suite"
)

var (
	//go:embed program/tokio/main.rs
	tokioSource string
	//go:embed program/tokio/Cargo.toml
	tokioManifest string
)

// crates is where Debian's packages of Rust libraries are.
const crates = "/usr/share/cargo/registry"

// Tokio is the run-time of asynchronous Rust.
var Tokio = suite.Subject{
	Name:     "tokio",
	About:    "Tokio of Debian's librust-tokio-dev, multi-threaded, compiled for release; it measures by its own clock",
	Families: []suite.Family{suite.Actors},
	Runs: tokioRuns(
		workload.PingPong, workload.Tell, workload.Tell4, workload.Ring, workload.Spawn, workload.SpawnNew,
	),
	Notes: map[string]string{
		"":                 "a task and an unbounded channel for each process; tasks have no stack, and are not preempted",
		workload.Tell:      "the sender never yields",
		workload.Check:     "its consume_budget is unstable in Debian's version, 1.24",
		workload.CheckCall: "its consume_budget is unstable in Debian's version, 1.24",
	},
	Absent: func() string {
		const install = "librust-tokio-dev cargo"
		if why := absent(install, "cargo", "rustc")(); why != "" {
			return why
		}
		if there, err := filepath.Glob(filepath.Join(crates, "tokio-1.*")); err != nil || len(there) == 0 {
			return "there is no Tokio here (on Debian: apt-get install " + install + ")"
		}
		return ""
	},
}

func tokioRuns(names ...string) map[string]suite.Func {
	runs := map[string]suite.Func{}
	for _, name := range names {
		runs[name] = func(r *suite.Run) (int64, error) {
			dir, err := program(map[string]string{"Cargo.toml": tokioManifest, "main.rs": tokioSource}, func(string) *exec.Cmd {
				return exec.Command("cargo", "build", "--release", "--offline", "--quiet",
					"--config", `source.crates-io.replace-with="debian"`, "--config", `source.debian.directory="`+crates+`"`)
			})
			if err != nil {
				return 0, err
			}
			return run(r, exec.Command(filepath.Join(dir, "target/release/tokio_bench"), name, strconv.Itoa(r.N), strconv.Itoa(r.Size)))
		}
	}
	return runs
}
