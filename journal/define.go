package journal

import (
	"errors"
	"fmt"
	"reflect"
	"slices"
)

// Definition is a part of a set of events; see Event, Upcast and Encoding.
type Definition struct {
	name     string
	schema   int // Of an event: its present version. Of an upcaster: the version that it reads.
	formerly []string
	typ      reflect.Type // Of an event.
	in, out  reflect.Type // Of an upcaster.
	decode   func(c Codec, data []byte) (any, error)
	lift     func(old any) (any, error)
	codecs   []Codec
}

// Event defines the events of type T, which are stored under the name. The name is part
// of the stored data: renaming T changes nothing. T must not be a pointer or an
// interface.
func Event[T any](name string) Definition {
	return Definition{name: name, schema: 1, typ: reflect.TypeFor[T](), decode: decodeAs[T]}
}

// Erasure has projections see the erasure of a stream as an event of type T, its zero
// value; see [Journal.Erase]. A projection whose set has no Erasure stops at such an event.
// The Apply of an actor is never called with it.
func Erasure[T any]() Definition { return Event[T](ErasedType) }

// Version says which version of the layout T is. It defaults to 1. Raise it when the
// stored form changes in a way that old data can't be read any more, and add an Upcast
// for the old version.
func (d Definition) Version(n int) Definition {
	d.schema = n
	return d
}

// Formerly says under which other names such events were stored before.
func (d Definition) Formerly(names ...string) Definition {
	d.formerly = append(slices.Clone(d.formerly), names...)
	return d
}

// Upcast reads events that were stored under the name with an older version of their
// layout. Old is that layout. New is the present type, or the type that the Upcast for
// the next version reads. An error of lift stops the actor that reads the event.
func Upcast[Old, New any](name string, version int, lift func(Old) (New, error)) Definition {
	return Definition{
		name: name, schema: version, in: reflect.TypeFor[Old](), out: reflect.TypeFor[New](), decode: decodeAs[Old],
		lift: func(old any) (any, error) { return lift(old.(Old)) },
	}
}

// Encoding has new events written by the codec, and stored ones read by whichever of
// the codecs wrote them. JSON is always among those that are read.
func Encoding(write Codec, read ...Codec) Definition {
	return Definition{codecs: append([]Codec{write}, read...)}
}

func decodeAs[T any](c Codec, data []byte) (any, error) {
	var v T
	err := c.Unmarshal(data, &v)
	return v, err
}

// check says what is wrong with the definition of an event.
func (d Definition) check() error {
	for i, name := range append([]string{d.name}, d.formerly...) {
		if err := checkType(name); err != nil && (i > 0 || name != ErasedType) {
			return err
		}
	}
	switch k := d.typ.Kind(); {
	case d.name == "" || len(d.name) > 255:
		return fmt.Errorf("journal: the name %q of %v; it must have 1 to 255 bytes", d.name, d.typ)
	case d.name == ErasedType && (d.schema != 1 || d.formerly != nil):
		return errors.New("journal: an Erasure has no Version, and no name Formerly")
	case k == reflect.Pointer || k == reflect.Interface:
		return fmt.Errorf("journal: event %q is the %v %v; define it by a struct or another value", d.name, k, d.typ)
	case d.schema < 1:
		return fmt.Errorf("journal: event %q has version %d; versions begin with 1", d.name, d.schema)
	}
	return nil
}
