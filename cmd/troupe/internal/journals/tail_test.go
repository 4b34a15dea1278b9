package journals_test

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"testing"
	"time"

	"github.com/troupe-go/troupe/cmd/troupe/internal/journals"
	"github.com/troupe-go/troupe/journal"
	"github.com/troupe-go/troupe/journal/memory"
)

func TestLastEventsAreShown(t *testing.T) {
	s := memory.New()
	collect := func(n int, f journal.Filter) (got []string, last journal.Position) {
		t.Helper()
		last, err := journals.Last(t.Context(), s, n, f, func(r journal.Record) error {
			got = append(got, string(r.Data))
			return nil
		})
		if err != nil {
			t.Fatal(err)
		}
		return got, last
	}
	if got, last := collect(3, journal.Filter{}); len(got) > 0 || last != 0 {
		t.Errorf("an empty journal has %q, up to %d", got, last)
	}
	for i := range 100 {
		store(t, s, write(fmt.Sprint("s", i%10), "json", fmt.Sprint(i)))
	}
	for _, c := range []struct {
		n      int
		filter journal.Filter
		want   []string
	}{
		{0, journal.Filter{}, nil},
		{1, journal.Filter{}, []string{"99"}},
		{3, journal.Filter{}, []string{"97", "98", "99"}},
		{3, journal.Filter{Prefix: "s0"}, []string{"70", "80", "90"}},
		{3, journal.Filter{Prefix: "t"}, nil},
		{3, journal.Filter{Types: []string{"other"}}, nil},
	} {
		if got, last := collect(c.n, c.filter); !slices.Equal(got, c.want) || last != 100 {
			t.Errorf("the last %d of %+v are %q, up to %d, want %q, up to 100", c.n, c.filter, got, last, c.want)
		}
	}
	if got, _ := collect(1000, journal.Filter{}); len(got) != 100 || got[0] != "0" {
		t.Errorf("of the last 1000 there are %d, want all 100", len(got))
	}
}

// Each event that is written is told, until the context ends.
func TestFollowShowsNewEvents(t *testing.T) {
	s := memory.New()
	store(t, s, write("s", "json", "old"))
	ctx, cancel := context.WithCancelCause(t.Context())
	told, ended := make(chan string), make(chan error, 1)
	go func() {
		ended <- journals.Follow(ctx, s, 1, journal.Filter{Prefix: "s"}, time.Millisecond, func(r journal.Record) error {
			told <- string(r.Data)
			return nil
		})
	}()
	for i := range 5 {
		store(t, s, write("other", "json", "0"), write("s", "json", fmt.Sprint(i)))
		if got := <-told; got != fmt.Sprint(i) {
			t.Errorf("told is %q, want %d", got, i)
		}
	}
	left := errors.New("on order")
	cancel(left)
	if err := <-ended; !errors.Is(err, left) {
		t.Errorf("Follow returns %v, want the cause", err)
	}
}

func TestFind(t *testing.T) {
	s := memory.New()
	store(t, s, write("account/10", "json", "1"), write("account/1", "json", "1"))
	if info, err := journals.Find(t.Context(), s, "account/1"); err != nil || info.Name != "account/1" {
		t.Errorf("got %q (%v)", info.Name, err)
	}
	for _, name := range []string{"account", "account/2", "", "z"} {
		if _, err := journals.Find(t.Context(), s, name); !errors.Is(err, journals.ErrUnknownStream) {
			t.Errorf("%q: %v, want ErrUnknownStream", name, err)
		}
	}
}
