package journal

import "encoding/json"

// Codec turns events into bytes and back. Its name is stored with each event. It must
// be safe for concurrent use.
type Codec interface {
	Name() string
	Marshal(v any) ([]byte, error)
	// Unmarshal fills in v, which is a pointer.
	Unmarshal(data []byte, v any) error
}

// JSON is the codec of package encoding/json, and the default.
var JSON Codec = jsonCodec{}

type jsonCodec struct{}

func (jsonCodec) Name() string                       { return "json" }
func (jsonCodec) Marshal(v any) ([]byte, error)      { return json.Marshal(v) }
func (jsonCodec) Unmarshal(data []byte, v any) error { return json.Unmarshal(data, v) }
