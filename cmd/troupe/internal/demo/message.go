package demo

import (
	"github.com/troupe-go/troupe/actor"
	"github.com/troupe-go/troupe/cmd/troupe/internal/word"
)

// start tells the walker to walk, and the surveyor to count.
type start struct{}

// file goes from the walker to a feeder.
type file struct {
	number uint32 // In the order of the walk, from zero.
	path   string
}

// task goes from a feeder to its tokenizer. The text is the tokenizer's until it replies or dies.
type task struct {
	file    uint32
	attempt int // Numbered from zero.
	text    []byte
	reply   actor.Reply[int] // The number of words.
}

// toShard is what a shard takes.
type toShard interface{ toShard() }

type (
	// merge adds a batch, which is the shard's from then on.
	merge struct{ batch *word.Batch }
	// top asks for the most frequent identifiers so far.
	top struct{ reply actor.Reply[[]word.Count] }
	// settle is answered after all that was sent before it, with the number of different identifiers.
	settle struct{ reply actor.Reply[int] }
	// surrender asks for the index itself; the shard stops.
	surrender struct{ reply actor.Reply[*word.Index] }
)

func (merge) toShard()     {}
func (top) toShard()       {}
func (settle) toShard()    {}
func (surrender) toShard() {}

// toCollector is what the collector takes.
type toCollector interface{ toCollector() }

type (
	// outcome says what became of one file.
	outcome struct {
		why     Reason
		bytes   int
		words   int
		retries int
		walked  bool // The walker sent it to a feeder, rather than skip it.
	}
	// walked says how many files the walker has sent to feeders altogether.
	walked struct{ files int }
	// surveyed says how many files there are, before all are walked.
	surveyed struct{ files int }
	// tell asks for the tally so far.
	tell struct{ reply actor.Reply[Tally] }
	// await asks for the tally when every file is accounted for.
	await struct{ reply actor.Reply[Tally] }
)

func (outcome) toCollector()  {}
func (walked) toCollector()   {}
func (surveyed) toCollector() {}
func (tell) toCollector()     {}
func (await) toCollector()    {}
