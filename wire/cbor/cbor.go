// Package cbor encodes messages between nodes as CBOR (RFC 8949), with the library fxamacker/cbor. It is smaller than
// JSON, and bytes stay bytes. It is a module of its own, so that programs without it need no library.
//
//	wire.Default.Codec = cbor.Codec
//	wire.Register[Transfer]("bank.transfer")
package cbor

import (
	"bytes"
	"encoding"
	"fmt"
	"math"
	"math/big"
	"reflect"
	"time"

	"github.com/fxamacker/cbor/v2"

	codecs "github.com/troupe-go/troupe/internal/codec"
	"github.com/troupe-go/troupe/wire"
)

// Codec encodes structs by the tags of the library, cbor:"name", or of encoding/json; times to the nanosecond, with their
// offset. Of types within a message it honours MarshalCBOR and MarshalBinary with their counterparts, and big.Int. Unknown
// fields are ignored. It is safe for concurrent use.
var Codec wire.Codec = newCodec()

type codec struct {
	enc cbor.UserBufferEncMode
	dec cbor.DecMode
	err error
}

func newCodec() codec {
	options := cbor.EncOptions{Time: cbor.TimeRFC3339Nano}
	enc, err := options.UserBufferEncMode()
	if err != nil {
		return codec{err: err}
	}
	// Measure has bounded the data before the library sees it; these are the library's largest bounds.
	dec, err := cbor.DecOptions{MaxArrayElements: math.MaxInt32, MaxMapPairs: math.MaxInt32, MaxNestedLevels: 65535}.DecMode()
	return codec{enc, dec, err}
}

// Name implements [wire.Codec].
func (codec) Name() string { return "cbor" }

// Rules implements [wire.Codec].
func (codec) Rules() wire.Rules { return wire.Rules{Tags: []string{"cbor", "json"}, Whole: whole} }

func whole(t reflect.Type, addressable bool) bool {
	return t == reflect.TypeFor[time.Time]() || t == reflect.TypeFor[big.Int]() ||
		codecs.Has[cbor.Marshaler, cbor.Unmarshaler](t, addressable) || codecs.Has[encoding.BinaryMarshaler, encoding.BinaryUnmarshaler](t, addressable)
}

// Append implements [wire.Codec].
func (c codec) Append(dst []byte, v any) ([]byte, error) {
	if c.err != nil {
		return dst, fmt.Errorf("cbor: options: %w", c.err)
	}
	buf := bytes.NewBuffer(dst)
	if err := c.enc.MarshalToBuffer(v, buf); err != nil {
		return dst, err
	}
	return buf.Bytes(), nil
}

// Measure implements [wire.Codec].
func (codec) Measure(data []byte, limits wire.Limits) (int, error) { return measure(data, limits) }

// Unmarshal implements [wire.Codec].
func (c codec) Unmarshal(data []byte, v any) error {
	if c.err != nil {
		return fmt.Errorf("cbor: options: %w", c.err)
	}
	return c.dec.Unmarshal(data, v)
}
