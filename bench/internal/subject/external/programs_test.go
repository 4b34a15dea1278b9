package external_test

import (
	"strings"
	"testing"

	"github.com/troupe-go/troupe/bench/internal/subject/external"
	"github.com/troupe-go/troupe/bench/internal/workload"
	"github.com/troupe-go/troupe/internal/bench/suite"
)

// programs are the subjects that stand beside the C library.
var programs = []*suite.Subject{&external.Libtroupe, &external.LibtroupeLight, &external.Erlang, &external.Tokio}

// Each workload of the C library is run once and as small as it gets, so that none can rot. The figures say nothing: go run .
// measures.
func BenchmarkPrograms(b *testing.B) {
	for _, s := range programs {
		b.Run(s.Name, func(b *testing.B) {
			for _, w := range workload.All {
				if external.LibtroupeRuns(w.Name) {
					b.Run(w.Name, func(b *testing.B) { smoke(b, s, w) })
				}
			}
		})
	}
}

func smoke(b *testing.B, s *suite.Subject, w *suite.Workload) {
	if why := s.Cannot(w); why != "" {
		b.Skipf("%s: %s", s.Name, why)
	}
	for b.Loop() {
		if _, err := suite.Smoke(w, s.Runs[w.Name]); err != nil {
			b.Fatal(err)
		}
	}
}

// A program that does not compile tells what the compiler says, and is tried again.
func TestAProgramThatDoesNotCompile(t *testing.T) {
	t.Setenv("TMPDIR", t.TempDir())
	for range 2 {
		_, err := external.Compile(map[string]string{"a.txt": "text"}, "cat", "a.txt", "no-such-file")
		if err == nil || !strings.Contains(err.Error(), "no-such-file") {
			t.Errorf("error is %v, want what the compiler says", err)
		}
	}
	first, err := external.Compile(map[string]string{"a.txt": "text"}, "cp", "a.txt", "b.txt")
	if err != nil {
		t.Fatal(err)
	}
	if again, err := external.Compile(map[string]string{"a.txt": "text"}, "no-such-compiler"); err != nil || again != first {
		t.Errorf("what was compiled is in %s, %v, want %s", again, err, first)
	}
	if other, err := external.Compile(map[string]string{"a.txt": "other"}, "cp", "a.txt", "b.txt"); err != nil || other == first {
		t.Errorf("another source is in %s, %v, want a folder of its own", other, err)
	}
}
