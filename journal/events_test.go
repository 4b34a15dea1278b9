package journal_test

import (
	"errors"
	"strings"
	"testing"

	"github.com/troupe-go/troupe/journal"
)

// The layouts that an event has had.
type (
	renamedV1 struct{ Text string }
	renamedV2 struct{ Words []string }
	renamed   struct{ Words, Spaces int }
)

var errBad = errors.New("no words")

var layouts = journal.Events[any](
	journal.Event[renamed]("renamed").Version(3).Formerly("named"),
	journal.Upcast("renamed", 1, func(old renamedV1) (renamedV2, error) {
		if old.Text == "" {
			return renamedV2{}, errBad
		}
		return renamedV2{strings.Fields(old.Text)}, nil
	}),
	journal.Upcast("renamed", 2, func(old renamedV2) (renamed, error) { return renamed{len(old.Words), len(old.Words) - 1}, nil }),
)

func record(name string, schema int, codec, data string) journal.Record {
	return journal.Record{Stream: "s", Version: 7, Encoded: journal.Encoded{Type: name, Schema: schema, Codec: codec, Data: []byte(data)}}
}

func TestOldLayoutsAreRead(t *testing.T) {
	for _, r := range []journal.Record{
		record("renamed", 3, "json", `{"Words":3,"Spaces":2}`),
		record("renamed", 2, "json", `{"Words":["a","b","c"]}`),
		record("renamed", 1, "json", `{"Text":"a b c"}`),
		record("named", 1, "json", `{"Text":"a b c","Unknown":1}`),
	} {
		if e, err := layouts.Decode(r); err != nil || e != (renamed{3, 2}) {
			t.Errorf("%s of schema %d is %+v (%v)", r.Type, r.Schema, e, err)
		}
	}
}

func TestEventsThatCannotBeRead(t *testing.T) {
	for _, c := range []struct {
		r     journal.Record
		want  error
		texts string
	}{
		{record("renamed", 4, "json", `{}`), journal.ErrUnknownType, "the present one is 3"},
		{record("renamed", 0, "json", `{}`), journal.ErrUnknownType, "no journal.Upcast"},
		{record("lost", 1, "json", `{}`), journal.ErrUnknownType, "Formerly"},
		{record("renamed", 3, "cbor", `{}`), nil, `unknown codec "cbor"`},
		{record("renamed", 3, "json", `{`), nil, "JSON"},
		{record("renamed", 1, "json", `[]`), nil, "cannot unmarshal array"},
		{record("renamed", 1, "json", `{}`), errBad, "lift it from version 1"},
	} {
		_, err := layouts.Decode(c.r)
		var e *journal.EventError
		if !errors.As(err, &e) || e.Stream != "s" || e.Version != 7 || e.Type != c.r.Type || e.Schema != c.r.Schema {
			t.Errorf("%+v: got %v, want an EventError", c.r, err)
			continue
		}
		if c.want != nil && !errors.Is(err, c.want) || !strings.Contains(err.Error(), c.texts) {
			t.Errorf("%+v: got %v, want %v with %q", c.r, err, c.want, c.texts)
		}
	}
}

// upper is a codec.
type upper struct{ journal.Codec }

func (upper) Name() string { return "upper" }

func TestCodecs(t *testing.T) {
	set := journal.Events[any](journal.Event[added]("added"), journal.Encoding(upper{journal.JSON}))
	e, err := set.Encode(added{1})
	if err != nil || e.Codec != "upper" {
		t.Fatalf("encoded as %q (%v)", e.Codec, err)
	}
	for _, codec := range []string{"upper", "json"} {
		if v, err := set.Decode(record("added", 1, codec, string(e.Data))); err != nil || v != (added{1}) {
			t.Errorf("%s: got %v (%v)", codec, v, err)
		}
	}
}

// sealed is implemented by no event here.
type sealed interface{ sealed() }

func TestBadDefinitions(t *testing.T) {
	same := func(old added) (added, error) { return old, nil }
	for want, set := range map[string]interface{ Err() error }{
		"1 to 255 bytes":                   journal.Events[any](journal.Event[added]("")),
		"is the ptr":                       journal.Events[any](journal.Event[*added]("added")),
		"versions begin with 1":            journal.Events[any](journal.Event[added]("added").Version(0)),
		"is no journal_test.sealed":        journal.Events[sealed](journal.Event[added]("added")),
		`both "a" and "b"`:                 journal.Events[any](journal.Event[added]("a"), journal.Event[added]("b")),
		`"a" is both`:                      journal.Events[any](journal.Event[added]("a"), journal.Event[other]("b").Formerly("a")),
		"two upcasters":                    journal.Events[any](journal.Event[added]("a").Version(2), journal.Upcast("a", 1, same), journal.Upcast("a", 1, same)),
		"no such Event":                    journal.Events[any](journal.Upcast("a", 1, same)),
		"whose version is 1":               journal.Events[any](journal.Event[added]("a"), journal.Upcast("a", 1, same)),
		"or what the upcaster for version": journal.Events[any](journal.Event[added]("a").Version(3), journal.Upcast("a", 1, func(added) (other, error) { return other{}, nil })),
		"empty Definition":                 journal.Events[any](journal.Definition{}),
		"nil Codec":                        journal.Events[any](journal.Encoding(nil)),
	} {
		if err := set.Err(); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("got %v, want an error with %q", err, want)
		}
	}
	bad := journal.Events[any](journal.Event[added](""))
	if _, err := bad.Encode(added{}); err == nil {
		t.Error("a bad set encodes")
	}
	if _, err := bad.Decode(record("", 1, "json", "{}")); err == nil {
		t.Error("a bad set decodes")
	}
}
