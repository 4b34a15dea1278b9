package word_test

import (
	"maps"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"github.com/troupe-go/troupe/cmd/troupe/internal/word"
	"github.com/troupe-go/troupe/internal/lane"
)

// split returns the batches of a text for each index.
func split(table *word.Table, number int, text []byte, indexes int) [][]*word.Batch {
	table.Reset(text)
	s := word.NewScanner(text)
	table.Scan(&s, len(text))
	parts := make([][]*word.Batch, indexes)
	middle := table.Unique() / 2
	table.Split(uint32(number), 0, middle, parts)
	table.Split(uint32(number), middle, table.Unique(), parts)
	return parts
}

func indexes(n, k int) []*word.Index {
	all := make([]*word.Index, n)
	for i := range all {
		all[i] = word.NewIndex(k)
	}
	return all
}

// collect returns what all indexes hold together.
func collect(t rapid.TB, all []*word.Index) map[string]uint64 {
	counts := map[string]uint64{}
	for _, x := range all {
		unique, words := 0, uint64(0)
		for w, n := range x.All() {
			if counts[w] != 0 {
				t.Fatalf("%q is in two indexes or twice in one", w)
			}
			counts[w] = n
			unique++
			words += n
		}
		if unique != x.Unique() || words != x.Words() {
			t.Fatalf("the index says %d words, %d unique, and holds %d and %d", x.Words(), x.Unique(), words, unique)
		}
	}
	return counts
}

func top(counts map[string]uint64, k int) []word.Count {
	var all []word.Count
	for w, n := range counts {
		all = append(all, word.Count{Word: w, Count: n})
	}
	return word.Top(all, k)
}

func TestIndexesAddUp(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		texts := rapid.SliceOfN(text(), 0, 8).Draw(t, "texts")
		k := rapid.IntRange(0, 12).Draw(t, "k")
		all := indexes(rapid.IntRange(1, 5).Draw(t, "indexes"), k)
		want := map[string]uint64{}
		var table word.Table
		for n, text := range texts {
			words := naive(text)
			for _, w := range words {
				want[w]++
			}
			for i, batches := range split(&table, n, text, len(all)) {
				merge(t, all[i], batches)
			}
			if table.Words() != len(words) {
				t.Fatalf("the table counted %d words, want %d", table.Words(), len(words))
			}
		}
		if got := collect(t, all); !maps.Equal(got, want) {
			t.Fatalf("the indexes hold %v, want %v", got, want)
		}
		checkTop(t, all, k)
	})
}

// merge merges batches as they come when the sender dies again and again: some of them, then all, then all once more.
func merge(t *rapid.T, x *word.Index, batches []*word.Batch) {
	sent := rapid.IntRange(0, len(batches)).Draw(t, "sent before the first failure")
	for i, b := range slices.Concat(batches[:sent], batches, batches) {
		if fresh := i < sent || i >= 2*sent && i < sent+len(batches); x.Merge(b) != fresh {
			t.Fatalf("the batch is new: %t, want %t", !fresh, fresh)
		}
	}
}

func checkTop(t rapid.TB, all []*word.Index, k int) {
	for _, x := range all {
		if got, want := x.Top(), top(maps.Collect(x.All()), k); !slices.Equal(got, want) {
			t.Fatalf("the top %d is %v, want %v", k, got, want)
		}
	}
}

func TestIndexGrows(t *testing.T) {
	lane.Check(t)
	var text strings.Builder
	want := map[string]uint64{}
	for range 300_000 {
		w := strings.Repeat("x", 1+rand.IntN(9)) + string(rune('a'+rand.IntN(26))) + string(rune(0x4e00+rand.IntN(2000)))
		text.WriteString(w + " ")
		want[w]++
	}
	var table word.Table
	all := indexes(3, 10)
	for number := range 2 {
		for i, batches := range split(&table, number, []byte(text.String()), len(all)) {
			for _, b := range batches {
				if b.Len() > word.BatchSize {
					t.Fatalf("a batch holds %d words, want at most %d", b.Len(), word.BatchSize)
				}
				all[i].Merge(b)
				b.Free()
			}
		}
	}
	for w := range want {
		want[w] *= 2
	}
	if got := collect(t, all); !maps.Equal(got, want) {
		t.Errorf("the indexes hold %d words, want %d with other counts", len(got), len(want))
	}
	checkTop(t, all, 10)
}

func TestTableIsReused(t *testing.T) {
	var table word.Table
	for number, text := range []string{"a b a", strings.Repeat("a b c d e f g h ", 9), "", "b"} {
		x := indexes(1, 10)[0]
		for _, b := range split(&table, 0, []byte(text), 1)[0] {
			x.Merge(b)
			b.Free()
		}
		want := map[string]uint64{}
		for _, w := range naive([]byte(text)) {
			want[w]++
		}
		if got := maps.Collect(x.All()); !maps.Equal(got, want) {
			t.Errorf("text %d: counted %v, want %v", number, got, want)
		}
	}
}

func TestCount(t *testing.T) {
	var table word.Table
	x := word.NewIndex(1)
	for _, b := range split(&table, 0, []byte("go to go"), 1)[0] {
		x.Merge(b)
	}
	for w, want := range map[string]uint64{"go": 2, "to": 1, "gone": 0} {
		if got := x.Count(w); got != want {
			t.Errorf("Count(%q) = %d, want %d", w, got, want)
		}
	}
}

func BenchmarkScan(b *testing.B) {
	text := []byte(strings.Repeat("func (s *Scanner) Next(limit int) []byte { return s.text[0x1F:] } // 世界\n", 1000))
	var table word.Table
	b.SetBytes(int64(len(text)))
	for b.Loop() {
		table.Reset(text)
		s := word.NewScanner(text)
		table.Scan(&s, len(text))
	}
}
