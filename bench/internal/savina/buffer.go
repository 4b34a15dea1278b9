package savina

import "github.com/troupe-go/troupe/internal/bench/suite"

var boundedBuffer = suite.Workload{
	Name: BoundedBuffer, Family: suite.Actors, Baseline: channels, Unit: "ns/item", Size: 40, TinySize: 4, Step: 40,
	About: "40 producers and 40 consumers share a buffer of 50, kept by one actor (Savina); the result is the sum of the items",
	Want:  func(n, _ int) int64 { return int64(n) * int64(n-1) / 2 },
}

// BufferSize is how many items wait at most.
const BufferSize = 50

// Craft is the work of producing an item, and of consuming one.
func Craft(item int) bool {
	right := true
	for i := range 5 {
		right = Sine(float64(item+i)) && right
	}
	return right
}

// Buffer is what its actor knows: items, and the producers and consumers that
// wait. A is how they are addressed.
type Buffer[A any] struct {
	Produce func(to A)           // Tells a producer to go on.
	Consume func(to A, item int) // Hands an item to a consumer.

	items     []int
	producers []A
	consumers []A
}

// Put takes an item. Its producer may go on when there is room.
func (b *Buffer[A]) Put(item int, from A) {
	if n := len(b.consumers); n > 0 {
		b.Consume(b.consumers[n-1], item)
		b.consumers = b.consumers[:n-1]
	} else {
		b.items = append(b.items, item)
	}
	if len(b.items) < BufferSize {
		b.Produce(from)
	} else {
		b.producers = append(b.producers, from)
	}
}

// Take gives a consumer an item as soon as there is one, and reports how many
// consumers wait.
func (b *Buffer[A]) Take(from A) int {
	if len(b.items) == 0 {
		b.consumers = append(b.consumers, from)
		return len(b.consumers)
	}
	b.Consume(from, b.items[0])
	b.items = b.items[1:]
	if n := len(b.producers); n > 0 {
		b.Produce(b.producers[n-1])
		b.producers = b.producers[:n-1]
	}
	return len(b.consumers)
}
