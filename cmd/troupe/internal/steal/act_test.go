package steal_test

import (
	"slices"
	"strings"
	"testing"

	"github.com/troupe-go/troupe/cmd/troupe/internal/steal"
)

func TestActsOfKeys(t *testing.T) {
	got, err := steal.Acts("cbsutp+-=")
	want := []steal.Act{
		steal.Critical, steal.Block, steal.Spin, steal.Unbalance, steal.Switch, steal.Pause, steal.More, steal.Less, steal.More,
	}
	if err != nil || !slices.Equal(got, want) {
		t.Errorf("acts = %v, %v, want %v", got, err, want)
	}
	names := map[string]bool{}
	for _, a := range want {
		names[a.String()] = true
	}
	if len(names) != 8 {
		t.Errorf("the names are %v, want eight", names)
	}
}

func TestUnknownKey(t *testing.T) {
	_, err := steal.Acts("cx")
	if err == nil || !strings.Contains(err.Error(), `'x'`) || !strings.Contains(err.Error(), "cbsutp+-") {
		t.Errorf("error = %v, want one that names the key and the right ones", err)
	}
	if name := steal.Act(99).String(); name != "Act(99)" {
		t.Errorf("the name of no act is %q", name)
	}
}
