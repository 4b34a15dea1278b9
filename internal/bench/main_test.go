package bench_test

import (
	"os"
	"testing"

	"github.com/troupe-go/troupe/internal/bench/runner"
	"github.com/troupe-go/troupe/internal/bench/suite"
	"github.com/troupe-go/troupe/internal/leak"
)

// TestMain makes the test binary a child.
func TestMain(m *testing.M) {
	if len(os.Args) > 1 && os.Args[1] == runner.ChildArg {
		os.Exit(runner.Child([]*suite.Workload{&planted}, plantedSubjects, os.Args[2:], os.Stdout, os.Stderr))
	}
	leak.Main(m)
}
