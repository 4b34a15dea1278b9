package main

import (
	"regexp"
	"strings"
)

var (
	codeFence = regexp.MustCompile("^\\s*(`{3,}|~{3,})")
	heading   = regexp.MustCompile(`^\s{0,3}#{1,6} +`)
	rule      = regexp.MustCompile(`^[\s|:=*_-]*$`) // Also the line below the head of a table.
)

// markdownSentences returns the sentences of a Markdown document, without its code blocks. A
// heading, an item of a list and a cell of a table are paragraphs of their own.
func markdownSentences(name, text string) (all []sentence, err error) {
	var p paragraph
	fence := ""
	inList := false
	for i, line := range strings.Split(text, "\n") {
		end := func() { all = append(all, p.sentences(name)...) }
		mark := codeFence.FindStringSubmatch(line)
		indented := strings.HasPrefix(line, "    ") || strings.HasPrefix(line, "\t")
		switch {
		case fence != "":
			if mark != nil && strings.HasPrefix(mark[1], fence) {
				fence = ""
			}
		case mark != nil:
			end()
			fence = mark[1]
		case rule.MatchString(line):
			end()
		case heading.MatchString(line):
			end()
			inList = false
			p.add(i+1, heading.ReplaceAllString(line, ""))
			end()
		case strings.HasPrefix(strings.TrimSpace(line), "|"):
			end()
			for cell := range strings.SplitSeq(line, "|") {
				p.add(i+1, cell)
				end()
			}
		case listItem.MatchString(line):
			end()
			inList = true
			p.add(i+1, listItem.ReplaceAllString(line, ""))
		case indented && p.text.Len() == 0 && !inList:
			// A code block.
		default:
			inList = inList && (indented || strings.HasPrefix(line, " ") || p.text.Len() > 0)
			p.add(i+1, strings.TrimLeft(line, "> "))
		}
	}
	return append(all, p.sentences(name)...), nil
}
