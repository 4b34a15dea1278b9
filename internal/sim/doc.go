// Package sim is the engine of a simulation: it runs the queued work of one or
// several schedulers piece by piece, in an order that it is told.
//
// In a simulation no worker runs by itself. All work lies in one list, and one
// goroutine, the stepper, asks a chooser which piece is next and has it run. Before
// the next step it waits until every other goroutine of the simulation is blocked.
// Then the step is over, or blocked itself, and what a program does outside the
// scheduler (the test's body, a timer, a goroutine of its own) has come to rest. So
// the whole is a function of the choices. When there is no work, time passes: the simulation lives in a bubble
// of testing/synctest, whose clock moves on when all goroutines are blocked.
//
// The package knows neither schedulers nor tests: sched hands its work in, and
// simtest chooses.
package sim
