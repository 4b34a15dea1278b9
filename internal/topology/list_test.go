package topology_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/troupe-go/troupe/internal/topology"
)

func TestParseList(t *testing.T) {
	for text, want := range map[string][]int{
		"":              nil,
		"\n":            nil,
		"0":             {0},
		"0-3,8\n":       {0, 1, 2, 3, 8},
		"8,0-1,1":       {0, 1, 8},
		"65535":         {65535},
		"10-11,4-4,2,3": {2, 3, 4, 10, 11},
	} {
		if got, err := topology.ParseList(text); err != nil || !slices.Equal(got, want) {
			t.Errorf("%q is %v, %v; want %v", text, got, err, want)
		}
	}
	for _, text := range []string{
		"a", "0-", "-1", "3-1", "0,,1", "0-3-5", "1 2", "+1", "65536", "0-99999999999", "4294967296", ",",
		strings.Repeat("0-65535,", 3) + "0",
	} {
		if got, err := topology.ParseList(text); err == nil {
			t.Errorf("%q was taken for a list of %d processors", text, len(got))
		}
	}
}

// FuzzParseList writes what was read, and reads it again.
func FuzzParseList(f *testing.F) {
	for _, text := range []string{"", "0-3,8\n", "7,5-6", "x", "0-65535"} {
		f.Add(text)
	}
	f.Fuzz(func(t *testing.T, text string) {
		ids, err := topology.ParseList(text)
		if err != nil {
			return
		}
		if !slices.IsSorted(ids) || len(ids) > topology.MaxCPU {
			t.Fatalf("%q is %v", text, ids)
		}
		var again []string
		for _, id := range ids {
			again = append(again, fmt.Sprint(id))
		}
		if back, err := topology.ParseList(strings.Join(again, ",")); err != nil || !slices.Equal(back, ids) {
			t.Fatalf("%v came back as %v, %v", ids, back, err)
		}
	})
}
