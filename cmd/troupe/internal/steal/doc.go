// Package steal shows a scheduler at work and lets a spectator disturb it.
//
// A [Stage] is a scheduler under load. The acts that can be performed on it,
// such as blocking a worker, are [Act]s, and what is to be seen is a
// [Snapshot]. [Live] shows it in a terminal, with a key for each act; [Report]
// writes lines, for anything that is not a terminal; [Summary] is what remains.
package steal
