package external

import "os/exec"

var (
	Absent = absent
	Parse  = parse
)

// Compile is program with a command.
func Compile(sources map[string]string, command string, args ...string) (string, error) {
	return program(sources, func(string) *exec.Cmd { return exec.Command(command, args...) })
}

// LibtroupeRuns reports whether the C library has the workload.
func LibtroupeRuns(workload string) bool { return Libtroupe.Runs[workload] != nil }
