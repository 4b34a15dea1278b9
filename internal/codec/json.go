package codec

import (
	"encoding"
	"encoding/json"
	"reflect"
)

// JSONRules returns the rules of package encoding/json.
func JSONRules() Rules {
	return Rules{Tags: []string{"json"}, Methods: "MarshalJSON and UnmarshalJSON", Whole: func(t reflect.Type, addressable bool) bool {
		return Has[json.Marshaler, json.Unmarshaler](t, addressable) || Has[encoding.TextMarshaler, encoding.TextUnmarshaler](t, addressable)
	}}
}

// Has reports whether values of a type have the methods of M, or their pointers have if they are addressable, and their
// pointers have the methods of U.
func Has[M, U any](t reflect.Type, addressable bool) bool {
	if t.Kind() == reflect.Pointer || t.Kind() == reflect.Interface {
		return false
	}
	marshaler, unmarshaler, p := reflect.TypeFor[M](), reflect.TypeFor[U](), reflect.PointerTo(t)
	return (t.Implements(marshaler) || addressable && p.Implements(marshaler)) && p.Implements(unmarshaler)
}

// MeasureJSON returns at least the number of values in JSON text, and tells check of it and of their depth. It does not
// check the text otherwise, and stops with the first error of check.
func MeasureJSON(data []byte, check func(values, depth int) error) (values int, err error) {
	values = 1
	depth, quoted := 0, false
	for i := 0; i < len(data); i++ {
		switch c := data[i]; {
		case c == '"':
			quoted = !quoted
			continue
		case quoted && c == '\\':
			i++
			continue
		case quoted:
			continue
		case c == '[' || c == '{':
			depth++
			values++
		case c == ']' || c == '}':
			depth--
			continue
		case c == ',':
			values++
		default:
			continue
		}
		if err := check(values, depth); err != nil {
			return values, err
		}
	}
	return values, nil
}

// MarksBadText reports whether JSON text has the escape that package encoding/json writes in place of bytes that are no
// UTF-8. A U+FFFD that was in the string is written as it is.
func MarksBadText(text []byte) bool {
	for i := 0; i+6 <= len(text); i++ {
		if text[i] != '\\' {
			continue
		}
		if string(text[i:i+6]) == `\ufffd` {
			return true
		}
		i++ // The next byte is escaped, and begins no escape.
	}
	return false
}
