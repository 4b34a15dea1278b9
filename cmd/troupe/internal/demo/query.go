package demo

import (
	"github.com/troupe-go/troupe/actor"
	"github.com/troupe-go/troupe/cmd/troupe/internal/word"
)

// query knows the most frequent identifiers of the whole index, by asking every shard.
type query struct {
	shards []actor.Ref[toShard] // Addressed on the Control lane.
	limit  int
}

func newQuery(shards []actor.Ref[toShard], limit int) *query {
	q := &query{limit: limit}
	for _, s := range shards {
		q.shards = append(q.shards, s.On(actor.Control))
	}
	return q
}

// Receive answers one question. Asking suspends it, so no worker waits for the shards.
func (q *query) Receive(ctx *actor.Context[top], m top) error {
	var all []word.Count
	for _, s := range q.shards {
		counts, err := actor.Ask(ctx, s, func(reply actor.Reply[[]word.Count]) toShard { return top{reply} })
		if err != nil {
			return m.reply.Fail(ctx, err)
		}
		all = append(all, counts...)
	}
	return m.reply.Send(ctx, word.Top(all, q.limit))
}
