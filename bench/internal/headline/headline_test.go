package headline_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/troupe-go/troupe/bench/internal/headline"
	"github.com/troupe-go/troupe/internal/bench/report"
)

const docs = "../../../docs/benchmarks/"

func evaluated(t *testing.T) []report.Line {
	t.Helper()
	file, err := os.Open(docs + "evaluation.json")
	if err != nil {
		t.Fatal(err)
	}
	defer file.Close() //nolint:errcheck // It was only read.
	lines, err := report.Read(file)
	if err != nil {
		t.Fatal(err)
	}
	return lines
}

// The README shows what was measured last, and nothing else.
func TestREADMEHasTheFigures(t *testing.T) {
	var table strings.Builder
	if err := headline.Table(&table, evaluated(t)); err != nil {
		t.Fatal(err)
	}
	readme, err := os.ReadFile("../../../README.md")
	if err != nil {
		t.Fatal(err)
	}
	if !strings.Contains(string(readme), table.String()) {
		t.Errorf("README.md differs from docs/benchmarks/evaluation.json: run make evaluation-tables; it should have\n%s", &table)
	}
	measured, err := os.ReadFile(docs + "measured.txt")
	if err != nil {
		t.Fatal(err)
	}
	if !strings.Contains(string(readme), string(measured)) {
		t.Errorf("README.md does not say %q: run make evaluation-tables", measured)
	}
}

func TestTable(t *testing.T) {
	lines := evaluated(t)
	for i := range lines {
		if lines[i].Workload == "stop" {
			lines[i].Median = map[string]float64{"troupe": 826.4, "channels": 1000, "goakt": 1234567, "hollywood": 1299.6}[lines[i].Subject]
		}
	}
	lines = without(lines, "stop", "protoactor", "go-actor")
	var table strings.Builder
	if err := headline.Table(&table, lines); err != nil {
		t.Fatal(err)
	}
	if want := "| an actor's stop | 826 ns | 1,000 ns | 1,300 ns |\n"; !strings.Contains(table.String(), want) {
		t.Errorf("no %q in\n%s", want, &table)
	}
	table.Reset()
	if err := headline.Table(&table, without(lines, "stop", "hollywood", "goakt")); err != nil {
		t.Fatal(err)
	}
	if want := "| an actor's stop | 826 ns | 1,000 ns |  |\n"; !strings.Contains(table.String(), want) {
		t.Errorf("no %q in\n%s", want, &table)
	}
	for _, missing := range []string{"troupe", "channels"} {
		table.Reset()
		err := headline.Table(&table, without(lines, "stop", missing))
		if err == nil || !strings.Contains(err.Error(), `"stop"`) || table.Len() > 0 {
			t.Errorf("without %s: error = %v and %q, want one that names the row, and nothing", missing, err, &table)
		}
	}
}

func without(lines []report.Line, row string, subjects ...string) (kept []report.Line) {
	for _, l := range lines {
		gone := false
		for _, s := range subjects {
			gone = gone || l.Workload == row && l.Subject == s
		}
		if !gone {
			kept = append(kept, l)
		}
	}
	return kept
}

func TestIntoAFile(t *testing.T) {
	path := filepath.Join(t.TempDir(), "README.md")
	write(t, path, "before\n"+headline.Begin+"\nold\n"+headline.End+"\nafter\n")
	want := "before\n" + headline.Begin + "\n\nnew\n\n" + headline.End + "\nafter\n"
	for range 2 {
		if err := headline.Into(path, "\nnew\n"); err != nil {
			t.Fatal(err)
		}
		if got, _ := os.ReadFile(path); string(got) != want {
			t.Fatalf("the file is %q, want %q", got, want)
		}
	}
	for _, text := range []string{"", headline.Begin + "\n", headline.End + "\n" + headline.Begin + "\n"} {
		write(t, path, text)
		if err := headline.Into(path, "new"); err == nil || !strings.Contains(err.Error(), path) {
			t.Errorf("%q: error = %v, want one that names the file", text, err)
		}
		if got, _ := os.ReadFile(path); string(got) != text {
			t.Errorf("%q became %q", text, got)
		}
	}
	if err := headline.Into(path+".none", "new"); err == nil {
		t.Error("a file that is not there was written")
	}
}

func write(t *testing.T, path, text string) {
	t.Helper()
	if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
}
