// Package memory keeps what an inspector has seen, in bounded space: figures over time, what was wrong, and events by their cause.
//
//	figures := memory.NewSeries(900, "mailbox")
//	figures.Add(time.Now(), 17)
//	past := figures.Since(time.Time{}) // past.Figures["mailbox"] is [17].
//
// It knows nothing of actors. All of its types are safe for concurrent use.
package memory
