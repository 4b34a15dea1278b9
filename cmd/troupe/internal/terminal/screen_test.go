package terminal_test

import (
	"bytes"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/troupe-go/troupe/cmd/troupe/internal/terminal"
)

func write(s *terminal.Screen, text string) *terminal.Screen {
	_, _ = s.Write([]byte(text))
	return s
}

func TestScreen(t *testing.T) {
	for name, c := range map[string]struct{ output, want string }{
		"text":              {"ab\r\ncd", "ab|cd||"},
		"wrap":              {"abcdefgh", "abcdef|gh||"},
		"pending wrap":      {"abcdef\rX", "Xbcdef|||"},
		"scroll":            {"1\r\n2\r\n3\r\n4\r\n5", "2|3|4|5"},
		"region":            {"\x1b[4;1Hx\x1b[1;3r1\r\n2\r\n3\r\n4", "2|3|4|x"},
		"below the region":  {"\x1b[1;2r\x1b[4;1Ha\nb", "|||ab"},
		"positions":         {"\x1b[2;3Ha\x1b[Ab\x1b[2Bc\x1b[5Dd", "   b|  a|d   c|"},
		"beyond":            {"\x1b[99;99Hx\x1b[1;1H\x1b[9999999999Cy", "     y|||     x"},
		"tab and backspace": {"\tx\b\by", "   y x|||"},
		"erase line":        {"abcdef\x1b[1;3H\x1b[K", "ab|||"},
		"erase before":      {"abcdef\x1b[1;3H\x1b[1K", "   def|||"},
		"erase screen":      {"ab\r\ncd\x1b[2J", "|||"},
		"erase above":       {"ab\r\ncd\r\nef\x1b[2;1H\x1b[1J", "| d|ef|"},
		"erase below":       {"ab\r\ncd\r\nef\x1b[2;2H\x1b[J", "ab|c||"},
		"erase characters":  {"abcdef\x1b[1;2H\x1b[2X", "a  def|||"},
		"insert":            {"abcdef\x1b[1;2H\x1b[2@", "a  bcd|||"},
		"delete":            {"abcdef\x1b[1;2H\x1b[2P", "adef|||"},
		"insert lines":      {"1\r\n2\r\n3\x1b[2;1H\x1b[L", "1||2|3"},
		"delete lines":      {"1\r\n2\r\n3\x1b[2;1H\x1b[M", "1|3||"},
		"scroll up":         {"1\r\n2\x1b[S", "2|||"},
		"scroll down":       {"1\r\n2\x1b[T", "|1|2|"},
		"reverse":           {"1\x1bM2", " 2|1||"},
		"saved":             {"ab\x1b7\x1b[3;3Hx\x1b8c", "abc||  x|"},
		"wide":              {"漢字\x1b[1;2Hx", " x字|||"},
		"wide at the end":   {"abcde漢", "abcde|漢||"},
		"narrow":            {"größe→", "größe→|||"},
		"combining":         {"e\u0301x", "ex|||"},
		"title":             {"\x1b]0;title\x07a\x1b]2;more\x1b\\b", "ab|||"},
		"modes":             {"\x1b[?25l\x1b[?2004h\x1b(Ba", "a|||"},
		"reset":             {"ab\x1b[2;3r\x1bcx", "x|||"},
		"cancelled":         {"\x1b[12\x18a", "a|||"},
	} {
		t.Run(name, func(t *testing.T) {
			got := write(terminal.NewScreen(4, 6), c.output).String()
			rows := strings.Split(strings.TrimSuffix(got, "\n"), "\n")
			for i := range rows {
				rows[i] = strings.TrimRight(rows[i], " ")
			}
			if got := strings.Join(rows, "|"); got != c.want {
				t.Errorf("%q shows %q, want %q", c.output, got, c.want)
			}
		})
	}
}

// TestStylesAreComparedByTheirLook: what looks different is not equal, and what looks the same is.
func TestStylesAreComparedByTheirLook(t *testing.T) {
	for _, c := range []struct {
		a, b string
		same bool
	}{
		{"\x1b[1mx\x1b[0m", "x", false},
		{"\x1b[31mx\x1b[0m", "\x1b[32mx\x1b[0m", false},
		{"\x1b[31mx\x1b[0m", "\x1b[38;5;0mx\x1b[0m", false},
		{"\x1b[31mx\x1b[39m", "\x1b[38;5;1mx\x1b[m", true},
		{"\x1b[94mx\x1b[m", "\x1b[38;5;12mx\x1b[m", true},
		{"\x1b[38;2;0;0;0mx\x1b[m", "x", false},
		{"\x1b[48;2;1;2;3;1mx\x1b[m", "\x1b[1m\x1b[48;2;1;2;3mx\x1b[m", true},
		{"\x1b[1;4;22mx\x1b[m", "\x1b[4mx\x1b[m", true},
		{"\x1b[7mx\x1b[27m", "\x1b[7mx\x1b[m", true},
		{"\x1b[41m\x1b[K\x1b[m", "", false},
		{"\x1b[38;5mx\x1b[m", "x", true},
		{"x", "x\x1b[2;3r\x1b[1;2H", false}, // It will scroll in another way.
	} {
		a, b := write(terminal.NewScreen(4, 6), c.a), write(terminal.NewScreen(4, 6), c.b)
		if a.Equal(b) != c.same {
			t.Errorf("%q and %q: equal is %v, want %v", c.a, c.b, !c.same, c.same)
		}
	}
}

// TestIncremental cuts output anywhere.
func TestIncremental(t *testing.T) {
	text := terminal.Flood(7, 4*terminal.ChunkSize)
	whole, single := terminal.NewScreen(terminal.Rows, terminal.Cols), terminal.NewScreen(terminal.Rows, terminal.Cols)
	_, _ = whole.Write(text)
	for i := range text {
		_, _ = single.Write(text[i : i+1])
	}
	if !whole.Equal(single) {
		t.Errorf("byte by byte it shows\n%s\nbut as a whole\n%s", single, whole)
	}
}

func FuzzScreen(f *testing.F) {
	f.Add([]byte("a\x1b[38;5;1mb\x1b[2;3r\x1b[4Lx\x1b[9Pß漢\x1b]0;t\x07\x90q\x9c"), uint64(1))
	f.Add([]byte("\x1b[;;;;H\x1b[99999999999999999999A\x1b[0r\x1b[-1C\xff\xfe"), uint64(2))
	f.Fuzz(func(t *testing.T, text []byte, seed uint64) {
		whole, parts := terminal.NewScreen(4, 6), terminal.NewScreen(4, 6)
		_, _ = whole.Write(text)
		r := rand.New(rand.NewPCG(seed, 0))
		for rest := text; len(rest) > 0; {
			n := 1 + r.IntN(len(rest))
			_, _ = parts.Write(rest[:n])
			rest = rest[n:]
		}
		if !whole.Equal(parts) {
			t.Errorf("%q shows\n%s\nbut in parts\n%s", text, whole, parts)
		}
	})
}

// TestFlood: each chunk stands by itself, so that answers to keys can come between.
func TestFlood(t *testing.T) {
	text := terminal.Flood(1, terminal.Megabyte)
	if len(text) != terminal.Megabyte || !bytes.Equal(text, terminal.Flood(1, terminal.Megabyte)) {
		t.Fatal("the output has another length, or is another one each time")
	}
	plain, between := terminal.NewScreen(terminal.Rows, terminal.Cols), terminal.NewScreen(terminal.Rows, terminal.Cols)
	region := "\x1b[1;23r\x1b[1;1H"
	write(plain, region)
	write(between, region)
	for len(text) > 0 {
		_, _ = plain.Write(text[:terminal.ChunkSize])
		_, _ = between.Write(text[:terminal.ChunkSize])
		write(between, "\x1b7\x1b[24;1Hx\x1b8")
		text = text[terminal.ChunkSize:]
	}
	if write(plain, "\x1b7\x1b[24;1Hx\x1b8"); !plain.Equal(between) {
		t.Errorf("with answers between it shows\n%s\nbut with one at the end\n%s", between, plain)
	}
}

func BenchmarkScreen(b *testing.B) {
	text := terminal.Flood(1, terminal.Megabyte)
	s := terminal.NewScreen(terminal.Rows, terminal.Cols)
	b.SetBytes(terminal.Megabyte)
	for b.Loop() {
		_, _ = s.Write(text)
	}
}
