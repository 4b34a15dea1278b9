package cbor_test

import (
	"bytes"
	"reflect"
	"testing"
	"time"

	"github.com/troupe-go/troupe/journal"
	"github.com/troupe-go/troupe/journal/cbor"
	"github.com/troupe-go/troupe/journal/journaltest"
)

type paid struct {
	Cents int       `json:"cents"`
	Note  []byte    `json:"note,omitempty"`
	At    time.Time `json:"at"`
	Tags  map[string]int
}

var events = journal.Events[any](journal.Event[paid]("paid"), journal.Encoding(cbor.Codec))

var sample = paid{150, []byte{0, 0xff}, time.Date(2026, 3, 1, 12, 0, 0, 123456789, time.UTC), map[string]int{"b": 2, "a": 1, "c": 3}}

func TestGolden(t *testing.T) { journaltest.Golden(t, "testdata", events, any(sample)) }

func TestEventsComeBack(t *testing.T) {
	first, err := events.Encode(sample)
	if err != nil {
		t.Fatal(err)
	}
	for range 20 { // Maps have another order each time.
		if again, err := events.Encode(sample); err != nil || !bytes.Equal(again.Data, first.Data) {
			t.Fatalf("equal events are encoded as %x and %x (%v)", first.Data, again.Data, err)
		}
	}
	got, err := events.Decode(journal.Record{Encoded: first})
	if err != nil || !reflect.DeepEqual(got, any(sample)) {
		t.Errorf("got %+v, want %+v (%v)", got, sample, err)
	}
}

// Stored events of another codec, of newer fields, and of bad data.
func TestOtherData(t *testing.T) {
	type newer struct {
		Cents int `json:"cents"`
		More  string
	}
	data, err := cbor.Codec.Marshal(newer{7, "x"})
	if err != nil {
		t.Fatal(err)
	}
	for codec, data := range map[string][]byte{"cbor": data, "json": []byte(`{"cents":7}`)} {
		e, err := events.Decode(journal.Record{Encoded: journal.Encoded{Type: "paid", Schema: 1, Codec: codec, Data: data}})
		if err != nil || e.(paid).Cents != 7 {
			t.Errorf("%s: got %+v (%v)", codec, e, err)
		}
	}
	for _, bad := range [][]byte{nil, {0xff}, data[:3], []byte(`{"cents":7}`)} {
		if e, err := events.Decode(journal.Record{Encoded: journal.Encoded{Type: "paid", Schema: 1, Codec: "cbor", Data: bad}}); err == nil {
			t.Errorf("%x is read as %+v", bad, e)
		}
	}
}
