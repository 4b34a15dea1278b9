package report_test

import (
	"strings"
	"testing"

	"github.com/troupe-go/troupe/internal/bench/report"
	"github.com/troupe-go/troupe/internal/bench/suite"
)

var sprint = &suite.Workload{
	Name: "sprint", About: "who is first", Unit: "ns/lap", Baseline: "base", Family: suite.Actors,
	Targets: []suite.Target{{Subject: "fast", Row: "sprint", Of: suite.RatioToBaseline, AtMost: 0.4}},
}

var runners = []*suite.Subject{
	{Name: "fast", Families: []suite.Family{suite.Actors}, Notes: map[string]string{"sprint": "with shoes"}},
	{Name: "base", Families: []suite.Family{suite.Actors}},
	{Name: "lame", Families: []suite.Family{suite.Actors}},
	{Name: "other", Families: []suite.Family{suite.Jobs}},
}

const sprinted = `{"workload":"sprint","subject":"fast","procs":2,"unit":"ns/lap","median":10,"min":9,"max":30,"allocs":1,"bytes":16,"ratio_to_baseline":0.5,"targets":[{"of":"ratio_to_baseline","at_most":0.4,"reached":false}]}
{"workload":"sprint","subject":"base","procs":2,"unit":"ns/lap","median":20,"min":20,"max":20,"allocs":null,"bytes":null,"ratio_to_baseline":1}
`

func TestMarkdown(t *testing.T) {
	lines, err := report.Read(strings.NewReader(sprinted))
	if err != nil {
		t.Fatal(err)
	}
	var out strings.Builder
	if err := report.Markdown(&out, []*suite.Workload{sprint}, runners, lines); err != nil {
		t.Fatal(err)
	}
	for _, want := range []string{
		"\n| workload | unit | fast | base | target |\n|---|---|---:|---:|---|\n| sprint | ns/lap | **10.0** | 20.0 | ratio at most 0.4 ✗ |\n",
		"\n### sprint\n\nWho is first. ns/lap; GOMAXPROCS is 2; ratios to base.\n",
		"\n| fast | 10.0 | 9.000 | 30.0 | 1.000 | 16.0 | 0.50 | ratio at most 0.4 ✗ |\n",
		"\n| base | 20.0 | 20.0 | 20.0 |  |  | 1.00 |  |\n",
		"\n- fast: with shoes.\n",
		"\n- lame has no figure: it has nothing for this.\n",
	} {
		if !strings.Contains(out.String(), want) {
			t.Errorf("%q is not in\n%s", want, out.String())
		}
	}
	if strings.Contains(out.String(), "other") || strings.Contains(out.String(), "All jobs") {
		t.Errorf("there is something of another family:\n%s", out.String())
	}
}

func TestUnknownWorkloadIsNoMarkdown(t *testing.T) {
	var out strings.Builder
	err := report.Markdown(&out, []*suite.Workload{sprint}, runners, []report.Line{{Workload: "marathon", Subject: "fast"}})
	if err == nil || !strings.Contains(err.Error(), `"marathon"`) || out.Len() > 0 {
		t.Errorf("error = %v with %q, want one that names the marathon, and nothing", err, out.String())
	}
}

func TestReadErrors(t *testing.T) {
	for text, want := range map[string]string{
		"ping-pong 12":              "line 1 ",
		sprinted + `{"median":5}`:   "line 3 has no workload",
		sprinted + `{"workload": 5`: "line 3 ",
	} {
		if _, err := report.Read(strings.NewReader(text)); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%q: error is %v, want one with %q", text, err, want)
		}
	}
	if lines, err := report.Read(strings.NewReader("")); len(lines) != 0 || err != nil {
		t.Errorf("nothing is read as %v, %v", lines, err)
	}
}

func FuzzRead(f *testing.F) {
	f.Add(sprinted)
	f.Fuzz(func(_ *testing.T, text string) {
		lines, err := report.Read(strings.NewReader(text))
		if err == nil {
			_ = report.Markdown(&strings.Builder{}, []*suite.Workload{sprint}, runners, lines)
		}
	})
}
