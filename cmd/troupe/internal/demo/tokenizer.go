package demo

import (
	"github.com/troupe-go/troupe/actor"
	"github.com/troupe-go/troupe/cmd/troupe/internal/word"
)

// Between two checkpoints a tokenizer works for some 50 µs. That is how long an urgent query has to wait for a worker.
const (
	checkpointEvery = 16 << 10 // Bytes to count.
	splitEvery      = 1 << 10  // Identifiers to put into batches.
)

// tokenizer counts the identifiers of one file at a time and sends the counts to the shards.
type tokenizer struct {
	shards []actor.Ref[toShard]
	faults *faults
	table  word.Table
	parts  [][]*word.Batch // For each shard, what is to be sent to it.
}

func newTokenizer(shards []actor.Ref[toShard], faults *faults) *tokenizer {
	return &tokenizer{shards: shards, faults: faults, parts: make([][]*word.Batch, len(shards))}
}

// Receive counts a file. When it replies, the shards have all of it in their lanes.
func (t *tokenizer) Receive(ctx *actor.Context[task], m task) error {
	fault := t.faults.plan(m.file, m.attempt)
	fault.strike(beforeCounting)
	if err := t.count(ctx, m.text, fault); err != nil {
		return err
	}
	if err := t.split(ctx, m.file); err != nil {
		return err
	}
	if err := t.send(ctx, fault); err != nil {
		return err
	}
	fault.strike(beforeReply)
	return m.reply.Send(ctx, t.table.Words())
}

func (t *tokenizer) count(ctx *actor.Context[task], text []byte, fault fault) error {
	t.table.Reset(text)
	s := word.NewScanner(text)
	dies := fault.at(whileCounting, len(text))
	for !s.Done() {
		limit := s.Pos() + checkpointEvery
		if dies >= s.Pos() && dies < limit {
			limit = dies
		}
		t.table.Scan(&s, limit)
		if limit == dies {
			fault.strike(whileCounting)
		}
		if err := ctx.Checkpoint(); err != nil {
			return err
		}
	}
	return nil
}

func (t *tokenizer) split(ctx *actor.Context[task], file uint32) error {
	for from := 0; from < t.table.Unique(); from += splitEvery {
		t.table.Split(file, from, min(from+splitEvery, t.table.Unique()), t.parts)
		if err := ctx.Checkpoint(); err != nil {
			return err
		}
	}
	return nil
}

func (t *tokenizer) send(ctx *actor.Context[task], fault fault) error {
	dies := fault.at(betweenSends, len(t.parts))
	for i, batches := range t.parts {
		for _, b := range batches {
			if err := t.shards[i].Send(ctx, merge{b}); err != nil {
				return err
			}
		}
		t.parts[i] = batches[:0]
		if i == dies {
			fault.strike(betweenSends)
		}
	}
	return nil
}
