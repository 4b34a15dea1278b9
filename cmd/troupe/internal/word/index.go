package word

import (
	"fmt"
	"iter"
)

// An Index adds up the counts of the words that belong to it. It takes each batch once, however often the batch comes,
// and knows its most frequent words at any time.
//
// It is an open-addressing table that uses the hash again which the tokenizers have computed. A count lies in its slot,
// so that adding to it touches one cache line in most cases. The slots are in segments that grow one by one: an index
// can't answer while it grows, and with a hundred thousand words in one segment that took 2 to 5 ms.
type Index struct {
	segments [segments]segment
	names    names
	words    uint64
	taken    []uint32 // The number of batches taken of each text.
	top      ranking
}

// The hash chooses the index by its upper half, the segment by the upper bits of its lower half, and the slot by the
// lowest bits.
type segment struct {
	slots []slot // As many as a power of two.
	used  int
}

type slot struct {
	hash  uint64
	count uint64
	id    uint32 // The word's name, or zero if the slot is free.
}

const (
	segmentBits = 6
	segments    = 1 << segmentBits
	firstSlots  = 64 // In a segment, 1.5 KB.
)

// NewIndex returns an empty index that keeps track of its k most frequent words.
func NewIndex(k int) *Index {
	x := &Index{top: ranking{limit: k}}
	slots := make([]slot, segments*firstSlots)
	for i := range x.segments {
		x.segments[i].slots = slots[i*firstSlots : (i+1)*firstSlots]
	}
	return x
}

// Unique returns how many different words the index holds.
func (x *Index) Unique() int {
	return x.names.count
}

// Words returns the sum of all counts.
func (x *Index) Words() uint64 {
	return x.words
}

// Count returns how often a word has been counted.
func (x *Index) Count(w string) uint64 {
	b := []byte(w)
	h := hash(b, 0, len(b))
	return x.find(x.segment(h), h, b).count
}

// All returns the words and their counts, in no particular order.
func (x *Index) All() iter.Seq2[string, uint64] {
	return func(yield func(string, uint64) bool) {
		for i := range x.segments {
			for _, s := range x.segments[i].slots {
				if s.id != 0 && !yield(x.names.of(s.id).word, s.count) {
					return
				}
			}
		}
	}
}

// Merge adds the batch's counts and reports whether it did: a batch that has been merged before is left alone. The
// batches of a text must come in order, from the first on as often as it takes.
func (x *Index) Merge(b *Batch) bool {
	if grow := int(b.Text) + 1 - len(x.taken); grow > 0 {
		x.taken = append(x.taken, make([]uint32, grow)...)
	}
	switch taken := x.taken[b.Text]; {
	case b.Part < taken:
		return false
	case b.Part > taken:
		panic(fmt.Sprintf("word: batch %d of text %d came before batch %d; a text's batches must come in order",
			b.Part, b.Text, taken))
	}
	x.taken[b.Text]++
	start := uint32(0)
	for _, it := range b.items {
		x.add(it.hash, b.keys[start:it.end], uint64(it.count))
		start = it.end
	}
	return true
}

func (x *Index) add(h uint64, w []byte, n uint64) {
	x.words += n
	g := x.segment(h)
	s := x.find(g, h, w)
	s.count += n
	isNew := s.id == 0
	if isNew {
		s.hash, s.id = h, x.names.add(w)
	}
	x.top.update(&x.names, s.id, s.count)
	if isNew {
		g.grow()
	}
}

func (x *Index) segment(h uint64) *segment {
	return &x.segments[uint32(h)>>(32-segmentBits)]
}

// find returns the slot of a word, or the free one where it belongs.
func (x *Index) find(g *segment, h uint64, w []byte) *slot {
	mask := uint32(len(g.slots) - 1)
	for i := uint32(h) & mask; ; i = (i + 1) & mask {
		s := &g.slots[i]
		if s.id == 0 || s.hash == h && (len(w) <= short || x.names.of(s.id).word == string(w)) {
			return s
		}
	}
}

// grow counts a slot that was filled and, when three of four are, doubles their number.
func (g *segment) grow() {
	if g.used++; g.used <= len(g.slots)/4*3 {
		return
	}
	old := g.slots
	g.slots = make([]slot, 2*len(old))
	// Fresh memory is written before it is read: reading it maps a page of zeros, and the first write then costs a second
	// fault and an interrupt of the other processors. That took 7% of a whole run.
	clear(g.slots)
	mask := uint32(len(g.slots) - 1)
	for _, s := range old {
		if s.id == 0 {
			continue
		}
		i := uint32(s.hash) & mask
		for g.slots[i].id != 0 {
			i = (i + 1) & mask
		}
		g.slots[i] = s
	}
}
