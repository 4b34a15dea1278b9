// Package ageing lets work that has waited for long rise to more urgent queues:
//
//	a := ageing.New(after, &shared, &lot, scheduler)
//	a.Look(now) // From the monitor, now and then.
//
// It knows queues and tiers, and of a scheduler what [Scheduler] says.
package ageing
