// Package main is a library for C and for languages that call C: their programs run
// processes on Troupe's workers. include/troupe.h is its interface, docs/c.md its guide, and
// make lib builds it.
//
// A process in C has a stack and a mailbox of its own. Mailboxes, stacks and the switch between
// stacks are C code (runtime.h says how they work together), so that messages between
// processes need no Go code. The Go code queues processes on [workers.Scheduler] and keeps
// what is rare: links, monitors, names, timers and the end of processes.
//
// Without cgo, and on other systems than Linux and macOS on amd64 and arm64, the package is empty.
//
// [workers.Scheduler]: https://pkg.go.dev/github.com/troupe-go/troupe/internal/workers#Scheduler
package main

// A library has no main function of its own; the build mode wants one.
func main() {}
