package codec

import (
	"encoding"
	"fmt"
	"reflect"
)

var (
	appender    = reflect.TypeFor[encoding.BinaryAppender]()
	unmarshaler = reflect.TypeFor[encoding.BinaryUnmarshaler]()
)

// IsOwn reports whether values of the type encode themselves, by AppendBinary and UnmarshalBinary.
func IsOwn(t reflect.Type) bool {
	p := reflect.PointerTo(t)
	return p.Implements(appender) && p.Implements(unmarshaler)
}

// AppendsAsValue reports whether AppendBinary needs no pointer.
func AppendsAsValue(t reflect.Type) bool { return t.Implements(appender) }

// AppendOwn calls the method AppendBinary of v. That can't change what is in dst, and a panic of it is an error.
func AppendOwn(dst []byte, v encoding.BinaryAppender) (_ []byte, err error) {
	defer contain("AppendBinary", &err)
	room := dst[len(dst):]
	data, err := v.AppendBinary(room)
	switch {
	case err != nil:
		return dst, err
	case len(data) == 0:
		return dst, nil
	case cap(room) >= len(data) && &room[:1][0] == &data[0]:
		return dst[:len(dst)+len(data)], nil
	}
	return append(dst, data...), nil
}

// UnmarshalOwn calls the method UnmarshalBinary of v. A panic of it is an error.
func UnmarshalOwn(data []byte, v encoding.BinaryUnmarshaler) (err error) {
	defer contain("UnmarshalBinary", &err)
	return v.UnmarshalBinary(data)
}

// Contained calls do, whose panic is an error.
func Contained(name string, do func() error) (err error) {
	defer contain(name, &err)
	return do()
}

func contain(name string, err *error) {
	if r := recover(); r != nil {
		*err = fmt.Errorf("%s panics: %v", name, r)
	}
}
