package journal

import (
	"encoding/json"
	"fmt"
	"reflect"

	"github.com/troupe-go/troupe/internal/codec"
)

// Codec turns events into bytes and back. Its name is stored with each event. It must
// be safe for concurrent use.
type Codec interface {
	Name() string
	Marshal(v any) ([]byte, error)
	// Unmarshal fills in v, which is a pointer.
	Unmarshal(data []byte, v any) error
}

// TypeChecker is implemented by a [Codec] that knows what it makes of types. CheckType
// returns what of a value of the type would be lost, such as unexported fields, or nil.
// Each type of an event is checked when its set is made, and the type of a snapshot when its
// actor is defined, so that a recovery does not find less than there was.
type TypeChecker interface {
	CheckType(t reflect.Type) error
}

// check returns what of a type the codec would lose, if it knows.
func check(c Codec, t reflect.Type) error {
	if checker, ok := c.(TypeChecker); ok {
		if err := checker.CheckType(t); err != nil {
			return fmt.Errorf("as %s: %w", c.Name(), err)
		}
	}
	return nil
}

// JSON is the codec of package encoding/json, and the default.
var JSON Codec = jsonCodec{}

type jsonCodec struct{}

func (jsonCodec) Name() string                       { return "json" }
func (jsonCodec) Marshal(v any) ([]byte, error)      { return json.Marshal(v) }
func (jsonCodec) Unmarshal(data []byte, v any) error { return json.Unmarshal(data, v) }

// CheckType implements [TypeChecker].
func (jsonCodec) CheckType(t reflect.Type) error {
	rules := codec.JSONRules()
	rules.Stored = true
	return codec.Of(t, rules).Err
}
