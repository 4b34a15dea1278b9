// Command troupe shows what the troupe packages do. See troupe --help.
package main

import (
	"context"
	"os"
	"os/signal"
	"syscall"

	"github.com/troupe-go/troupe/cmd/troupe/internal/strands"
	"github.com/troupe-go/troupe/internal/bench/runner"
)

func main() {
	if len(os.Args) > 1 && os.Args[1] == runner.ChildArg {
		os.Exit(runner.Child(allWorkloads, allSubjects, os.Args[2:], os.Stdout, os.Stderr))
	}
	if len(os.Args) > 1 && os.Args[1] == strands.ServerArg {
		os.Exit(strands.Server(os.Args[2:], os.Stdin, os.Stdout, os.Stderr))
	}
	if isVetTool(os.Args[1:]) {
		vetTool()
	}
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	context.AfterFunc(ctx, stop) // A second signal ends the process at once.
	os.Exit(run(ctx, os.Args[1:], os.Stdout, os.Stderr))
}
