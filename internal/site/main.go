// Command site prepares the documentation for MkDocs, and checks the links of what MkDocs has made of it.
//
//	go run ./internal/site -to .site           # Writes .site/mkdocs.yml and .site/pages.
//	go run ./internal/site -check .site/html   # Lists links that lead nowhere, and fails if there are any.
//
// The pages are the Markdown files of the repository, at their own paths, and a page of the reference for each public package,
// made from its comments with the examples first.
package main

import (
	"errors"
	"flag"
	"fmt"
	"io/fs"
	"os"
	"os/exec"
	"path"
	"path/filepath"
	"strings"
)

func main() {
	to := flag.String("to", "", "the folder to write the pages to")
	check := flag.String("check", "", "the folder of finished pages whose links are checked")
	flag.Parse()
	if err := run(*to, *check); err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}

func run(to, check string) error {
	if (to == "") == (check == "") {
		return errors.New("site: give either -to FOLDER or -check FOLDER")
	}
	if check != "" {
		broken, links, err := brokenLinks(os.DirFS(check))
		if err != nil {
			return err
		}
		for _, b := range broken {
			_, _ = fmt.Fprintln(os.Stdout, b)
		}
		if len(broken) > 0 || links == 0 {
			return fmt.Errorf("site: %d of %d links in %s lead nowhere", len(broken), links, check)
		}
		_, _ = fmt.Fprintf(os.Stdout, "%d links lead somewhere\n", links)
		return nil
	}
	folders, err := publicPackages()
	if err != nil {
		return err
	}
	return write(os.DirFS("."), folders, to)
}

// publicPackages lists the folders of the root module's packages that users import.
func publicPackages() ([]string, error) {
	out, err := exec.Command("go", "list", "-f", "{{.Name}} {{.Dir}}", "./...").Output()
	if err != nil {
		return nil, fmt.Errorf("site: list packages: %w", err)
	}
	module, err := os.Getwd()
	if err != nil {
		return nil, err
	}
	var folders []string
	for line := range strings.Lines(string(out)) {
		name, folder, _ := strings.Cut(strings.TrimSpace(line), " ")
		rel, err := filepath.Rel(module, folder)
		if err != nil {
			return nil, err
		}
		rel = filepath.ToSlash(rel)
		if name == "main" || rel == "." || strings.Contains("/"+rel+"/", "/internal/") || strings.HasPrefix(rel, "examples/") {
			continue
		}
		folders = append(folders, rel)
	}
	return folders, nil
}

// write writes the pages of a repository, and the configuration of MkDocs.
func write(repository fs.FS, folders []string, to string) error {
	s := &site{repository: repository, packages: map[string]string{}}
	for _, f := range folders {
		s.packages[f] = apiPage(f)
	}
	files, err := s.collect()
	if err != nil {
		return err
	}
	for _, f := range folders {
		text, err := s.reference(f)
		if err != nil {
			return err
		}
		files[apiPage(f)] = []byte(text)
	}
	for name, text := range files {
		target := filepath.Join(to, "pages", filepath.FromSlash(name))
		if err := os.MkdirAll(filepath.Dir(target), 0o750); err != nil {
			return err
		}
		if err := os.WriteFile(target, text, 0o600); err != nil {
			return err
		}
	}
	nav, err := s.nav(folders)
	if err != nil {
		return err
	}
	return os.WriteFile(filepath.Join(to, "mkdocs.yml"), []byte(settings+nav), 0o600)
}

// settings is for MkDocs 1.4 and later, with the theme and the search that come with it.
const settings = `site_name: Troupe
docs_dir: pages
site_dir: html
use_directory_urls: false
theme:
  name: readthedocs
plugins:
  - search
markdown_extensions:
  - attr_list
  - sane_lists
`

// apiPage is the path of a package's page.
func apiPage(folder string) string { return "api/" + strings.ReplaceAll(folder, "/", "-") + ".md" }

// nav is the menu: the guide in the order of its index, the rules, the packages, the other pages.
func (s *site) nav(folders []string) (string, error) {
	var b strings.Builder
	b.WriteString("nav:\n  - Troupe: README.md\n  - Guide:\n    - docs/guide/README.md\n")
	index, err := fs.ReadFile(s.repository, "docs/guide/README.md")
	if err != nil {
		return "", err
	}
	listed := map[string]bool{"docs/guide/README.md": true}
	for _, m := range inline.FindAllStringSubmatch(string(index), -1) {
		page := path.Join("docs/guide", m[2])
		if path.Dir(page) == "docs/guide" && path.Ext(page) == ".md" && !listed[page] {
			listed[page] = true
			fmt.Fprintf(&b, "    - %s\n", page)
		}
	}
	for _, part := range []struct{ title, pattern string }{{"", "docs/guide/*.md"}, {"Rules", "docs/reference/*.md"}, {"More", "docs/*.md"}} {
		pages, err := fs.Glob(s.repository, part.pattern)
		if err != nil {
			return "", err
		}
		if part.title != "" {
			fmt.Fprintf(&b, "  - %s:\n", part.title)
		}
		for _, page := range pages {
			if !listed[page] {
				fmt.Fprintf(&b, "    - %s\n", page)
			}
		}
	}
	b.WriteString("  - Packages:\n")
	for _, f := range folders {
		fmt.Fprintf(&b, "    - %s: %s\n", f, apiPage(f))
	}
	b.WriteString("  - Project:\n    - ARCHITECTURE.md\n    - CONTRIBUTING.md\n    - CHANGELOG.md\n    - Decisions: docs/decisions/README.md\n")
	return b.String(), nil
}
