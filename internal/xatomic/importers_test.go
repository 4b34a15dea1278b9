package xatomic_test

import (
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
)

// A package that uses a type of sync or sync/atomic by its alias here has to import that package itself, if only for
// nothing: else the compiler calls the methods instead of inlining them. A message costs 6 % more by that.
func TestImportersInline(t *testing.T) {
	uses := map[string]*regexp.Regexp{
		`"sync"`:        regexp.MustCompile(`xatomic\.Mutex\b`),
		`"sync/atomic"`: regexp.MustCompile(`xatomic\.(Bool|Int32|Int64|Uint32|Uint64|Uintptr|Pointer)\b`),
	}
	sources := map[string]string{} // The text of each package, by its folder.
	err := filepath.WalkDir("../..", func(path string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() || !strings.HasSuffix(path, ".go") || strings.HasSuffix(path, "_test.go") {
			return err
		}
		text, err := os.ReadFile(path)
		sources[filepath.Dir(path)] += string(text)
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	found := 0
	for folder, text := range sources {
		for path, use := range uses {
			if !use.MatchString(text) {
				continue
			}
			found++
			if !strings.Contains(text, path) {
				t.Errorf("%s uses %s, and does not import %s", folder, use.FindString(text), path)
			}
		}
	}
	if found < 10 {
		t.Errorf("%d uses were found; does the test look in the right place?", found)
	}
}
