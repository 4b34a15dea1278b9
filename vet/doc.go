// Package vet finds mistakes in programs of actors before they run.
//
//	troupe vet ./...                                  # the command runs all of them
//	go vet -vettool=$(which troupe) ./...             # the same, as a tool of go vet
//
//	unitchecker.Main(vet.Analyzers()...)              // in a tool of your own
//
// Each [analysis.Analyzer] is about one mistake:
//
//   - reply: a path of a handler returns nil and has not used the Reply of its message, so its asker waits in vain.
//   - keptcontext: a Context is kept in a field of the actor, or used in a goroutine for what only the handler may do.
//   - lockedthread: a handler calls runtime.LockOSThread, and does not unlock the thread.
//   - nearhook: a method is nearly a hook, such as Started, and is never called.
//   - droppederror: a handler drops the error of a Send.
//   - sharedstate: a message leads to state that the actor goes on to change.
//
// A comment silences a line, or the line below it. It names the analyzer and gives a reason:
//
//	return nil //troupe:ignore reply: the asker has been told by the gateway
//
// The analyzers look at one function at a time, and prefer to miss a mistake rather than to report good code. They leave test
// files out, which make mistakes on purpose.
package vet
