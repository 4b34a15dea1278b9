// Package cbor encodes events as CBOR (RFC 8949): about half as large as JSON, and bytes
// stay bytes. It is a module of its own, so that programs without it need no library.
//
//	var events = journal.Events[Event](journal.Encoding(cbor.Codec), ...)
package cbor

import (
	"encoding"
	"fmt"
	"math"
	"math/big"
	"reflect"
	"time"

	"github.com/fxamacker/cbor/v2"

	"github.com/troupe-go/troupe/internal/codec"
	"github.com/troupe-go/troupe/journal"
)

// Codec encodes by the core deterministic rules, so that equal events have equal bytes,
// and times to the nanosecond. Structs use the tags of the library, cbor:"name", or of
// encoding/json. Unknown fields are ignored. It is safe for concurrent use.
var Codec journal.Codec = newCodec()

type deterministic struct {
	enc cbor.EncMode
	dec cbor.DecMode
	err error
}

func newCodec() deterministic {
	options := cbor.CoreDetEncOptions()
	options.Time = cbor.TimeRFC3339Nano
	enc, err := options.EncMode()
	if err != nil {
		return deterministic{err: err}
	}
	// The data is the program's own, so its length alone bounds it.
	dec, err := cbor.DecOptions{MaxArrayElements: math.MaxInt32, MaxMapPairs: math.MaxInt32, MaxNestedLevels: 256}.DecMode()
	return deterministic{enc, dec, err}
}

// Name implements [journal.Codec].
func (deterministic) Name() string { return "cbor" }

// Marshal implements [journal.Codec].
func (c deterministic) Marshal(v any) ([]byte, error) {
	if c.err != nil {
		return nil, fmt.Errorf("cbor: options: %w", c.err)
	}
	return c.enc.Marshal(v)
}

// Unmarshal implements [journal.Codec].
func (c deterministic) Unmarshal(data []byte, v any) error {
	if c.err != nil {
		return fmt.Errorf("cbor: options: %w", c.err)
	}
	return c.dec.Unmarshal(data, v)
}

// CheckType implements [journal.TypeChecker].
func (deterministic) CheckType(t reflect.Type) error {
	return codec.Of(t, codec.Rules{
		Tags: []string{"cbor", "json"}, Whole: whole, Stored: true, Methods: "MarshalCBOR and UnmarshalCBOR",
	}).Err
}

// whole reports whether the library encodes values of the type by their methods or by rules of
// its own.
func whole(t reflect.Type, addressable bool) bool {
	return t == reflect.TypeFor[time.Time]() || t == reflect.TypeFor[big.Int]() ||
		codec.Has[cbor.Marshaler, cbor.Unmarshaler](t, addressable) || codec.Has[encoding.BinaryMarshaler, encoding.BinaryUnmarshaler](t, addressable)
}
