// Package supervise keeps actors going: a supervisor restarts its children
// when they fail, and gives up when they fail too often.
//
// A [Supervisor] is itself an actor. Its children are independent of each
// other: when one fails, that one is restarted (in OTP's words, one for one).
// What a restart keeps is the child's place: its PID, its refs and the messages
// that wait for it. What it replaces is the child's state, which Child.New
// makes anew.
//
//	sup, err := supervise.Start(sys, supervise.Config{Intensity: 10, Period: time.Second})
//	worker, err := supervise.Spawn(ctx, sup, supervise.Child[job]{
//		Name: "worker",
//		New:  func() actor.Actor[job] { return &worker{} },
//	})
//	err = worker.Send(ctx, job{}) // However often the worker was restarted.
//
// The restart intensity follows the documentation of OTP's supervisor module:
// if more than Intensity restarts happen within Period, the supervisor stops
// all children and then itself, and whoever is above it may act.
package supervise
