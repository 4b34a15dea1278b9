package main

import (
	"io"
	"log"
	"strings"
	"testing"
	"time"

	"github.com/troupe-go/troupe/internal/lane"
	"github.com/troupe-go/troupe/internal/leak"
)

func TestMain(m *testing.M) { leak.Main(m) }

// TestSoak keeps the books of a short load.
func TestSoak(t *testing.T) {
	lane.Short(t)
	if err := soak(t.Output(), time.Second, 20); err != nil {
		t.Error(err)
	}
}

// TestBooksFindWhatIsWrong enters what must not happen.
func TestBooksFindWhatIsWrong(t *testing.T) {
	for _, c := range []struct {
		name    string
		events  []uint32
		retried bool
		want    string // "" for nothing.
	}{
		{"handled", []uint32{accepted, handled}, false, ""},
		{"handled before its send has returned", []uint32{handled, accepted}, false, ""},
		{"dropped", []uint32{accepted, dead}, false, ""},
		{"refused", []uint32{refused, dead}, false, ""},
		{"tried again", []uint32{accepted, handled, handled, dead}, true, ""},
		{"lost", []uint32{accepted}, false, "1 messages were accepted, and neither"},
		{"handled twice", []uint32{accepted, handled, handled}, false, "handled twice"},
		{"two dead letters", []uint32{accepted, dead, dead}, false, "a dead letter twice"},
		{"handled and dropped", []uint32{accepted, handled, dead}, false, "handled and is a dead letter"},
		{"refused and handled", []uint32{refused, handled}, true, "although its send returned an error"},
	} {
		r := &run{out: log.New(io.Discard, "", 0)}
		p := &parcel{retried: c.retried}
		for _, e := range c.events {
			r.books.note(p, e)
		}
		r.books.close()
		err := r.report()
		if found := strings.Join(r.books.errors, "; "); (err != nil) != (c.want != "") || !strings.Contains(found, c.want) {
			t.Errorf("%s: the books found %q, want %q", c.name, found, c.want)
		}
	}
}
