package word

import "sync"

// BatchSize is how many words a batch holds at most. Merging a full batch takes some 50 µs, and an actor that merges
// can't answer anybody until it is through.
const BatchSize = 512

// A Batch is a part of the counts of one text: different words that belong to the same index, in an order that
// depends on the text alone. It owns its memory.
type Batch struct {
	Text uint32 // Which text, numbered from zero.
	Part uint32 // Which of the text's batches for this index, numbered from zero.

	keys  []byte
	items []item
}

type item struct {
	hash  uint64
	end   uint32 // Where the word ends in keys; it starts where the one before ends.
	count uint32
}

var batches = sync.Pool{New: func() any { return new(Batch) }}

// Len returns how many words the batch holds.
func (b *Batch) Len() int {
	return len(b.items)
}

// Batches that hold longer words than usual are left to the garbage collector instead of kept for other texts.
const maxKeptKeys = 64 << 10

// Free gives the batch's memory back for other batches. The batch must not be used afterwards.
func (b *Batch) Free() {
	if cap(b.keys) > maxKeptKeys {
		return
	}
	b.keys, b.items = b.keys[:0], b.items[:0]
	batches.Put(b)
}

// Split appends to each of parts the counts of the table's words from the given one to the one before another that
// belong to the index of that number, in batches of the text with the given number. A word belongs to the index chosen
// by its hash.
func (t *Table) Split(text uint32, from, to int, parts [][]*Batch) {
	n := uint64(len(parts))
	for i := range t.entries[from:to] {
		e := &t.entries[from+i]
		part := &parts[e.hash>>32*n>>32]
		last := len(*part) - 1
		if last < 0 || len((*part)[last].items) == BatchSize {
			b := batches.Get().(*Batch)
			last++
			b.Text, b.Part = text, uint32(last)
			*part = append(*part, b)
		}
		b := (*part)[last]
		b.keys = append(b.keys, t.text[e.start:e.end]...)
		b.items = append(b.items, item{e.hash, uint32(len(b.keys)), e.count})
	}
}
