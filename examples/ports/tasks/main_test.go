package main

import (
	"strings"
	"testing"
	"time"

	"github.com/troupe-go/troupe/internal/leak"
)

func TestMain(m *testing.M) { leak.Main(m) }

func TestEachTaskHasAResult(t *testing.T) {
	for _, c := range []struct {
		work work
		want string
	}{
		{work{tasks: 40, each: time.Millisecond, limit: time.Hour}, "40 tasks done, 0 were told to stop, 0 have not begun\n"},
		{work{tasks: 40, each: time.Hour, limit: 100 * time.Millisecond}, "0 tasks done, 10 were told to stop, 30 have not begun\n"},
	} {
		var out strings.Builder
		if err := c.work.do(t.Context(), &out); err != nil {
			t.Fatal(err)
		}
		if out.String() != c.want {
			t.Errorf("%+v: got %q, want %q", c.work, out.String(), c.want)
		}
	}
}
