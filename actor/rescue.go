package actor

import "github.com/troupe-go/troupe/internal/kernel/line"

// part returns copies of the consumer's messages from a place on, up to another one.
func (l *lane) part(from, to int) letters {
	return withAsks(l.contents.part(from, to), l.asks.part(from, to))
}

// rescue returns a lane that goes on in place of l, whose consumer has lost its
// actor. The messages that the consumer has claimed stay with it unless it has
// gone; if it claims one by one, rescue returns a copy of the one that it is
// handling. The caller holds the mutex.
func (l *lane) rescue(gone bool) (fresh *lane, inHand letters) {
	n := int(max(0, l.unclaimed.Swap(-1)))
	if gone {
		n = l.left()
	}
	at := l.size - n
	skipped := int(l.skipped)
	fresh = l.contents.handOver(at)
	l.asks.handOver(fresh.asks, at, l.size, skipped)
	fresh.chunk, fresh.swapped, fresh.slid = l.chunk, l.swapped-int64(n), l.slid
	if fresh.meter = l.meter; l.meter != nil {
		l.meter.prepend(n)
	}
	fresh.waiting = l.waiting
	fresh.queue.Store(fresh.waiting.Len())
	fresh.countTicks(l.ticks)
	l.waiting = line.Line[*sendWaiter]{}
	if l.chunk == 1 && at > 0 && !gone {
		return fresh, l.part(at-1, at)
	}
	return fresh, l.part(0, 0)
}
