// Package diagnosis finds what is wrong in a running system of actors: the causes, not what suffers from them.
//
//	d := diagnosis.New(sys, 5*time.Second)
//	d.Mailbox(&info, now)        // For each actor, from time to time.
//	d.Look(now, diagnosis.Load{}) // Then.
//	for _, f := range d.Findings() {
//		fmt.Println(f.Text)
//	}
//
// An actor that waits for another one is a victim: the finding is about the last one of the chain, and says how many wait
// behind it. Handlers that are stuck at the same place are one finding.
package diagnosis
