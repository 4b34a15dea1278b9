// Package demo indexes the identifiers of a directory tree with a supervised troupe of actors, and measures it.
//
//	walker ──files──▶ feeder ──ask──▶ tokenizer ──batches──▶ shard ◀──ask── query ◀──ask── prober
//	                  (× n)           (× n, supervised)      (× m)          (Control lane)
//	   └──────────────────┴─────outcomes─────▶ collector
//
// The walker sends every file to a pool of feeders and waits while their lanes are full. A feeder reads one file at a
// time and asks its tokenizer to count it; the tokenizer sends what it counted to the shards that own the identifiers.
// The collector adds up what became of each file and knows when all are accounted for. Meanwhile the query actor is
// asked for the most frequent identifiers every few milliseconds, on the Control lane, from outside of the system.
//
// # Why no file is lost or counted twice
//
// A tokenizer may die at any point: before it counts, while it counts, between two sends, after the last one. Its
// supervisor restarts it, the feeder's ask fails with [actor.ErrNoReply], and the feeder asks again with the same text:
// at least once. The messages of a tokenizer depend on the text alone, and a shard takes each batch of a file once: at
// most once. Sending starts only after the whole text is counted, so a text that kills its tokenizer every time, and is
// given up in the end, has left nothing behind.
package demo
