package protobuf_test

import (
	"bytes"
	"strings"
	"testing"

	"google.golang.org/protobuf/proto"
	"google.golang.org/protobuf/types/known/durationpb"
	"google.golang.org/protobuf/types/known/structpb"
	"google.golang.org/protobuf/types/known/wrapperspb"

	"github.com/troupe-go/troupe/journal"
	"github.com/troupe-go/troupe/journal/journaltest"
	"github.com/troupe-go/troupe/journal/protobuf"
)

// Event is sealed.
type Event interface {
	proto.Message
	event()
}

// Paid was an amount as text once, under version 1.
type Paid struct{ *wrapperspb.Int64Value }

type paidText struct{ *wrapperspb.StringValue }

// Noted has a map, whose order differs each time.
type Noted struct{ *structpb.Struct }

// Waited has two fields.
type Waited struct{ *durationpb.Duration }

func (Paid) event()   {}
func (Noted) event()  {}
func (Waited) event() {}

var events = journal.Events[Event](
	journal.Encoding(protobuf.Codec),
	journal.Event[Paid]("paid").Version(2),
	journal.Upcast("paid", 1, func(old paidText) (Paid, error) {
		return Paid{wrapperspb.Int64(int64(len(old.Value)))}, nil
	}),
	journal.Event[Noted]("noted"),
	journal.Event[Waited]("waited"),
)

func samples(t *testing.T) []Event {
	t.Helper()
	fields, err := structpb.NewStruct(map[string]any{"b": 2, "a": "x", "c": true, "d": nil})
	if err != nil {
		t.Fatal(err)
	}
	return []Event{Paid{wrapperspb.Int64(150)}, Noted{fields}, Waited{&durationpb.Duration{Seconds: 3, Nanos: 5}}}
}

func TestGolden(t *testing.T) { journaltest.Golden(t, "testdata", events, samples(t)...) }

func TestEventsComeBack(t *testing.T) {
	for _, sample := range samples(t) {
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
		if err != nil || !proto.Equal(got, sample) {
			t.Errorf("got %v, want %v (%v)", got, sample, err)
		}
	}
}

// An event of an older layout is lifted, and one of JSON is read beside.
func TestOtherData(t *testing.T) {
	old, err := protobuf.Codec.Marshal(paidText{wrapperspb.String("12345")})
	if err != nil {
		t.Fatal(err)
	}
	for name, e := range map[string]journal.Encoded{
		"version 1": {Type: "paid", Schema: 1, Codec: "protobuf", Data: old},
		"JSON":      {Type: "paid", Schema: 2, Codec: "json", Data: []byte(`{"value":5}`)},
	} {
		got, err := events.Decode(journal.Record{Encoded: e})
		if err != nil || got.(Paid).Value != 5 {
			t.Errorf("%s: got %v, want 5 (%v)", name, got, err)
		}
	}
	for _, bad := range [][]byte{{0xff}, {0x08}, old[:3]} {
		if e, err := events.Decode(journal.Record{Encoded: journal.Encoded{Type: "paid", Schema: 2, Codec: "protobuf", Data: bad}}); err == nil {
			t.Errorf("%x is read as %v", bad, e)
		}
	}
}

// Fields of a newer program are kept.
func TestUnknownFieldsAreKept(t *testing.T) {
	data, err := protobuf.Codec.Marshal(Waited{&durationpb.Duration{Seconds: 3, Nanos: 5}})
	if err != nil {
		t.Fatal(err)
	}
	var paid Paid // Has the first field alone.
	if err := protobuf.Codec.Unmarshal(data, &paid); err != nil || paid.Value != 3 {
		t.Fatalf("got %v, want 3 (%v)", paid, err)
	}
	if again, err := protobuf.Codec.Marshal(paid); err != nil || !bytes.Equal(again, data) {
		t.Errorf("%x was read, and %x is written (%v)", data, again, err)
	}
}

func TestWrongShapes(t *testing.T) {
	type two struct {
		*wrapperspb.Int64Value
		More int
	}
	type named struct{ M *wrapperspb.Int64Value }
	for name, v := range map[string]any{
		"nil": nil, "a number": 1, "a message": wrapperspb.Int64(1), "two fields": two{wrapperspb.Int64(1), 1},
		"a field": named{wrapperspb.Int64(1)}, "no message": struct{}{},
	} {
		if data, err := protobuf.Codec.Marshal(v); err == nil || !strings.Contains(err.Error(), "embeds a pointer to a generated message") {
			t.Errorf("%s is encoded as %x (%v)", name, data, err)
		}
	}
	if _, err := protobuf.Codec.Marshal(Paid{}); err == nil || !strings.Contains(err.Error(), "without a message") {
		t.Errorf("an event without a message: %v", err)
	}
	for name, v := range map[string]any{"nil": nil, "a value": Paid{}, "a nil pointer": (*Paid)(nil), "two fields": &two{}} {
		if err := protobuf.Codec.Unmarshal(nil, v); err == nil {
			t.Errorf("%s is decoded into", name)
		}
	}
}
