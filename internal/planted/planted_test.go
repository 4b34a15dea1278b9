//go:build !race && !invariants

package planted_test

import (
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
	"time"

	"github.com/troupe-go/troupe/internal/planted"
)

func TestSlowFaultsGetALine(t *testing.T) {
	if planted.SlowAfter(time.Second) || planted.SlowAfter() {
		t.Error("a fault that takes a second is called slow")
	}
	if !planted.SlowAfter(time.Second, 2*time.Second) {
		t.Error("tries that take 3 s are not called slow")
	}
}

func TestNameOf(t *testing.T) {
	if got := planted.NameOf(7); got != "Fault7" {
		t.Fatalf("it is called %q", got)
	}
	if planted.Variable != "TROUPE_PLANTED_FAULT" {
		t.Fatalf("the variable is %q", planted.Variable)
	}
}

// TestExpect plants faults here: in a function, in another place of the same one,
// and in none.
func TestExpect(t *testing.T) {
	planted.Expect(t, "", planted.Group{Run: "^TestNameOf$", Faults: []planted.Fault{{
		Name: "another name",
		In:   "nameOf",
		Old:  `"Fault"`,
		New:  `"fault"`,
		Want: `it is called "fault7"`,
	}, {
		Name: "another number",
		In:   "nameOf",
		Old:  "strconv.Itoa(i)",
		New:  "strconv.Itoa(i + 1)",
		Want: `it is called "Fault8"`,
	}, {
		Name: "another variable",
		In:   "variable",
		Old:  `"TROUPE_PLANTED_FAULT"`,
		New:  `"TROUPE_FAULT"`,
		Want: `the variable is "TROUPE_FAULT"`,
	}}})
}

// mill is a package with places for faults.
const mill = `package mill

type Mill struct{ rate, stock int }

func (m *Mill) grind(n int) int {
	if n > m.rate {
		n = m.rate
	}
	m.stock += n
	return n
}

func (m *Mill) fill(n int) int {
	m.grind(n)
	m.empty(n)
	switch {
	case n > 7:
		return m.stock
	case n > m.rate:
		return -1
	}
	return 0
}

func (m *Mill) empty(n int) { m.stock -= n }
`

// write makes a package of the sources, named by their files.
func write(t *testing.T, sources map[string]string) (dir string) {
	t.Helper()
	dir = t.TempDir()
	for name, source := range sources {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(source), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	return dir
}

var (
	tooMuch = planted.Fault{In: "Mill.grind", Old: "n > m.rate", New: "n > m.rate+m.stock"}
	noStock = planted.Fault{In: "Mill.grind", Old: "m.stock += n", New: ""}
	noGrind = planted.Fault{In: "Mill.fill", Old: "m.grind(n)", New: "m.grind(n - 1)", Nth: 1}
	noCase  = planted.Fault{In: "Mill.fill", Old: "case n > m.rate:\n\treturn -1", New: ""}
)

// TestPlace shows what a fault outlives: each source is mill with a change that any
// engineer makes without a thought of faults.
func TestPlace(t *testing.T) {
	for _, c := range []struct {
		name  string
		old   string // A name, replaced everywhere in mill.
		now   string
		fault planted.Fault
		want  string // Is then in the source with the fault.
	}{
		{"as it was", "", "", tooMuch, "if n > m.rate+m.stock {"},
		{"a field is renamed", "rate", "most", tooMuch, "if n > m.most+m.stock {"},
		{"a parameter is renamed", "n", "grain", tooMuch, "if grain > m.rate+m.stock {"},
		{"a receiver is renamed", "m", "it", planted.Fault{In: "Mill.empty", Old: "m.stock -= n", New: "m.stock = n"}, "it.stock = n"},
		{"a method is renamed that the fault calls", "grind", "crush", noGrind, "m.crush(n - 1)"},
		{"a method is renamed that looks like it", "empty", "drain", noGrind, "m.grind(n - 1)"},
		{"a field is renamed to the name of a parameter", "stock", "n", noStock, "n = m.rate\n\t}\n\t\n"},
		{"a comment comes into it", "stock", "stock /* of flour */", tooMuch, "n > m.rate+m.stock {"},
		{"a function is renamed around it", "fill", "feed", tooMuch, "if n > m.rate+m.stock {"},
		{"a clause", "", "", noCase, "return m.stock\n\t\n\t}"},
	} {
		t.Run(c.name, func(t *testing.T) {
			source := mill
			if c.old != "" {
				source = regexp.MustCompile(`\b`+c.old+`\b`).ReplaceAllString(mill, c.now)
			}
			text, err := planted.Plant(write(t, map[string]string{"mill.go": source}), c.fault)
			if err != nil {
				t.Fatal(err)
			}
			if !strings.Contains(text, c.want) {
				t.Errorf("the source with the fault has no %q:\n%s", c.want, text)
			}
		})
	}
}

// TestMovedPlace shows that the file of a function does not matter.
func TestMovedPlace(t *testing.T) {
	begin := strings.Index(mill, "func (m *Mill) grind")
	end := strings.Index(mill, "func (m *Mill) fill")
	dir := write(t, map[string]string{"mill.go": mill[:begin] + mill[end:], "stones.go": "package mill\n\n" + mill[begin:end]})
	if text, err := planted.Plant(dir, tooMuch); err != nil || !strings.Contains(text, "n > m.rate+m.stock") {
		t.Errorf("planted with the error %v:\n%s", err, text)
	}
}

// TestLostPlace shows what is said of a fault that has none, or more than one.
func TestLostPlace(t *testing.T) {
	dir := write(t, map[string]string{"mill.go": mill})
	for _, c := range []struct {
		fault planted.Fault
		want  string
	}{
		{planted.Fault{In: "Mill.crush", Old: "n", New: "0"}, "declares no Mill.crush"},
		{planted.Fault{In: "Stone.grind", Old: "n", New: "0"}, "it does have Mill.grind"},
		{planted.Fault{In: "Mill.grind", Old: "m.stock -= n", New: ""}, "in Mill.grind (mill.go): no code looks like Old any more"},
		{planted.Fault{In: "Mill.grind", Old: "n < m.rate", New: "true"}, "no code looks like Old any more"},
		{planted.Fault{In: "Mill.fill", Old: "m.grind(n)", New: "0"}, "Nth is 0: it has to be 1"},
		{planted.Fault{In: "Mill.fill", Old: "m.grind(n)", New: "0", Nth: 2}, "Nth is 2: it has to be 1"},
		{planted.Fault{In: "Mill.fill", Old: "m.mill(n)", New: "0"}, "2 places look like Old; Nth has to say which one"},
		{planted.Fault{In: "Mill.fill", Old: "m.mill(n)", New: "0", Nth: 3}, "Nth is 3, but 2 places look like Old"},
		{planted.Fault{In: "Mill.grind", Old: "m.stock += n", New: "m.crush()"}, "New speaks of crush, which the package does not have"},
		{planted.Fault{In: "Mill.grind", Old: "m.stock +=", New: ""}, "Old is neither an expression nor statements"},
		{planted.Fault{In: "Mill.grind", Old: "m.stock += n", New: "m.stock +="}, "New is not of the kind of Old"},
	} {
		if _, err := planted.Plant(dir, c.fault); err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%s in %s: the error is %v, without %q", c.fault.Old, c.fault.In, err, c.want)
		}
	}
	if _, err := planted.Plant(t.TempDir(), tooMuch); err == nil || !strings.Contains(err.Error(), "holds no Go files") {
		t.Errorf("an empty directory gives the error %v", err)
	}
}
