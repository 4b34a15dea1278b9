package wire

import (
	"encoding/json"
	"errors"
	"reflect"

	"github.com/troupe-go/troupe/internal/codec"
)

// Codec turns messages into bytes and back, for types that do not encode themselves. It must be safe for concurrent use.
// [JSON] is one, and the module wire/cbor has another.
type Codec interface {
	// Name tells the codec from others. Two nodes exchange only messages that both encode by a codec of one name.
	Name() string
	// Rules say what the codec makes of types. They must not change.
	Rules() Rules
	// Append appends the value that v points to.
	Append(dst []byte, v any) ([]byte, error)
	// Measure returns at least the number of values in the data: scalars, lists, maps and their entries, each counted
	// by itself. It fails with limits.Check, before it has gone on, if they are too many or nested too deeply. It needs
	// no memory that grows with the data.
	Measure(data []byte, limits Limits) (values int, err error)
	// Unmarshal fills in what v points to, and keeps no part of the data. It is called after Measure.
	Unmarshal(data []byte, v any) error
}

// Rules say how a [Codec] reads types.
type Rules struct {
	// Tags are the keys of the struct tags that name fields; the first that a field has counts. At least one is needed.
	Tags []string
	// Whole reports whether the codec encodes values of the type by their methods, or by a rule of its own, without a
	// look at their fields. It can call methods of pointers only if the value is addressable.
	Whole func(t reflect.Type, addressable bool) bool
}

// JSON is the codec of package encoding/json, and the default, since it needs no library. Numbers
// that are not finite and strings that are not UTF-8 are errors.
var JSON Codec = jsonCodec{}

type jsonCodec struct{}

func (jsonCodec) Name() string { return "json" }

func (jsonCodec) Rules() Rules {
	rules := codec.JSONRules()
	return Rules{rules.Tags, rules.Whole}
}

func (jsonCodec) Append(dst []byte, v any) ([]byte, error) {
	data, err := json.Marshal(v)
	if err != nil {
		return dst, err
	}
	if codec.MarksBadText(data) {
		return dst, errors.New("a string is not UTF-8; use []byte")
	}
	return append(dst, data...), nil
}

func (jsonCodec) Measure(data []byte, limits Limits) (int, error) {
	return codec.MeasureJSON(data, limits.Check)
}

func (jsonCodec) Unmarshal(data []byte, v any) error { return json.Unmarshal(data, v) }
