package main_test

import (
	"os"
	"slices"
	"strings"
	"testing"

	main "github.com/troupe-go/troupe/internal/house"
)

func TestPatternsMatchTheirExamples(t *testing.T) {
	text, err := os.ReadFile("prose.txt")
	if err != nil {
		t.Fatal(err)
	}
	patterns, err := main.Patterns(string(text))
	if err != nil {
		t.Fatal(err)
	}
	for _, p := range patterns {
		if len(p.Stilted) == 0 || len(p.Plain) == 0 {
			t.Errorf("a pattern %s has no examples", p.Name)
		}
		for _, s := range p.Stilted {
			if !p.Matches(s) {
				t.Errorf("pattern %s does not match %q", p.Name, s)
			}
		}
		for _, s := range p.Plain {
			for _, other := range patterns {
				if other.Matches(s) {
					t.Errorf("pattern %s matches the plain sentence %q", other.Name, s)
				}
			}
		}
	}
}

func TestBadPatterns(t *testing.T) {
	for text, want := range map[string]string{
		"who":         "line 1: \"who\" is not a name and a regular expression",
		"# A.\nwho (": "line 2: error parsing regexp",
	} {
		if _, err := main.Patterns(text); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%q: %v, want %s", text, err, want)
		}
	}
}

func TestSentencesThatMatch(t *testing.T) {
	root := t.TempDir()
	write(t, root, "a.go", "package a\n\n// Whoever reads it. A reader\n// wakes whoever waits for that of x.\n")
	write(t, root, "b.md", "Call `whoever` here. Not that.\n")
	write(t, root, "c.txt", "Whoever reads a text.\n")
	for _, folder := range []string{"testdata", ".hidden", "_old"} {
		if err := os.Mkdir(root+"/"+folder, 0o777); err != nil {
			t.Fatal(err)
		}
		write(t, root, folder+"/d.md", "Whoever reads test data.\n")
	}
	hits, sentences, err := main.Hits(root, "who [Ww]hoever\nof that of\nwho Whoever reads\n")
	want := []string{
		"a.go:3: Whoever reads it. [who]",
		"a.go:3: A reader wakes whoever waits for that of x. [who, of]",
	}
	if err != nil || sentences != 4 || !slices.Equal(hits, want) {
		t.Errorf("%v, %d sentences, %q", err, sentences, hits)
	}
}

func TestSentencesOfComments(t *testing.T) {
	compare(t, "a.go", `// Package a is first. It goes
// on here, e.g. So, and v1.2 ends.
//
//	code is Left out. Quite.
//
// A list:
//   - An item of two
//     lines.
//   - Another (with an end.) And more?
//
//go:generate nothing to See. Here
package a

/* A block
comment. */

var x int // Behind code.
var y int //nolint:unused // A directive.
`,
		"1: Package a is first.",
		"1: It goes on here, e.g. So, and v1.2 ends.",
		"6: A list:",
		"7: An item of two lines.",
		"9: Another (with an end.)",
		"9: And more?",
		"14: A block comment.",
		"17: Behind code.")
}

func TestSentencesOfDocuments(t *testing.T) {
	compare(t, "a.md", "# A heading\nText begins *here*. `Code` goes\non. A \"quoted end.\" The end\n\n"+
		"```go\n// Not this. Nor that.\n```\n\n    Indented code too.\n\n- An item\n  of two lines\n\n    and its second paragraph.\n1. One more\n\n"+
		"| head one | head two |\n|---|---|\n| A cell. It has two. | word |\n\n> A quotation\n> of two lines.\n\n"+
		"~~~~\n~~~\nStill code.\n~~~~\nAfter all.",
		"1: A heading",
		"2: Text begins *here*.",
		"2: `Code` goes on.",
		"3: A \"quoted end.\"",
		"3: The end",
		"11: An item of two lines",
		"14: and its second paragraph.",
		"15: One more",
		"17: head one",
		"17: head two",
		"19: A cell.",
		"19: It has two.",
		"21: A quotation of two lines.",
		"28: After all.")
}

// compare compares the sentences of a file with those wanted.
func compare(t *testing.T, name, text string, want ...string) {
	t.Helper()
	got, err := main.Sentences(name, text)
	if err != nil {
		t.Fatal(err)
	}
	for i, s := range got {
		got[i] = strings.TrimSuffix(strings.TrimPrefix(s, name+":"), " []")
	}
	if !slices.Equal(got, want) {
		t.Errorf("got\n%s\nwant\n%s", strings.Join(got, "\n"), strings.Join(want, "\n"))
	}
}
