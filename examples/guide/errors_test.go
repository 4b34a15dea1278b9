package guide_test

import (
	"os"
	"os/exec"
	"regexp"
	"strings"
	"testing"

	"github.com/troupe-go/troupe/internal/lane"
)

var (
	place    = regexp.MustCompile(`(?m)^\S*infer\.go:\d+:\d+: (.*)$`)
	declared = regexp.MustCompile(` \(declared at [^)]*\)`)
)

// The page shows what the compiler says about each mistake in testdata/infer.
func TestPageShowsTheWordsOfTheCompiler(t *testing.T) {
	lane.Check(t)
	page, err := os.ReadFile("../../docs/guide/kinds-of-messages.md")
	if err != nil {
		t.Fatal(err)
	}
	out, err := exec.Command("go", "build", "./testdata/infer").CombinedOutput()
	if err == nil {
		t.Fatal("the mistakes compile")
	}
	errs := place.FindAllStringSubmatch(string(out), -1)
	if len(errs) < 7 {
		t.Errorf("the compiler found %d mistakes, want 7:\n%s", len(errs), out)
	}
	for _, e := range errs {
		words := declared.ReplaceAllString(e[1], "")
		if !strings.Contains(string(page), "    "+words+"\n") {
			t.Errorf("the page does not show %q", words)
		}
	}
}
