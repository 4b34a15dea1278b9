// Package protobuf encodes events as protocol buffers. It is a module of its own, so that
// programs without it need no library.
//
//	type Deposited struct{ *bankpb.Deposited } // bankpb is what protoc has generated.
//
//	func (Deposited) event() {}
//
//	var events = journal.Events[Event](journal.Encoding(protobuf.Codec), journal.Event[Deposited]("deposited"))
//
// A generated message must not be copied, and an event of package journal is a value. So
// an event is a struct that embeds a pointer to its message, and nothing else. It has the
// message's fields and methods, and may have methods of its own, such as the one that
// seals an interface.
package protobuf

import (
	"fmt"
	"reflect"

	"google.golang.org/protobuf/proto"

	"github.com/troupe-go/troupe/journal"
)

// Codec encodes messages. Equal messages have equal bytes, as long as the program is built
// with the same version of the library: maps are sorted. Fields that the message does not
// know are kept. An event without a message, and one that is no struct with a message, is an
// error. It is safe for concurrent use.
var Codec journal.Codec = codec{}

type codec struct{}

// Name implements [journal.Codec].
func (codec) Name() string { return "protobuf" }

// Marshal implements [journal.Codec].
func (codec) Marshal(v any) ([]byte, error) {
	field, err := messageOf(reflect.ValueOf(v))
	if err != nil {
		return nil, err
	}
	if field.IsNil() {
		return nil, fmt.Errorf("protobuf: a %T without a message; its field %v is nil", v, field.Type())
	}
	return proto.MarshalOptions{Deterministic: true}.Marshal(field.Interface().(proto.Message))
}

// Unmarshal implements [journal.Codec]. It makes a new message.
func (codec) Unmarshal(data []byte, v any) error {
	to := reflect.ValueOf(v)
	if to.Kind() != reflect.Pointer || to.IsNil() {
		return fmt.Errorf("protobuf: decode into a %T; want a pointer to a struct", v)
	}
	field, err := messageOf(to.Elem())
	if err != nil {
		return err
	}
	field.Set(reflect.New(field.Type().Elem()))
	return proto.Unmarshal(data, field.Interface().(proto.Message))
}

var message = reflect.TypeFor[proto.Message]()

// messageOf returns the one field of an event: the pointer to its message.
func messageOf(v reflect.Value) (field reflect.Value, err error) {
	if !v.IsValid() || v.Kind() != reflect.Struct || v.NumField() != 1 {
		return field, wrongShape(v)
	}
	f := v.Type().Field(0)
	if !f.Anonymous || !f.IsExported() || f.Type.Kind() != reflect.Pointer || !f.Type.Implements(message) {
		return field, wrongShape(v)
	}
	return v.Field(0), nil
}

func wrongShape(v reflect.Value) error {
	name := "nil"
	if v.IsValid() {
		name = v.Type().String()
	}
	return fmt.Errorf("protobuf: %s is no event of this codec; want a struct that embeds a pointer to a generated message, and nothing else", name)
}
