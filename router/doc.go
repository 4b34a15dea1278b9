// Package router spreads messages over several actors, and tasks over several
// workers.
//
// A [Router] hands each message to one of its routees, or to all of them. It is
// used like a ref: [Router.Send], [Router.TrySend], [Router.On] for the lane,
// and [Ask].
//
//	r, err := router.New(sys, router.Config[job]{
//		Strategy: router.ConsistentHash,
//		Key:      router.By(func(j job) (string, bool) { return j.user, true }),
//		Routees:  workers,
//	})
//	err = r.Send(ctx, job{user: "ann"}) // Ann's jobs go to one worker, in order.
//
// # Strategies
//
// The [Strategy] says who gets a message: [RoundRobin], [Random],
// [SmallestMailbox], [LeastOfTwo], [ConsistentHash], [BoundedHash] and
// [Broadcast]. Where no strategy is of use there is [AskFirst], which asks all
// routees and takes the first answer. For routees that are alike RoundRobin is
// good; if messages differ in what they cost, LeastOfTwo is; if routees keep
// something for each key, ConsistentHash is the only one.
//
// SmallestMailbox looks at every routee, and is exact while backlogs are short;
// LeastOfTwo is cheap and never chooses the busier. Both exist, since with three routees people expect
// the former and with a hundred they can't afford it.
//
// # Coming and going
//
// [Router.Add] and [Router.Remove] may be called while messages flow. A routee
// that stops for good leaves by itself; one that its supervisor restarts stays,
// with its messages. A message that finds its routee dead goes to another. So a
// message that Send has accepted is in exactly one lane, and is handled there or
// becomes a dead letter like any other. A router without routees refuses messages
// or waits, see [EmptyPolicy]; [FullPolicy] says what happens if a lane is full.
//
// # Elastic pools
//
// An [Elastic] makes the routees itself: actors under a supervisor, whose number
// follows the load between a minimum and a maximum.
//
//	pool, err := router.NewElastic(sys, router.ElasticConfig[job]{
//		Min: 2, Max: 16, UpBacklog: 10, UpLatency: 50 * time.Millisecond,
//		New:     func() actor.Actor[job] { return &worker{} },
//		OnScale: func(s router.Scaling) { log.Println(s) },
//	})
//	err = pool.Router().Send(ctx, job{})
//
// It looks at its members every ElasticConfig.Every, and a [Sample] of their
// backlog and latency decides, with a cool-down between two changes. Each
// [Scaling] has its reason and the figures. A member that is taken out handles
// what it has before it stops.
//
// # Work pools
//
// A [Pool] is for work that needs no actor of its own: one function that does
// tasks, up to so many at the same time, as jobs of the scheduler. From outside
// it is like one actor, with three lanes, a bounded mailbox and a ref.
//
//	pool, err := router.NewPool(sys, router.PoolConfig[page, index]{Do: parse, Workers: 8})
//	ix, err := pool.Ask(ctx, p)           // The result, or the error or panic, of this task.
//	err = pool.Send(ctx, p)               // Nobody waits; failures go to OnError.
//	for ix, err := range pool.Map(ctx, pages) // In order; MapUnordered as they come.
//	err = pool.Drain(ctx)                 // Or Stop, which drops what has not begun.
//
// [PoolSpec] makes a pool the child of a supervisor, and [PlayPool] a member of a troupe.
//
// With PoolConfig.Key, tasks of one key are done one by one and in order. An asked task has
// the context of its asker. A router spreads messages over actors, each with its own state
// and mailbox; a pool has one queue, from which a free worker takes the next task, so no
// task waits behind a slow one while a worker is idle.
//
// # Cost
//
// There is no hop: the router's own actor only watches over the routees, and
// routing happens where Send is called, without an allocation. [Router.Ref] is
// for code that must have a ref, and costs the hop. The package's benchmarks give
// times; run them with go test -bench . ./router.
package router
