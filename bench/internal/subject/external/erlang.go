package external

import (
	_ "embed" // The program.
	"os/exec"
	"strconv"
	"strings"

	"github.com/troupe-go/troupe/bench/internal/savina"
	"github.com/troupe-go/troupe/bench/internal/workload"
	"github.com/troupe-go/troupe/internal/bench/jobs"
	"github.com/troupe-go/troupe/internal/bench/suite"
)

//go:embed program/troupe_bench.erl
var erlangSource string

// Erlang is Erlang/OTP.
var Erlang = suite.Subject{
	Name:     "erlang",
	About:    "Erlang/OTP of the machine, plain processes, a virtual machine for each run; it measures by its own clock",
	Families: []suite.Family{suite.Actors},
	Runs: erlangRuns(
		workload.PingPong, workload.Tell, workload.Tell4, workload.AskInside, workload.Ring, workload.Spawn, workload.SpawnNew,
		workload.Stop, workload.Memory, workload.MemoryUsed, workload.Big, workload.Skynet,
		workload.UrgentFlood, workload.UrgentBusy, workload.Check,
		savina.Counting, savina.Throughput, savina.Creation, savina.ThreadRing, savina.Chameneos,
		jobs.ForkJoin, jobs.SpawnJoin, jobs.Yield,
	),
	Notes: map[string]string{
		"":                  "unbounded mailboxes; each process has a heap of its own, and messages are copied",
		workload.AskOutside: "everything is a process; see ask-inside",
		workload.UrgentFlood: "a selective receive, which looks through all that waits for the urgent message; " +
			"the work of a message is a loop of the same length",
		workload.UrgentBusy:  "process_flag(priority, high); busy processes are preempted, which none of the others are",
		workload.UrgentEvent: "it has no goroutine outside; see urgent-busy",
		workload.Skynet:      "the leaves are processes of the default heap size, 233 words",
		workload.Check: "calls, each of which counts a reduction, beside the same work without; " +
			"a turn is 4,000 reductions",
		workload.CheckCall: "see check",
		jobs.ForkJoin:      "a process for each fork",
		jobs.SpawnJoin:     "spawn_monitor, and a receive for each end; values are sent",
		jobs.Yield:         "erlang:yield with one scheduler (+S 1)",
	},
	Absent: absent("erlang-base", "erl", "erlc"),
}

func erlangRuns(names ...string) map[string]suite.Func {
	runs := map[string]suite.Func{}
	for _, name := range names {
		runs[name] = func(r *suite.Run) (int64, error) { return erlang(r, name) }
	}
	return runs
}

func erlang(r *suite.Run, name string) (int64, error) {
	dir, err := program(map[string]string{"troupe_bench.erl": erlangSource}, func(string) *exec.Cmd {
		return exec.Command("erlc", "troupe_bench.erl")
	})
	if err != nil {
		return 0, err
	}
	args := []string{
		"+P", "2000000", "-noshell", "-pa", dir, "-s", "troupe_bench", "main", "-extra",
		strings.ReplaceAll(name, "-", "_"), strconv.Itoa(r.N), strconv.Itoa(r.Size),
	}
	if name == jobs.Yield {
		args = append([]string{"+S", "1"}, args...)
	}
	return run(r, exec.Command("erl", args...))
}
