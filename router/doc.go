// Package router spreads messages over several actors, and tasks over several
// workers.
//
//	r, err := router.New(sys, router.Config[job]{
//		Strategy: router.ConsistentHash,
//		Key:      router.By(func(j job) (string, bool) { return j.user, true }),
//		Routees:  workers,
//	})
//	err = r.Send(ctx, job{user: "ann"}) // Ann's jobs go to one worker, in order.
//
// A [Router] hands each message to one of its routees, or to all of them. It is used
// like a ref: [Router.Send], [Router.TrySend], [Router.On] for the lane, and [Ask]. The
// [Strategy] decides which routee gets a message. Routees may come and go while messages
// flow, see [Router.Add] and [Router.Remove]. Send chooses the routee itself, so there is
// no hop and no allocation.
//
// An [Elastic] makes the routees itself: actors under a supervisor. Their number follows
// the load between a minimum and a maximum.
//
//	pool, err := router.NewElastic(sys, router.ElasticConfig[job]{
//		Min: 2, Max: 16, UpBacklog: 10, UpLatency: 50 * time.Millisecond,
//		New:     func() actor.Actor[job] { return &worker{} },
//		OnScale: func(s router.Scaling) { log.Println(s) },
//	})
//	err = pool.Router().Send(ctx, job{})
//
// A [Pool] is for work that needs no actor of its own: one function does tasks as jobs of
// the scheduler, up to a number of them at the same time.
//
//	pool, err := router.NewPool(sys, router.PoolConfig[page, index]{Do: parse, Workers: 8})
//	ix, err := pool.Ask(ctx, p)           // The result, or the error or panic, of this task.
//	err = pool.Send(ctx, p)               // Nobody waits; failures go to OnError.
//	for ix, err := range pool.Map(ctx, pages) // In order; MapUnordered as they come.
//	err = pool.Drain(ctx)                 // Or Stop, which drops tasks that have not begun.
//
// [PoolSpec] makes a pool the child of a supervisor, and [PlayPool] a member of a troupe.
//
// All rules, and which strategy to choose, are in the [reference].
//
// [reference]: https://github.com/troupe-go/troupe/blob/main/docs/reference/routers.md
package router
