package bench_test

import (
	"os"
	"runtime"
	"time"

	"github.com/troupe-go/troupe/internal/bench/suite"
)

// The planted subjects do the planted workload right and in every wrong way.
var planted = suite.Workload{
	Name: "planted", About: "for tests", Family: suite.Actors, Unit: "ns/op", Baseline: "right",
	Targets: []suite.Target{{Subject: "right", Row: "planted", Of: suite.RatioToBaseline, AtMost: 1.5}},
}

// hangs is the variable with the path of a file that the hanging subject makes
// when it begins.
const hangs = "TROUPE_TEST_HANGS"

func plant(name string, f suite.Func) *suite.Subject {
	return &suite.Subject{
		Name: name, Families: []suite.Family{suite.Actors}, Runs: map[string]suite.Func{planted.Name: f},
	}
}

func right(r *suite.Run) (int64, error) {
	r.Start()
	for began := time.Now(); time.Since(began) < time.Microsecond; {
		continue
	}
	r.Stop()
	return int64(r.N), nil
}

var plantedSubjects = []*suite.Subject{
	plant("wrong", func(r *suite.Run) (int64, error) {
		n, err := right(r)
		return n - 1, err
	}),
	plant("panicking", func(*suite.Run) (int64, error) { panic("a planted panic") }),
	plant("hanging", func(*suite.Run) (int64, error) {
		if path := os.Getenv(hangs); path != "" {
			_ = os.WriteFile(path, nil, 0o600)
		}
		for {
			runtime.Gosched()
		}
	}),
	plant("talking", func(r *suite.Run) (int64, error) {
		_, _ = os.Stderr.WriteString("noise on standard error\n")
		return right(r)
	}),
	plant("right", right),
	{Name: "unable", Families: []suite.Family{suite.Actors}},
}
