// Package troupe is the map of a concurrency platform: a priority work-stealing
// scheduler, light typed actors on it, and supervision above them. The package
// itself holds no code. Each room can be used without those above it:
//
//   - [github.com/troupe-go/troupe/sched] runs jobs on work-stealing workers.
//     A job may wait, block or compute; the scheduler makes up for it.
//   - [github.com/troupe-go/troupe/task] starts jobs in groups that are waited for
//     and cancelled together, with typed results.
//   - [github.com/troupe-go/troupe/actor] gives a job an address: typed
//     references, prioritized mailboxes, one handler of an actor at a time.
//   - [github.com/troupe-go/troupe/supervise] starts actors and restarts those
//     that fail, within limits.
//
// Imports go downward only: supervise uses actor, actor and task use sched, and
// none of them knows those above it.
//
// The command line is in cmd/troupe, programs to start from are in examples.
package troupe
