package word_test

import (
	"slices"
	"strings"
	"testing"
	"unicode"

	"pgregory.net/rapid"

	"github.com/troupe-go/troupe/cmd/troupe/internal/word"
)

// naive finds words the obvious way.
func naive(text []byte) []string {
	runs := strings.FieldsFunc(string(text), func(r rune) bool {
		return r != '_' && !unicode.IsLetter(r) && !unicode.IsDigit(r)
	})
	return slices.DeleteFunc(runs, func(run string) bool {
		return unicode.IsDigit([]rune(run)[0])
	})
}

// scan finds words in steps that end at the given limits and then at the end of the text.
func scan(text []byte, limits ...int) []string {
	var words []string
	s := word.NewScanner(text)
	for _, limit := range append(limits, len(text)) {
		for w := s.Next(limit); w != nil; w = s.Next(limit) {
			words = append(words, string(w))
		}
	}
	return words
}

// text draws bytes in which words, numbers, wide letters and broken encodings meet.
func text() *rapid.Generator[[]byte] {
	piece := rapid.OneOf(
		rapid.SampledFrom([]string{" ", "_", "a", "Zz9", "0x1F", "9lives", "é", "世界", "١٢", "\xff", "\xe4\xb8", "\u2028", "𝒳", "ﬁ", "\x00", "-", "\n"}),
		rapid.String(),
		rapid.Custom(func(t *rapid.T) string { return string(rapid.SliceOf(rapid.Byte()).Draw(t, "bytes")) }),
	)
	return rapid.Custom(func(t *rapid.T) []byte {
		return []byte(strings.Join(rapid.SliceOf(piece).Draw(t, "pieces"), ""))
	})
}

func TestScanner(t *testing.T) {
	for in, want := range map[string][]string{
		"":                    nil,
		"  \t\n":              nil,
		"func main() {}":      {"func", "main"},
		"x1 := 0x1F + 9lives": {"x1"},
		"_ __ _a 1_a":         {"_", "__", "_a"},
		"naïve Ελλάδα 世界 ١٢a": {"naïve", "Ελλάδα", "世界"},
		"a\xffb a\xe4\xb8":    {"a", "b", "a"},
		"a\u2028b":            {"a", "b"},
	} {
		if got := scan([]byte(in)); !slices.Equal(got, want) {
			t.Errorf("the words of %q are %q, want %q", in, got, want)
		}
	}
}

func TestScannerAgreesWithNaive(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		text := text().Draw(t, "text")
		limits := rapid.SliceOf(rapid.IntRange(0, len(text)+2)).Draw(t, "limits")
		slices.Sort(limits)
		if got, want := scan(text, limits...), naive(text); !slices.Equal(got, want) {
			t.Fatalf("in steps to %v the words are %q, want %q", limits, got, want)
		}
	})
}

func TestScannerReachesItsLimit(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		text := text().Draw(t, "text")
		limit := rapid.IntRange(0, len(text)).Draw(t, "limit")
		s := word.NewScanner(text)
		for s.Next(limit) != nil {
		}
		if s.Pos() < limit || s.Pos() > limit+3 {
			t.Fatalf("told to stop at %d the scanner is at %d", limit, s.Pos())
		}
		for s.Next(len(text)) != nil {
		}
		if !s.Done() {
			t.Fatalf("the scanner isn't done at %d of %d", s.Pos(), len(text))
		}
	})
}

func FuzzScanner(f *testing.F) {
	f.Add([]byte("func 世界(x1 int) { return 0x1F }"), 3)
	f.Add([]byte("a\xff_b\xe4\xb8"), 1)
	f.Fuzz(func(t *testing.T, text []byte, limit int) {
		limit = min(max(limit, 0), len(text))
		if got, want := scan(text, limit), naive(text); !slices.Equal(got, want) {
			t.Errorf("with a stop at %d the words are %q, want %q", limit, got, want)
		}
	})
}
