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
//   - [github.com/troupe-go/troupe/strand] runs sequential code on small stacks,
//     with channels and connections.
//   - [github.com/troupe-go/troupe/router] spreads messages over actors, and tasks
//     over pools.
//   - [github.com/troupe-go/troupe/netio] connects actors to streams and listeners.
//   - [github.com/troupe-go/troupe/journal] keeps the state of actors over crashes.
//   - [github.com/troupe-go/troupe/wire] says which messages may leave the process, and turns them into bytes;
//     [github.com/troupe-go/troupe/wire/wiretest] joins two systems in one process, for tests.
//   - [github.com/troupe-go/troupe/engine] is what several nodes share: a bus, tables and logs;
//     [github.com/troupe-go/troupe/engine/memory] has it in one process, for tests.
//   - [github.com/troupe-go/troupe/cluster] makes systems nodes, whose actors reach each other.
//   - [github.com/troupe-go/troupe/stream] has topics: live ones, and topics that store messages until actors have handled them.
//   - [github.com/troupe-go/troupe/entity] has actors that are always there: a message makes
//     them, and they go when they are idle.
//   - [github.com/troupe-go/troupe/inspect] shows a running system, in the browser
//     too, and [github.com/troupe-go/troupe/inspect/telemetry] exports its
//     figures to Prometheus and OpenTelemetry.
//   - [github.com/troupe-go/troupe/health] answers the health checks of a service.
//   - [github.com/troupe-go/troupe/simtest] runs programs in simulated time, under
//     many schedules.
//   - [github.com/troupe-go/troupe/vet] finds mistakes in programs of actors before
//     they run.
//   - [github.com/troupe-go/troupe/libtroupe] is the library for C.
//
// Imports go downward only: supervise uses actor, actor and task use sched, and
// none of them knows those above it.
//
// The command line is in cmd/troupe, programs to start from are in examples.
package troupe
