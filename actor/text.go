package actor

import (
	"bytes"
	"encoding/base64"
	"fmt"
	"log/slog"
)

// maxText bounds texts before they are decoded.
var maxText = base64.RawURLEncoding.EncodedLen(maxAddress)

// LogValue returns the text of String, for package slog: also where MarshalText would fail, since the system is no node.
func (r Ref[M]) LogValue() slog.Value { return slog.StringValue(r.String()) }

// MarshalText returns the bytes of AppendBinary in the URL-safe base64 of RFC 4648, without padding, for codecs such as JSON.
func (r Ref[M]) MarshalText() ([]byte, error) { return textOf(r.AppendBinary(nil)) }

// UnmarshalText reads what MarshalText has written. See UnmarshalBinary.
func (r *Ref[M]) UnmarshalText(text []byte) error {
	*r = Ref[M]{}
	data, err := bytesOf(text)
	if err != nil {
		return fmt.Errorf("actor: read a ref: %w", err)
	}
	return r.UnmarshalBinary(data)
}

// MarshalText returns the bytes of AppendBinary in the URL-safe base64 of RFC 4648, without padding, for codecs such as JSON.
func (r Reply[T]) MarshalText() ([]byte, error) { return textOf(r.AppendBinary(nil)) }

// UnmarshalText reads what MarshalText has written. See UnmarshalBinary.
func (r *Reply[T]) UnmarshalText(text []byte) error {
	*r = Reply[T]{}
	data, err := bytesOf(text)
	if err != nil {
		return fmt.Errorf("actor: read a Reply: %w", err)
	}
	return r.UnmarshalBinary(data)
}

func textOf(data []byte, err error) ([]byte, error) {
	if err != nil {
		return nil, err
	}
	return base64.RawURLEncoding.AppendEncode([]byte{}, data), nil
}

func bytesOf(text []byte) ([]byte, error) {
	if len(text) > maxText {
		return nil, fmt.Errorf("the text has %d bytes, of %d at most", len(text), maxText)
	}
	if bytes.ContainsAny(text, "\r\n") { // The decoder would pass over them.
		return nil, fmt.Errorf("the text %.20q has a line break", text)
	}
	data, err := base64.RawURLEncoding.Strict().AppendDecode(nil, text)
	if err != nil {
		return nil, fmt.Errorf("the text %.20q is no base64: %w", text, err)
	}
	return data, nil
}
