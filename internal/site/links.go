package main

import (
	"fmt"
	"html"
	"io/fs"
	"net/url"
	"path"
	"regexp"
	"slices"
	"strings"
)

var (
	target = regexp.MustCompile(`\s(?:href|src)="([^"]*)"`)
	anchor = regexp.MustCompile(`\s(?:id|name)="([^"]*)"`)
	// Scripts have addresses in strings, which are no links.
	scripts = regexp.MustCompile(`(?s)<script.*?</script>`)
)

// brokenLinks follows all links of a folder of HTML to its files and anchors. Links to other hosts are not followed.
func brokenLinks(folder fs.FS) (broken []string, links int, err error) {
	pages := map[string]string{}
	err = fs.WalkDir(folder, ".", func(name string, entry fs.DirEntry, err error) error {
		if err != nil || entry.IsDir() || path.Ext(name) != ".html" || path.Base(name) == "404.html" {
			return err
		}
		text, err := fs.ReadFile(folder, name)
		pages[name] = scripts.ReplaceAllString(string(text), "")
		return err
	})
	if err != nil {
		return nil, 0, err
	}
	anchors := map[string]map[string]bool{}
	for name, text := range pages {
		anchors[name] = map[string]bool{"": true}
		for _, m := range anchor.FindAllStringSubmatch(text, -1) {
			anchors[name][html.UnescapeString(m[1])] = true
		}
	}
	for name, text := range pages {
		for _, m := range target.FindAllStringSubmatch(text, -1) {
			u, err := url.Parse(html.UnescapeString(m[1]))
			if err != nil {
				broken = append(broken, fmt.Sprintf("%s: %q is no address: %v", name, m[1], err))
				continue
			}
			if u.Scheme != "" || u.Host != "" {
				continue
			}
			links++
			to := name
			if u.Path != "" {
				to = path.Join(path.Dir(name), u.Path)
			}
			if info, err := fs.Stat(folder, to); err == nil && info.IsDir() {
				to = path.Join(to, "index.html")
			}
			if _, err := fs.Stat(folder, to); err != nil {
				broken = append(broken, fmt.Sprintf("%s: nothing is at %s", name, m[1]))
			} else if known := anchors[to]; known != nil && !known[u.Fragment] && !strings.HasPrefix(u.Fragment, ":~:") {
				broken = append(broken, fmt.Sprintf("%s: %s has no part %q", name, to, u.Fragment))
			}
		}
	}
	slices.Sort(broken)
	return slices.Compact(broken), links, nil
}
