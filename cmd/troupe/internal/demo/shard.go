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
		return m.reply.Send(ctx, s.index.Top())
	case settle:
		return m.reply.Send(ctx, s.index.Unique())
	case surrender:
		ctx.Stop()
		return m.reply.Send(ctx, s.index)
	}
	return nil
}
