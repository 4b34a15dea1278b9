package strands_test

import (
	"os"
	"testing"

	"go.uber.org/goleak"

	"github.com/troupe-go/troupe/cmd/troupe/internal/strands"
)

// TestMain makes the test binary a server.
func TestMain(m *testing.M) {
	if len(os.Args) > 1 && os.Args[1] == strands.ServerArg {
		os.Exit(strands.Server(os.Args[2:], os.Stdin, os.Stdout, os.Stderr))
	}
	goleak.VerifyTestMain(m)
}
