// Command limits shows what Go, and so Troupe, can't do. Each limit is a program, and docs/guide/limits.md is about them.
//
//	go run ./examples/limits             # lists them
//	go run ./examples/limits overflow
package main

import (
	"fmt"
	"io"
	"maps"
	"os"
	"slices"

	"github.com/troupe-go/troupe/actor"
)

// limit is a program that shows a limit. It says in words what it shows.
type limit struct {
	shows string
	run   func(w io.Writer, sys *actor.System) error
}

var limits = map[string]limit{
	"latency":    {"an urgent message waits for the handler that runs", latency},
	"syscall":    {"a handler in a system call holds a thread", syscallHolds},
	"loop":       {"a killed handler that loops keeps its processor", loop},
	"nopreempt":  {"without asynchronous preemption, an endless loop holds up the garbage collector", noPreempt},
	"lockthread": {"a handler that waits with its thread locked ends the process", lockThread},
	"overflow":   {"a stack overflow in a handler ends the process", overflow},
	"mapwrite":   {"a concurrent map write ends the process", mapWrite},
	"memory":     {"running out of memory ends the process", memory},
	"foreign":    {"a deadlock by a mutex is no ring that Troupe finds", foreign},
	"heap":       {"the memory of one actor can't be limited", heap},
}

func main() {
	if len(os.Args) != 2 || limits[os.Args[1]].run == nil {
		for _, name := range slices.Sorted(maps.Keys(limits)) {
			fmt.Fprintf(os.Stderr, "%-11s %s\n", name, limits[name].shows)
		}
		os.Exit(2)
	}
	sys, err := actor.NewSystem(actor.Config{Workers: 2})
	if err == nil {
		err = limits[os.Args[1]].run(os.Stdout, sys)
	}
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}
