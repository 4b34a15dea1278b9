package terminal

import (
	"fmt"
	"slices"
	"strings"
)

// target is what we want to reach.
type target struct {
	name, figure string
	limit        float64
	more         bool // Whether more is better.
}

var targets = []target{
	{"P50 under flood below 1 ms", underFlood + p50, 1000, false},
	{"P99 under flood below 5 ms", underFlood + p99, 5000, false},
	{"at least 150 MB/s", ptyLarge, 150, true},
}

func (t target) reached(v float64) bool {
	if t.more {
		return v >= t.limit
	}
	return v < t.limit
}

// need is something that users choose a subject for, and the figure that tells.
type need struct {
	name, figure, unit string
	more               bool
}

var needs = []need{
	{"keystrokes seen soon, at rest", idle + p99, "µs P99", false},
	{"keystrokes seen soon, under flood", underFlood + p99, "µs P99", false},
	{"keystrokes through four stages, under flood", underFlood + pipeP99, "µs P99", false},
	{"output in bulk", ptyLarge, "MB/s", true},
	{"output while keys are pressed", underFlood + speed, "MB/s", true},
	{"little processor time for output", underFlood + cpuPerGB, "s/GB", false},
	{"little memory", underFlood + rss, "MB RSS", false},
	{"many terminals", manyThreads, "threads", false},
}

// Decision says what to choose for a need.
type Decision struct {
	Need   string `json:"need"`
	Figure string `json:"figure"`
	// Choose are the best subject and those as good, the best first.
	Choose []string `json:"choose"`
	// Factor is by how much the worst is behind the best.
	Factor float64 `json:"factor"`

	unit string
	all  bool
}

// decide says what to choose for each need, from what was measured alone.
func decide(results []Result) []Decision {
	decisions := []Decision{}
	for _, n := range needs {
		sorted := emulators(results)
		slices.SortStableFunc(sorted, func(a, b Result) int {
			if n.better(a.Figures[n.figure].Median, b.Figures[n.figure].Median) {
				return -1
			}
			if n.better(b.Figures[n.figure].Median, a.Figures[n.figure].Median) {
				return 1
			}
			return 0
		})
		if len(sorted) == 0 {
			continue
		}
		best, worst := sorted[0].Figures[n.figure], sorted[len(sorted)-1].Figures[n.figure]
		d := Decision{Need: n.name, Figure: n.figure, unit: n.unit, Factor: factor(best.Median, worst.Median)}
		for _, r := range sorted {
			if asGood(best, r.Figures[n.figure]) {
				d.Choose = append(d.Choose, r.Subject)
			}
		}
		d.all = len(d.Choose) == len(sorted)
		decisions = append(decisions, d)
	}
	return decisions
}

// emulators are the results that there is a choice of.
func emulators(results []Result) []Result {
	return slices.DeleteFunc(slices.Clone(results), func(r Result) bool { return r.Subject == Reader })
}

func (n need) better(a, b float64) bool {
	if n.more {
		return a > b
	}
	return a < b
}

func factor(a, b float64) float64 {
	if min(a, b) <= 0 {
		return 1
	}
	return max(a, b) / min(a, b)
}

// asGood reports whether a figure is as good as the best one: within a tenth of
// it, or no farther from it than the rounds are from each other.
func asGood(best, other Spread) bool {
	const tenth = 1.1
	return factor(best.Median, other.Median) <= tenth || best.Min <= other.Max && other.Min <= best.Max
}

// enough is how many rounds show how far they are from each other.
const enough = 3

// advice sums decisions up.
func advice(decisions []Decision, results []Result) string {
	results = emulators(results)
	if len(results) < 2 || len(decisions) == 0 {
		return "One subject on its own decides nothing."
	}
	if results[0].Rounds < enough {
		return fmt.Sprintf("Differences of fewer than %d rounds may be chance.", enough)
	}
	count, alone := map[string]int{}, map[string][]string{}
	most := 0
	for _, d := range decisions {
		for _, s := range d.Choose {
			count[s]++
			most = max(most, count[s])
		}
		if len(d.Choose) == 1 {
			alone[d.Choose[0]] = append(alone[d.Choose[0]], d.Need)
		}
	}
	var text strings.Builder
	for _, r := range results {
		fmt.Fprintf(&text, "%s: best or as good in %d of %d", r.Subject, count[r.Subject], len(decisions))
		if len(alone[r.Subject]) > 0 {
			fmt.Fprintf(&text, ", alone for %s", strings.Join(alone[r.Subject], "; "))
		}
		if count[r.Subject] == most {
			text.WriteString(". The choice where nothing else is known")
		}
		text.WriteString(".\n")
	}
	return strings.TrimSuffix(text.String(), "\n")
}
