package main

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/troupe-go/troupe/bench/internal/headline"
)

func TestBadFlags(t *testing.T) {
	for _, c := range []struct{ args, want string }{
		{"-workload pingpong", `unknown workload "pingpong"`},
		{"-workload tell,urgent-flood-p98", `unknown workload "urgent-flood-p98"`},
		{"-subject troupe,akka", `unknown subject "akka"`},
		{"-rounds 0", "rounds is 0; it must be at least 1"},
		{"-rounds many", `invalid value "many"`},
		{"-limit -1s", "limit is -1s; it must be positive"},
		{"-speed", "flag provided but not defined: -speed"},
		{"-plots folder", "say which by -report"},
		{"-growth -workload tell", `unknown workload "tell"`},
		{"tell", `unexpected argument "tell"`},
	} {
		var stdout, stderr strings.Builder
		status := run(t.Context(), strings.Fields(c.args), &stdout, &stderr)
		if status != 2 || !strings.Contains(stderr.String(), c.want) || stdout.Len() > 0 {
			t.Errorf("%s: status %d, standard output %q, standard error:\n%s\nwant 2, nothing, and %q",
				c.args, status, stdout.String(), stderr.String(), c.want)
		}
	}
}

func TestHelpAndList(t *testing.T) {
	var stdout, stderr strings.Builder
	if status := run(t.Context(), []string{"-help"}, &stdout, &stderr); status != 0 || !strings.Contains(stderr.String(), "-rounds") {
		t.Errorf("-help: status %d:\n%s", status, stderr.String())
	}
	stdout.Reset()
	if status := run(t.Context(), []string{"-list"}, &stdout, &stderr); status != 0 {
		t.Errorf("-list: status %d", status)
	}
	for _, want := range []string{"ping-pong", "urgent-flood", "troupe", "errgroup"} {
		if !strings.Contains(stdout.String(), want) {
			t.Errorf("-list lacks %s:\n%s", want, stdout.String())
		}
	}
}

func TestOptions(t *testing.T) {
	for _, c := range []struct {
		args                        string
		rounds, workloads, subjects int
		quick                       bool
	}{
		{"", 5, 0, 0, false},
		{"-quick", 1, 0, 0, true},
		{"-quick -rounds 4", 4, 0, 0, true},
		{"-growth", 1, 0, 0, false},
		{"-workload a -subject y,x", 5, 1, 2, false},
	} {
		o, err := parse(strings.Fields(c.args), &strings.Builder{})
		if err != nil {
			t.Errorf("%s: %v", c.args, err)
			continue
		}
		if o.Rounds != c.rounds || len(o.Workloads) != c.workloads || len(o.Subjects) != c.subjects || o.Quick != c.quick {
			t.Errorf("%q: %+v, want %+v", c.args, o, c)
		}
	}
}

func TestReport(t *testing.T) {
	dir := t.TempDir()
	path := filepath.Join(dir, "lines.json")
	text := `{"workload":"tell","subject":"troupe","procs":2,"unit":"ns/message","median":30}` + "\n" +
		`{"workload":"grow-actor-10","subject":"troupe","procs":8,"unit":"ns/actor","median":40}` + "\n"
	if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	var stdout, stderr strings.Builder
	if status := run(t.Context(), []string{"-report", path, "-plots", dir}, &stdout, &stderr); status != 0 {
		t.Fatalf("status %d: %s", status, stderr.String())
	}
	for _, want := range []string{"| tell | ns/message | **30.0** |", "| 10 | 40 |"} {
		if !strings.Contains(stdout.String(), want) {
			t.Errorf("%q is not in\n%s", want, stdout.String())
		}
	}
	if _, err := os.Stat(filepath.Join(dir, "grow-actor.svg")); err != nil {
		t.Error(err)
	}
	if status := run(t.Context(), []string{"-report", dir + "/absent"}, &stdout, &stderr); status != 1 || !strings.Contains(stderr.String(), "absent") {
		t.Errorf("a file that is not there: status %d, %s", status, stderr.String())
	}
}

func TestReportIntoADocument(t *testing.T) {
	dir := t.TempDir()
	document := filepath.Join(dir, "README.md")
	if err := os.WriteFile(document, []byte(headline.Begin+"\n"+headline.End+"\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	const measured = "../docs/benchmarks/"
	var stdout, stderr strings.Builder
	if status := run(t.Context(), []string{"-report", measured + "evaluation.json", "-into", document}, &stdout, &stderr); status != 0 {
		t.Fatalf("status %d: %s", status, stderr.String())
	}
	text, err := os.ReadFile(document)
	if err != nil {
		t.Fatal(err)
	}
	machine, err := os.ReadFile(measured + "measured.txt")
	if err != nil {
		t.Fatal(err)
	}
	for _, want := range []string{string(machine), "| an idle actor |"} {
		if !strings.Contains(string(text), want) {
			t.Errorf("%q is not in\n%s", want, text)
		}
	}
	for args, want := range map[string]int{
		"-into " + document: 2,
		"-report " + measured + "growth.json -into " + document:                         1,
		"-report " + measured + "evaluation.json -into " + filepath.Join(dir, "absent"): 1,
	} {
		stderr.Reset()
		if status := run(t.Context(), strings.Fields(args), &stdout, &stderr); status != want || stderr.Len() == 0 {
			t.Errorf("%s: status %d with %q, want %d with a reason", args, status, &stderr, want)
		}
	}
}
