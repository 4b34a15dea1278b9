// Command troupe shows what the troupe packages do. See troupe --help.
package main

import (
	"context"
	"os"
	"os/signal"
	"syscall"
)

func main() {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	context.AfterFunc(ctx, stop) // A second signal ends the process at once.
	os.Exit(run(ctx, os.Args[1:], os.Stdout, os.Stderr))
}
