package demo

import "github.com/troupe-go/troupe/actor"

// collector adds up the outcomes and tells when every file that was sent out has one.
type collector struct {
	tally   Tally
	sent    int // The number of files that the walker has sent out, or -1 while it walks.
	waiting []actor.Reply[Tally]
}

func newCollector() *collector {
	return &collector{sent: -1}
}

// Receive handles one message.
func (c *collector) Receive(ctx *actor.Context[toCollector], m toCollector) error {
	switch m := m.(type) {
	case outcome:
		c.tally.add(m)
	case surveyed:
		c.tally.Total = m.files
	case walked:
		c.sent, c.tally.Total = m.files, m.files
	case tell:
		return m.reply.Send(ctx, c.tally)
	case await:
		c.waiting = append(c.waiting, m.reply)
	}
	if c.tally.Done == c.sent {
		c.announce(ctx)
	}
	return nil
}

func (c *collector) announce(ctx *actor.Context[toCollector]) {
	for _, reply := range c.waiting {
		_ = reply.Send(ctx, c.tally) // Whether or not it is still waited for.
	}
	c.waiting = nil
}
