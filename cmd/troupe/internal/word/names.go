package word

import "strings"

// names stores the words of an index. A word is known by its id, and stays where it is.
type names struct {
	count int
	pages [][]name
	// Words lie one behind the other in large strings, which spares the garbage collector an object a word.
	chunk *strings.Builder
}

type name struct {
	word string
	rank int32 // The position in the ranking plus one, or zero.
}

const (
	pageBits  = 10
	pageSize  = 1 << pageBits
	chunkSize = 64 << 10
)

// of returns the name with the given id.
func (n *names) of(id uint32) *name {
	return &n.pages[(id-1)>>pageBits][(id-1)&(pageSize-1)]
}

// add stores a copy of w and returns its id, which is not zero.
func (n *names) add(w []byte) (id uint32) {
	if n.count%pageSize == 0 {
		n.pages = append(n.pages, make([]name, 0, pageSize))
	}
	last := &n.pages[len(n.pages)-1]
	*last = append(*last, name{word: n.copy(w)})
	n.count++
	return uint32(n.count)
}

func (n *names) copy(w []byte) string {
	if n.chunk == nil || n.chunk.Cap()-n.chunk.Len() < len(w) {
		n.chunk = new(strings.Builder)
		n.chunk.Grow(max(chunkSize, len(w)))
	}
	start := n.chunk.Len()
	n.chunk.Write(w)
	return n.chunk.String()[start:]
}
