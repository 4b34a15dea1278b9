package external_test

import (
	"strings"
	"testing"

	"github.com/troupe-go/troupe/bench/internal/subject/external"
	"github.com/troupe-go/troupe/internal/bench/suite"
	"github.com/troupe-go/troupe/internal/leak"
)

func TestMain(m *testing.M) { leak.Main(m) }

func TestParse(t *testing.T) {
	w := &suite.Workload{Name: "away", TinyN: 100}
	figures, err := suite.Smoke(w, func(r *suite.Run) (int64, error) {
		return external.Parse(r, "elapsed 200\nelapsed 300\nresult 100\n")
	})
	if err != nil || figures[0].Value != 5 {
		t.Errorf("figures = %+v, %v, want 5 ns", figures, err)
	}
	w = &suite.Workload{Name: "away", TinyN: 2, Kind: suite.Latency, Percentiles: []float64{99}}
	figures, err = suite.Smoke(w, func(r *suite.Run) (int64, error) {
		return external.Parse(r, "elapsed 9\nsample 7\nsample 6\nresult 2\n")
	})
	if err != nil || figures[0].Value != 7 {
		t.Errorf("figures = %+v, %v, want 7 ns", figures, err)
	}
}

func TestParseErrors(t *testing.T) {
	for out, want := range map[string]string{
		"":                    "no result",
		"elapsed 5\n":         "no result",
		"result many\n":       `"result many"`,
		"speed 5\nresult 1\n": `"speed 5"`,
	} {
		if _, err := external.Parse(&suite.Run{}, out); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%q: error is %v, want one with %s", out, err, want)
		}
	}
}

func TestAbsentNamesWhatToInstall(t *testing.T) {
	why := external.Absent("some-package", "go", "no-such-command")()
	if !strings.Contains(why, "no-such-command") || !strings.Contains(why, "some-package") {
		t.Errorf("it says %q", why)
	}
	if why := external.Absent("some-package", "go")(); why != "" {
		t.Errorf("go is said to be absent: %q", why)
	}
}
