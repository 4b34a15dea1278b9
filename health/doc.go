// Package health tells the world outside how well a system of actors does.
//
//	mux.Handle("/livez", health.Live(sys, health.Config{}))
//	mux.Handle("/readyz", health.Ready(sys, health.Config{}))
//
// An actor that is an [actor.HealthChecker] says so of itself; supervisors do, for
// their children. [Check] asks all of them at once, and makes a tree of what they
// say: each place in it is as bad as the worst below. An actor that does not
// answer in time is unhealthy.
//
// Live says whether the process should go on: whether actors run at all. Ready
// says whether it should be given work. Both answer in JSON.
package health
