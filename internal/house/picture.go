package main

import (
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
)

const (
	pageFile     = "ARCHITECTURE.md"
	pictureBegin = "<!-- The picture below is drawn by go run ./internal/house -draw. -->\n"
	pictureEnd   = "<!-- The picture ends here. -->\n"
)

// commands are folders whose packages are one room each in the picture: the command, and what belongs to it.
var commands = []string{"cmd/troupe"}

// undrawn are folders that are no rooms of the house: example programs, and benchmarks beside other libraries.
var undrawn = []string{"examples", "bench", "internal/bench"}

// roomOf returns the room of the picture that a package belongs to, or "".
func roomOf(name string) string {
	within := func(dir string) bool { return name == dir || strings.HasPrefix(name, dir+"/") }
	if name == "." || slices.ContainsFunc(undrawn, within) {
		return ""
	}
	if i := slices.IndexFunc(commands, within); i >= 0 {
		return commands[i]
	}
	return name
}

// rooms returns, for each room, the rooms that its packages import. An internal room that no other room of the picture
// imports serves tests alone, and is left out.
func rooms(sources []*source) map[string][]string {
	byPath := map[string]string{}
	for _, s := range sources {
		byPath[s.types.Path()] = roomOf(s.name)
	}
	arrows := map[string][]string{}
	for _, s := range sources {
		from := roomOf(s.name)
		if from == "" {
			continue
		}
		arrows[from] = slices.Clip(arrows[from]) // A room without arrows is in the picture, too.
		for _, p := range s.types.Imports() {
			if to := byPath[p.Path()]; to != "" && to != from && !slices.Contains(arrows[from], to) {
				arrows[from] = append(arrows[from], to)
			}
		}
	}
	for {
		imported := map[string]bool{}
		for _, all := range arrows {
			for _, to := range all {
				imported[to] = true
			}
		}
		before := len(arrows)
		maps.DeleteFunc(arrows, func(room string, _ []string) bool {
			return strings.Contains("/"+room+"/", "/internal/") && !imported[room]
		})
		if len(arrows) == before {
			return arrows
		}
	}
}

// leads reports whether arrows lead from one room to another by way of a third.
func leads(arrows map[string][]string, from, to string) bool {
	seen := map[string]bool{}
	var visit func(room string) bool
	visit = func(room string) bool {
		for _, next := range arrows[room] {
			if next == to && room != from {
				return true
			}
			if next != to && !seen[next] {
				seen[next] = true
				if visit(next) {
					return true
				}
			}
		}
		return false
	}
	return visit(from)
}

// draw returns the picture of the rooms: an arrow for each import that no chain of other arrows shows.
func draw(sources []*source) string {
	arrows := rooms(sources)
	names := slices.Sorted(maps.Keys(arrows))
	seen := map[string]bool{}
	node := func(room string) string { // With its name where it is seen first.
		id := strings.ReplaceAll(room, "/", "_")
		if seen[room] || id == room {
			return id
		}
		seen[room] = true
		return fmt.Sprintf("%s[\"%s\"]", id, room)
	}
	var b strings.Builder
	b.WriteString("\n```mermaid\ngraph TD\n")
	for _, from := range names {
		line := "  " + node(from)
		slices.Sort(arrows[from])
		arrow := " --> "
		for _, to := range arrows[from] {
			if !leads(arrows, from, to) {
				line += arrow + node(to)
				arrow = " & "
			}
		}
		b.WriteString(line + "\n")
	}
	b.WriteString("```\n\n")
	return b.String()
}

// page is the text of ARCHITECTURE.md around its picture.
type page struct {
	file                   string
	before, picture, after string
}

// readPage returns nil if there is no such page.
func readPage(root string) (*page, error) {
	file := filepath.Join(root, pageFile)
	text, err := os.ReadFile(file)
	if os.IsNotExist(err) {
		return nil, nil
	}
	if err != nil {
		return nil, err
	}
	before, rest, begins := strings.Cut(string(text), pictureBegin)
	picture, after, ends := strings.Cut(rest, pictureEnd)
	if !begins || !ends {
		return nil, fmt.Errorf("%s has no place for its picture: write the lines %q and %q", file, pictureBegin, pictureEnd)
	}
	return &page{file, before, picture, after}, nil
}

func (p *page) text() string { return p.before + pictureBegin + p.picture + pictureEnd + p.after }

// redraw puts the given picture into the page.
func (p *page) redraw(picture string) error {
	p.picture = picture
	return os.WriteFile(p.file, []byte(p.text()), 0o666)
}
