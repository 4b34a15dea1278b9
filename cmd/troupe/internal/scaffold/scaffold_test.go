package scaffold_test

import (
	"bufio"
	"bytes"
	"errors"
	"fmt"
	"go/parser"
	"go/token"
	"io"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/troupe-go/troupe/cmd/troupe/internal/scaffold"
	"github.com/troupe-go/troupe/internal/lane"
)

func write(t *testing.T, kind string) (dir string, files []string) {
	t.Helper()
	dir = filepath.Join(t.TempDir(), "my-"+kind)
	files, err := scaffold.Write(scaffold.Config{Name: dir, Module: "example.com/my-" + kind, Kind: kind, Version: "v0.1.0"})
	if err != nil {
		t.Fatal(err)
	}
	return dir, files
}

func TestEachKindHasAllThatAServiceNeeds(t *testing.T) {
	for _, kind := range scaffold.Kinds {
		dir, files := write(t, kind)
		want := []string{".dockerignore", ".gitignore", "Dockerfile", "README.md", "app.go", "app_test.go", "go.mod", "main.go", "my-" + kind + ".service"}
		if !slices.Equal(files, want) {
			t.Errorf("%s has the files %q, want %q", kind, files, want)
		}
		for _, name := range files {
			text, err := os.ReadFile(filepath.Join(dir, name))
			if err != nil {
				t.Fatal(err)
			}
			if bytes.Contains(text, []byte("{{")) || bytes.Contains(text, []byte("<no value>")) {
				t.Errorf("%s of %s has places that are not filled in:\n%s", name, kind, text)
			}
			if filepath.Ext(name) == ".go" {
				if _, err := parser.ParseFile(token.NewFileSet(), name, text, parser.AllErrors); err != nil {
					t.Errorf("%s: %v", kind, err)
				}
			}
		}
	}
}

func TestBadInputIsRefused(t *testing.T) {
	t.Chdir(t.TempDir())
	if err := errors.Join(os.Mkdir("there", 0o755), os.WriteFile("file", nil, 0o600)); err != nil {
		t.Fatal(err)
	}
	for name, tc := range map[string]struct {
		cfg  scaffold.Config
		want string
	}{
		"no name":     {scaffold.Config{Kind: "tcp"}, "the name is empty"},
		"capital":     {scaffold.Config{Name: "Shop", Kind: "tcp"}, `"Shop" is no good name`},
		"space":       {scaffold.Config{Name: "my shop", Kind: "tcp"}, `"my shop" is no good name`},
		"template":    {scaffold.Config{Name: "{{.}}", Kind: "tcp"}, "is no good name"},
		"up":          {scaffold.Config{Name: "..", Kind: "tcp"}, `".." is no good name`},
		"here":        {scaffold.Config{Name: ".", Kind: "tcp"}, `"." is no good name`},
		"flag":        {scaffold.Config{Name: "-x", Kind: "tcp"}, `"-x" is no good name`},
		"newline":     {scaffold.Config{Name: "a\nb", Kind: "tcp"}, "is no good name"},
		"long":        {scaffold.Config{Name: strings.Repeat("a", 65), Kind: "tcp"}, "64 at most"},
		"go's":        {scaffold.Config{Name: "internal", Kind: "tcp"}, "means something else to the go command"},
		"no kind":     {scaffold.Config{Name: "shop"}, `the kind is ""; use one of service, tcp, pipeline`},
		"other kind":  {scaffold.Config{Name: "shop", Kind: "web"}, `the kind is "web"`},
		"bad module":  {scaffold.Config{Name: "shop", Kind: "tcp", Module: "a b"}, `"a b" is no path of a module`},
		"there":       {scaffold.Config{Name: "there", Kind: "tcp"}, "there exists"},
		"a file":      {scaffold.Config{Name: "file", Kind: "tcp"}, "file exists"},
		"no folder":   {scaffold.Config{Name: "gone/shop", Kind: "tcp"}, "the folder gone does not exist"},
		"under there": {scaffold.Config{Name: "there/..", Kind: "tcp"}, `"." is no good name`},
	} {
		t.Run(name, func(t *testing.T) {
			files, err := scaffold.Write(tc.cfg)
			if err == nil || !strings.Contains(err.Error(), tc.want) {
				t.Errorf("got %v, want an error with %q", err, tc.want)
			}
			if !errors.Is(err, scaffold.ErrInput) || files != nil {
				t.Errorf("the error %v is not about the input, or files %q were written", err, files)
			}
		})
	}
	left, err := os.ReadDir(".")
	if err != nil {
		t.Fatal(err)
	}
	if len(left) != 2 {
		t.Errorf("%v are left behind", left)
	}
}

// goCommand runs the go command in dir with a workspace that has the program and this tree, so nothing is fetched.
func goCommand(t *testing.T, dir string, args ...string) {
	t.Helper()
	out, err := exec.Command("go", "env", "GOWORK").Output()
	if err != nil {
		t.Fatal(err)
	}
	work := strings.TrimSpace(string(out))
	text, err := os.ReadFile(work)
	if err != nil {
		t.Fatalf("the test needs the tree with its go.work: %v", err)
	}
	root := filepath.Dir(work)
	text = regexp.MustCompile(`(?m)(^\t|=> )(\.(/\S*)?)$`).ReplaceAllFunc(text, func(m []byte) []byte {
		at := bytes.LastIndexByte(m, '.')
		if i := bytes.Index(m, []byte("./")); i >= 0 {
			at = i
		}
		return fmt.Appendf(nil, "%s%s", m[:at], filepath.Join(root, string(m[at:])))
	})
	text = bytes.Replace(text, []byte("use (\n"), fmt.Appendf(nil, "use (\n\t%s\n", dir), 1)
	sums, err := os.ReadFile(work + ".sum")
	if err != nil {
		t.Fatal(err)
	}
	own := filepath.Join(filepath.Dir(dir), "go.work")
	telemetry := "replace github.com/troupe-go/troupe/inspect/telemetry v0.1.0 => " + filepath.Join(root, "inspect/telemetry") + "\n"
	if err := errors.Join(os.WriteFile(own, append(text, telemetry...), 0o600), os.WriteFile(own+".sum", sums, 0o600)); err != nil {
		t.Fatal(err)
	}
	cmd := exec.Command("go", args...)
	cmd.Dir = dir
	cmd.Env = append(os.Environ(), "GOWORK="+own)
	if out, err := cmd.CombinedOutput(); err != nil {
		t.Fatalf("go %s: %v\n%s", strings.Join(args, " "), err, out)
	}
}

func TestProgramsAreBuiltTestedAndRun(t *testing.T) {
	lane.Check(t)
	for _, kind := range scaffold.Kinds {
		t.Run(kind, func(t *testing.T) {
			dir, _ := write(t, kind)
			goCommand(t, dir, "test", "-ldflags=-w", ".")
			goCommand(t, dir, "build", "-ldflags=-w", "-o", "my-"+kind, ".")
			args := []string{"-http", "127.0.0.1:0"}
			if kind == scaffold.TCP {
				args = append(args, "-listen", "127.0.0.1:0")
			}
			cmd := exec.Command(filepath.Join(dir, "my-"+kind), args...)
			cmd.Dir, cmd.Stderr = dir, os.Stderr
			cmd.Env = append(os.Environ(), "TROUPE_TOKEN=")
			stdout, err := cmd.StdoutPipe()
			if err != nil {
				t.Fatal(err)
			}
			if err := cmd.Start(); err != nil {
				t.Fatal(err)
			}
			lines := bufio.NewScanner(stdout)
			lines.Scan()
			page, found := strings.CutPrefix(lines.Text(), "the page is at ")
			if !found {
				_ = cmd.Process.Kill()
				t.Fatalf("it printed %q", lines.Text())
			}
			look(t, kind, strings.TrimSuffix(page, "/troupe/"))
			if err := cmd.Process.Signal(os.Interrupt); err != nil {
				t.Fatal(err)
			}
			for lines.Scan() { // Up to the end of the program.
			}
			if err := cmd.Wait(); err != nil {
				t.Errorf("it ended with %v", err)
			}
		})
	}
}

// look asks the program for all that it serves.
func look(t *testing.T, kind, url string) {
	t.Helper()
	client := &http.Client{Transport: &http.Transport{DisableKeepAlives: true}}
	paths := map[string]string{
		"/livez":                `"healthy"`,
		"/readyz":               `"healthy"`,
		"/metrics":              "troupe_",
		"/troupe/":              "<html",
		"/troupe/api/findings":  "[",
		"/troupe/api/tree":      "app",
		"/troupe/api/no-such-a": "",
	}
	switch kind {
	case scaffold.Service:
		paths["/visits/ann"] = "visit 1 of ann\n"
		paths["/visits/"+strings.Repeat("x", 101)] = "a name has 1 to 100 bytes"
	case scaffold.Pipeline:
		paths["/total"] = "\n"
	}
	for path, want := range paths {
		answer, err := client.Get(url + path)
		if err != nil {
			t.Errorf("%s: %v", path, err)
			continue
		}
		text, err := io.ReadAll(answer.Body)
		_ = answer.Body.Close()
		if err != nil || !strings.Contains(string(text), want) {
			t.Errorf("%s is %s, %v, want %q in it:\n%.500s", path, answer.Status, err, want, text)
		}
	}
}
