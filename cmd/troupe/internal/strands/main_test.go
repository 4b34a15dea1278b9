package strands_test

import (
	"os"
	"testing"

	"github.com/troupe-go/troupe/cmd/troupe/internal/strands"
	"github.com/troupe-go/troupe/internal/bench/runner"
	"github.com/troupe-go/troupe/internal/leak"
)

// TestMain makes the test binary a server, or a child that does one run.
func TestMain(m *testing.M) {
	if len(os.Args) > 1 && os.Args[1] == runner.ChildArg {
		os.Exit(runner.Child(strands.Workloads, strands.Subjects, os.Args[2:], os.Stdout, os.Stderr))
	}
	if len(os.Args) > 1 && os.Args[1] == strands.ServerArg {
		os.Exit(strands.Server(os.Args[2:], os.Stdin, os.Stdout, os.Stderr))
	}
	leak.Main(m)
}
