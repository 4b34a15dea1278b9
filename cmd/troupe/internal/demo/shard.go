package demo

import (
	"github.com/troupe-go/troupe/actor"
	"github.com/troupe-go/troupe/cmd/troupe/internal/word"
)

// shard owns the counts of the identifiers that belong to it.
type shard struct {
	index *word.Index
}

// Receive handles one message.
func (s *shard) Receive(ctx *actor.Context[toShard], m toShard) error {
	switch m := m.(type) {
	case merge:
		s.index.Merge(m.batch)
		m.batch.Free()
	case top:
		answer(ctx, m.reply, s.index.Top())
	case settle:
		answer(ctx, m.reply, s.index.Unique())
	case surrender:
		ctx.Stop()
		answer(ctx, m.reply, s.index)
	}
	return nil
}
