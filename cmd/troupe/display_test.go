package main_test

import (
	"strings"
	"testing"
	"time"

	main "github.com/troupe-go/troupe/cmd/troupe"
	"github.com/troupe-go/troupe/cmd/troupe/internal/demo"
)

var phases = []demo.Progress{
	{Phase: demo.Indexing},
	{Phase: demo.Indexing, Files: 10, Bytes: 1000, Elapsed: time.Second},
	{Phase: demo.Indexing, Files: 2000, Bytes: 200_000, Total: 4000, Elapsed: 2 * time.Second},
	{Phase: demo.Indexing, Files: 4000, Bytes: 400_000, Total: 4000, Elapsed: 3 * time.Second, Done: true},
	{Phase: demo.Measuring, Elapsed: time.Second / 10, Done: true},
}

func TestLines(t *testing.T) {
	var out strings.Builder
	show := main.ShowLines(&out)
	for _, p := range phases {
		show(p)
	}
	want := `troupe: indexing: 1.0 s, 10 files, 1.0 kB
troupe: indexing: 2.0 s, 2,000 of 4,000 files, 200 kB
troupe: indexing: 3.0 s, 4,000 files, 400 kB
troupe: asking while idle: 0.1 s
`
	if out.String() != want {
		t.Errorf("got\n%s\nwant\n%s", out.String(), want)
	}
}

func TestProgressBar(t *testing.T) {
	var out strings.Builder
	show := main.ShowBar(&out)
	for _, p := range phases {
		show(p)
	}
	for _, want := range []string{"indexing", "50%", "2000/4000", "200 kB", "asking while idle"} {
		if !strings.Contains(out.String(), want) {
			t.Errorf("the bar lacks %q: %q", want, out.String())
		}
	}
	if strings.Contains(out.String(), "\n") {
		t.Errorf("the bar left its line: %q", out.String())
	}
}
