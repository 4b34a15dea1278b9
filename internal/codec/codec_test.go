package codec_test

import (
	"encoding/json"
	"errors"
	"math/big"
	"reflect"
	"strings"
	"testing"
	"time"

	"pgregory.net/rapid"

	"github.com/troupe-go/troupe/internal/codec"
)

func plan[T any]() codec.Plan { return codec.Of(reflect.TypeFor[T](), codec.JSONRules()) }

type (
	leaf    struct{ A, B int }
	renamed struct{ A, B int }
	wider   struct {
		A int
		B int64
	}
	tagged struct {
		A int `json:"B"`
		B int `json:"A"`
	}
	local struct {
		A, B int
		Wait chan int `json:"-"`
	}
	tree struct {
		Kids []tree
		By   map[string]*tree
	}
	double      struct{ L, R pairOf }
	pairOf      struct{ L, R pairOfPairs }
	pairOfPairs struct{ L, R [2]leaf }
)

func TestLayout(t *testing.T) {
	base := plan[leaf]()
	if base.Err != nil || base.Recursive {
		t.Fatalf("%+v", base)
	}
	for name, c := range map[string]struct {
		plan codec.Plan
		same bool
	}{
		"another name":     {plan[renamed](), true},
		"a field left out": {plan[local](), true},
		"another kind":     {plan[wider](), false},
		"names changed":    {plan[tagged](), false},
		"fewer fields":     {plan[struct{ A int }](), false},
		"in a slice":       {plan[[]leaf](), false},
		"behind a pointer": {plan[*leaf](), false},
	} {
		if c.plan.Err != nil || (c.plan.Layout == base.Layout) != c.same {
			t.Errorf("%s: same layout: %v, want %v (%v)", name, c.plan.Layout == base.Layout, c.same, c.plan.Err)
		}
	}
	if p := plan[tree](); p.Err != nil || !p.Recursive || p.Layout != plan[tree]().Layout {
		t.Errorf("a tree: %+v", p)
	}
	if p := plan[double](); p.Err != nil || p.Recursive {
		t.Errorf("a type that has others twice: %+v", p)
	}
	// A nested change is seen.
	type one struct{ X []struct{ Y map[int]leaf } }
	type two struct{ X []struct{ Y map[int]wider } }
	if plan[one]().Layout == plan[two]().Layout {
		t.Error("a change deep in a type is not seen")
	}
	// Methods count: these are encoded as a whole, of other fields than they have.
	if plan[time.Time]().Err != nil || plan[struct{ N big.Int }]().Err != nil {
		t.Errorf("a type with methods: %v, %v", plan[time.Time]().Err, plan[struct{ N big.Int }]().Err)
	}
	if err := plan[map[string]big.Int]().Err; err == nil || !strings.Contains(err.Error(), "big.Int") {
		t.Errorf("methods of a pointer, on values of a map: %v", err)
	}
	if plan[[][1000]leaf]().Element < 1000*16/2 {
		t.Errorf("elements have %d bytes", plan[[][1000]leaf]().Element)
	}
}

func TestProblemsAreBounded(t *testing.T) {
	fields := make([]reflect.StructField, 100)
	for i := range fields {
		fields[i] = reflect.StructField{Name: "F" + strings.Repeat("x", i), Type: reflect.TypeFor[func()]()}
	}
	p := codec.Of(reflect.StructOf(fields), codec.JSONRules())
	if n := strings.Count(p.Err.Error(), "means nothing on another node"); n != 10 {
		t.Errorf("%d problems are listed", n)
	}
}

func TestCheck(t *testing.T) {
	p := plan[tree]()
	nested := tree{}
	for range 4 {
		nested = tree{Kids: []tree{nested}}
	}
	ring := tree{By: map[string]*tree{}}
	ring.By["a"] = &ring
	wide := tree{Kids: make([]tree, 50)}
	for name, c := range map[string]struct {
		v             tree
		depth, values int
		want          string
	}{
		"fits":     {nested, 10, 100, ""},
		"deep":     {nested, 5, 100, "more than 5 deep"},
		"cyclic":   {ring, 1000, 1 << 20, "is it cyclic?"},
		"many":     {wide, 10, 100, "more than 100 values"},
		"not many": {wide, 10, 1000, ""},
	} {
		err := p.Check(reflect.ValueOf(&c.v).Elem(), c.depth, c.values)
		if (err == nil) != (c.want == "") || err != nil && !strings.Contains(err.Error(), c.want) {
			t.Errorf("%s: got %v, want %q", name, err, c.want)
		}
	}
}

// count counts values as Measure promises to, and says how deep they are.
func count(v any) (values, depth int) {
	inside := func(v any) {
		n, d := count(v)
		values, depth = values+n, max(depth, d)
	}
	switch v := v.(type) {
	case []any:
		for _, e := range v {
			inside(e)
		}
		depth++
	case map[string]any:
		for _, e := range v {
			inside(e)
		}
		depth++
	}
	return values + 1, depth
}

func drawValue(t *rapid.T, depth int) any {
	switch kind := rapid.IntRange(0, 4).Draw(t, "kind"); {
	case kind == 0 && depth > 0:
		list := []any{}
		for range rapid.IntRange(0, 4).Draw(t, "n") {
			list = append(list, drawValue(t, depth-1))
		}
		return list
	case kind == 1 && depth > 0:
		m := map[string]any{}
		for range rapid.IntRange(0, 4).Draw(t, "n") {
			m[rapid.StringOf(rapid.SampledFrom([]rune(`a"\[]{},:`))).Draw(t, "key")] = drawValue(t, depth-1)
		}
		return m
	case kind == 2:
		return rapid.StringOf(rapid.SampledFrom([]rune(`a"\[]{},:ü`))).Draw(t, "text")
	case kind == 3:
		return nil
	}
	return 1.5
}

func TestMeasureJSON(t *testing.T) {
	errStop := errors.New("stop")
	rapid.Check(t, func(t *rapid.T) {
		v := drawValue(t, 4)
		text, err := json.Marshal(v)
		if err != nil {
			t.Fatal(err)
		}
		values, depth := count(v)
		deepest := 0
		got, err := codec.MeasureJSON(text, func(_, d int) error {
			deepest = max(deepest, d)
			return nil
		})
		if err != nil || got < values || got > 2*values || deepest != depth {
			t.Fatalf("%s: got %d values %d deep (%v), want %d and %d", text, got, deepest, err, values, depth)
		}
		if got, err := codec.MeasureJSON(text, func(int, int) error { return errStop }); depth > 0 && (!errors.Is(err, errStop) || got > 3) {
			t.Fatalf("%s: it goes on for %d values (%v)", text, got, err)
		}
	})
}

func TestBadTextIsMarked(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		s := rapid.StringOf(rapid.SampledFrom([]rune("\\ufd\uFFFD\""))).Draw(t, "text")
		bad := rapid.Bool().Draw(t, "bad")
		if bad {
			at := rapid.IntRange(0, len([]rune(s))).Draw(t, "at")
			s = string([]rune(s)[:at]) + "\xff" + string([]rune(s)[at:])
		}
		text, err := json.Marshal(s)
		if err != nil {
			t.Fatal(err)
		}
		if codec.MarksBadText(text) != bad {
			t.Fatalf("%q, as %s: bad: %v, want %v", s, text, !bad, bad)
		}
	})
}
