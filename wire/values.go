package wire

import (
	"context"
	"encoding/binary"
	"fmt"
	"reflect"
)

// maxValues bounds the context values of one message.
const maxValues = 64

// AppendValues appends the registered values that the context has. Values of which the other side has no type, or another
// one, are left out, as Differences and Takes tell; a value of another type than the registered one is an error.
func (a *Agreement) AppendValues(dst []byte, ctx context.Context) ([]byte, error) { //nolint:revive // dst comes first, as in all functions that append.
	var data []byte
	n := 0
	for _, out := range a.values {
		v := ctx.Value(out.key)
		if v == nil || out.err != nil {
			continue
		}
		if t := reflect.TypeOf(v); t != out.typ {
			return dst, fmt.Errorf("%w: the context value %q is a %v; it is registered as %v", ErrEncode, out.name, t, out.typ)
		}
		one, err := a.offer.append(nil, out, v)
		if err != nil {
			return dst, fmt.Errorf("a context value: %w", err)
		}
		data = append(binary.AppendUvarint(data, uint64(len(one))), one...)
		n++
	}
	if n > maxValues || len(data) > a.offer.limits.Message {
		return dst, fmt.Errorf("%w: %d context values of %d bytes; at most %d cross, of %d bytes", ErrLimit, n, len(data), maxValues, a.offer.limits.Message)
	}
	return append(binary.AppendUvarint(dst, uint64(n)), data...), nil
}

// DecodeValues returns a context below ctx with the values that the other side has appended.
func (a *Agreement) DecodeValues(ctx context.Context, data []byte) (context.Context, error) {
	limits := a.offer.limits
	if len(data) > limits.Message+binary.MaxVarintLen64 {
		return nil, fmt.Errorf("%w: context values have %d bytes, of %d", ErrLimit, len(data), limits.Message)
	}
	r, last := reader{data: data}, uint64(0)
	for range r.count(maxValues, 1) {
		one := reader{data: r.bytes(limits.Message)}
		number := one.uvarint()
		if r.err != nil || one.err != nil {
			return nil, fmt.Errorf("%w: context values end early", ErrData)
		}
		if number < last {
			return nil, fmt.Errorf("%w: context values come twice, or in another order", ErrData)
		}
		last = number + 1
		e, err := a.lookUp(number, true)
		if err != nil {
			return nil, err
		}
		v, need, err := e.decode(one.data, limits)
		if err != nil {
			return nil, fmt.Errorf("a context value: %w", err)
		}
		limits.Memory -= need
		ctx = context.WithValue(ctx, e.key, v)
	}
	if err := r.end(); err != nil {
		return nil, fmt.Errorf("context values: %w", err)
	}
	return ctx, nil
}
