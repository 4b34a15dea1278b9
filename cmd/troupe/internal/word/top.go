package word

import (
	"cmp"
	"slices"
	"strings"
)

// A Count is a word and how often it was counted.
type Count struct {
	Word  string `json:"word"`
	Count uint64 `json:"count"`
}

// Compare orders counts from the most frequent word to the least, and words of equal counts by their bytes.
func Compare(a, b Count) int {
	return cmp.Or(cmp.Compare(b.Count, a.Count), strings.Compare(a.Word, b.Word))
}

// Top returns the n first of the counts in the order of [Compare]. It sorts them in place.
func Top(counts []Count, n int) []Count {
	slices.SortFunc(counts, Compare)
	return counts[:min(n, len(counts))]
}

// Top returns the index's most frequent words, as many as it keeps track of. It takes no longer the more words there
// are.
func (x *Index) Top() []Count {
	counts := make([]Count, len(x.top.ranked))
	for i, r := range x.top.ranked {
		counts[i] = Count{x.names.of(r.id).word, r.count}
	}
	return counts
}

// A ranking holds the first words in the order of [Compare], up to a limit. Counts only ever rise, and each is shown to
// the ranking when it does: so whatever isn't ranked is behind the last that is.
type ranking struct {
	limit  int
	ranked []ranked
}

type ranked struct {
	id    uint32
	count uint64
}

// update takes note of a word's new count.
func (r *ranking) update(names *names, id uint32, count uint64) {
	if len(r.ranked) == r.limit && (r.limit == 0 || count < r.ranked[r.limit-1].count) {
		return
	}
	this := ranked{id, count}
	i := int(names.of(id).rank) - 1
	if i < 0 {
		if i = r.enter(names, this); i < 0 {
			return
		}
	}
	for ; i > 0 && names.ahead(this, r.ranked[i-1]); i-- {
		r.put(names, r.ranked[i-1], i)
	}
	r.put(names, this, i)
}

// enter makes room for a word in the last place and returns that, or -1 if there is none for it.
func (r *ranking) enter(names *names, this ranked) int {
	last := r.limit - 1
	if len(r.ranked) < r.limit {
		r.ranked = append(r.ranked, this)
		return len(r.ranked) - 1
	}
	if !names.ahead(this, r.ranked[last]) {
		return -1
	}
	names.of(r.ranked[last].id).rank = 0
	return last
}

func (r *ranking) put(names *names, this ranked, i int) {
	r.ranked[i] = this
	names.of(this.id).rank = int32(i + 1)
}

func (n *names) ahead(a, b ranked) bool {
	return a.count > b.count || a.count == b.count && n.of(a.id).word < n.of(b.id).word
}
