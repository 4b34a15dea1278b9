package vet_test

import (
	"os"
	"strings"
	"testing"

	"golang.org/x/tools/go/analysis"
	"golang.org/x/tools/go/analysis/analysistest"

	"github.com/troupe-go/troupe/internal/lane"
	"github.com/troupe-go/troupe/vet"
)

// testdata is a module that uses the real packages. Each line with a mistake says what is wanted, and all other lines are
// false cases, for all analyzers: they run together, so that the packages are loaded once.
func TestAnalyzersFindMistakesAndNothingElse(t *testing.T) {
	lane.Check(t)
	all := &analysis.Analyzer{Name: "all", Doc: "all", Run: func(pass *analysis.Pass) (any, error) {
		for _, a := range vet.Analyzers() {
			if _, err := a.Run(pass); err != nil {
				return nil, err
			}
		}
		return nil, nil
	}}
	analysistest.Run(t, analysistest.TestData(), all, "./...")
}

// Each analyzer has at least five mistakes to find, in the folder of its name.
func TestEachAnalyzerHasFiveMistakes(t *testing.T) {
	for _, a := range vet.Analyzers() {
		files, err := os.ReadDir("testdata/" + a.Name)
		if err != nil {
			t.Fatal(err)
		}
		mistakes := 0
		for _, f := range files {
			text, err := os.ReadFile("testdata/" + a.Name + "/" + f.Name())
			if err != nil {
				t.Fatal(err)
			}
			mistakes += strings.Count(string(text), "// want `")
		}
		if mistakes < 5 {
			t.Errorf("%s has %d mistakes, want 5", a.Name, mistakes)
		}
	}
}

func TestAnalyzersAreWellFormed(t *testing.T) {
	if err := analysis.Validate(vet.Analyzers()); err != nil {
		t.Error(err)
	}
	vet.Analyzers()[0] = nil
	if vet.Analyzers()[0] == nil {
		t.Error("the caller's slice is not its own")
	}
}
