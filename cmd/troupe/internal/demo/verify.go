package demo

import (
	"fmt"

	"github.com/troupe-go/troupe/cmd/troupe/internal/word"
)

// Differences of one kind that are named; the others are counted.
const namedDifferences = 5

// differences says in what the report and its indexes differ from the recount. None means that every total and every
// identifier's count is the same.
func differences(report *Report, indexes []*word.Index, sequential *recount) []string {
	found := []string{}
	compare := func(what string, concurrent, sequential int64) {
		if concurrent != sequential {
			found = append(found, fmt.Sprintf("%s: %d, recounted %d", what, concurrent, sequential))
		}
	}
	compare("files", int64(report.Files), int64(sequential.tally.Files))
	compare("bytes", report.Bytes, sequential.tally.Bytes)
	compare("words", report.Words, sequential.tally.Words)
	compare("unique identifiers", int64(report.Unique), int64(len(sequential.counts)))
	for why := Counted + 1; why < reasons; why++ {
		compare("skipped as "+why.String(), int64(report.Skipped[why]), int64(sequential.tally.Skipped[why]))
	}
	return append(found, countDifferences(indexes, sequential.counts)...)
}

// countDifferences compares every identifier's count, in both directions.
func countDifferences(indexes []*word.Index, counts map[string]*uint64) []string {
	found := []string{}
	unnamed := 0
	differ := func(w string, concurrent, sequential uint64) {
		if len(found) == namedDifferences {
			unnamed++
			return
		}
		found = append(found, fmt.Sprintf("identifier %.80q: %d, recounted %d", w, concurrent, sequential))
	}
	matched := 0
	for _, x := range indexes {
		for w, n := range x.All() {
			expected := counts[w]
			switch {
			case expected == nil:
				differ(w, n, 0)
			case *expected != n:
				differ(w, n, *expected)
				matched++
			default:
				matched++
			}
		}
	}
	if matched < len(counts) {
		missing(indexes, counts, differ)
	}
	if unnamed > 0 {
		found = append(found, fmt.Sprintf("and %d more identifiers", unnamed))
	}
	return found
}

// missing calls differ for each word that no index holds.
func missing(indexes []*word.Index, counts map[string]*uint64, differ func(w string, concurrent, sequential uint64)) {
	for w, n := range counts {
		concurrent := uint64(0)
		for _, x := range indexes {
			concurrent += x.Count(w)
		}
		if concurrent == 0 {
			differ(w, 0, *n)
		}
	}
}
