package troupe_test

import (
	"fmt"
	"io/fs"
	"os"
	"path"
	"slices"
	"strings"
	"testing"
)

// publicPackages returns the folders with a package that users may import: all with a doc.go
// outside of internal, cmd, bench, examples and testdata.
func publicPackages(fsys fs.FS) (folders []string, err error) {
	err = fs.WalkDir(fsys, ".", func(p string, e fs.DirEntry, err error) error {
		name := e.Name()
		switch {
		case err != nil:
			return err
		case e.IsDir() && p != "." && (strings.HasPrefix(name, ".") ||
			slices.Contains([]string{"internal", "cmd", "bench", "examples", "testdata"}, name)):
			return fs.SkipDir
		case name == "doc.go" && path.Dir(p) != ".":
			folders = append(folders, path.Dir(p))
		}
		return nil
	})
	return folders, err
}

// unlisted returns the folders that the map of packages does not list.
func unlisted(doc string, folders []string) (missing []string) {
	for _, f := range folders {
		if !strings.Contains(doc, fmt.Sprintf("[github.com/troupe-go/troupe/%s]", f)) {
			missing = append(missing, f)
		}
	}
	return missing
}

func TestMapListsEachPackage(t *testing.T) {
	folders, err := publicPackages(os.DirFS("."))
	if err != nil {
		t.Fatal(err)
	}
	if len(folders) < 10 {
		t.Errorf("only %v are packages", folders)
	}
	doc, err := os.ReadFile("doc.go")
	if err != nil {
		t.Fatal(err)
	}
	if missing := unlisted(string(doc), folders); len(missing) != 0 {
		t.Errorf("doc.go does not list %v; add a line for each", missing)
	}
}

func TestUnlistedPackageIsReported(t *testing.T) {
	missing := unlisted("//   - [github.com/troupe-go/troupe/sched] runs jobs.", []string{"sched", "sched/other"})
	if !slices.Equal(missing, []string{"sched/other"}) {
		t.Errorf("missing are %v, want [sched/other]", missing)
	}
}
