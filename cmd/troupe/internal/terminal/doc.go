// Package terminal evaluates three ways to run a terminal emulator: as an actor with a thread of its own, as an actor
// on the scheduler, and as the tasks of a work pool. All three do the same work behind a real pseudo-terminal: they
// parse what programs write, keep a [Screen], and pass keystrokes on. A fourth subject, the [Reader], throws output
// away: it shows what the kernel and the programs leave to the three.
//
// A keystroke is timed from the moment in which it is sent to the emulator, on the Control lane, until the screen
// shows what a program at the other end has written in answer. Output comes on the Data lane, in chunks of 4,096
// bytes. The flood is the program cat with a large file.
//
//	troupe bench terminal -> Evaluation -> a process for each round and subject -> Measure
package terminal
