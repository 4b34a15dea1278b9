package word

import "bytes"

const minSlots = 1 << 10

// A Table counts the words of one text. Between texts it is reset and keeps its memory. It stores positions, not
// words, so the text must stay as it is until the counts have been read.
//
// It is an open-addressing table instead of a map because it is filled and emptied for each file: resetting costs as
// much as was counted, the hash is kept for the shards, and nothing is allocated once it has grown.
type Table struct {
	text    []byte
	entries []entry
	slots   []uint32 // Indexes of entries plus one, zero when free; the length is a power of two.
	words   int
}

type entry struct {
	hash       uint64
	start, end uint32
	count      uint32
	slot       uint32
}

// MaxText is the length of the longest text that a Table can count.
const MaxText = 1 << 31

// Reset empties the table and binds it to the text whose words are going to be counted.
func (t *Table) Reset(text []byte) {
	switch {
	case t.slots == nil:
		t.slots = make([]uint32, minSlots)
	case len(t.entries) < len(t.slots)/16:
		for i := range t.entries {
			t.slots[t.entries[i].slot] = 0
		}
	default:
		clear(t.slots)
	}
	t.text, t.entries, t.words = text, t.entries[:0], 0
}

// Scan counts the words that s, a scanner of the table's text, finds before limit.
func (t *Table) Scan(s *Scanner, limit int) {
	for w := s.Next(limit); w != nil; w = s.Next(limit) {
		t.add(s.start, s.start+len(w))
	}
}

// Words returns how many words have been counted.
func (t *Table) Words() int {
	return t.words
}

// Unique returns how many different words have been counted.
func (t *Table) Unique() int {
	return len(t.entries)
}

func (t *Table) add(start, end int) {
	t.words++
	h := hash(t.text, start, end)
	mask := uint32(len(t.slots) - 1)
	i := uint32(h) & mask
	for ; t.slots[i] != 0; i = (i + 1) & mask {
		e := &t.entries[t.slots[i]-1]
		if e.hash == h && t.same(e, start, end) {
			e.count++
			return
		}
	}
	t.entries = append(t.entries, entry{hash: h, start: uint32(start), end: uint32(end), count: 1, slot: i})
	t.slots[i] = uint32(len(t.entries))
	if len(t.entries) > len(t.slots)/2 {
		t.grow()
	}
}

// same reports whether an entry is for the word text[start:end], which has the same hash.
func (t *Table) same(e *entry, start, end int) bool {
	return end-start <= short || bytes.Equal(t.text[e.start:e.end], t.text[start:end])
}

func (t *Table) grow() {
	t.slots = make([]uint32, 2*len(t.slots))
	mask := uint32(len(t.slots) - 1)
	for n := range t.entries {
		e := &t.entries[n]
		i := uint32(e.hash) & mask
		for t.slots[i] != 0 {
			i = (i + 1) & mask
		}
		t.slots[i], e.slot = uint32(n+1), i
	}
}
