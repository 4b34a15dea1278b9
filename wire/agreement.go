package wire

import (
	"encoding"
	"encoding/binary"
	"errors"
	"fmt"
	"reflect"

	"github.com/troupe-go/troupe/internal/codec"
)

// Agreement is what two sides understand of each other. It is safe for concurrent use.
type Agreement struct {
	offer    *Offer
	byType   map[reflect.Type]*outgoing
	values   []*outgoing
	incoming []incoming // By the other side's numbers.
}

// outgoing is a type of this side, and why the other does not take it.
type outgoing struct {
	*entry
	number uint64
	err    error
}

// incoming is a type of the other side, and why this one does not take it.
type incoming struct {
	name string
	*entry
	err error
}

// Differences returns an [ErrLayout] for each type that both sides have, but not alike. It is nil if there is none.
func (a *Agreement) Differences() []error {
	var diffs []error
	for _, in := range a.incoming {
		if in.entry != nil && in.err != nil {
			diffs = append(diffs, in.err)
		}
	}
	return diffs
}

// Takes says why messages of m's type can't be sent, or returns nil: [ErrNotRegistered] or [ErrLayout], wrapped.
func (a *Agreement) Takes(m any) error {
	_, err := a.outgoing(m)
	return err
}

func (a *Agreement) outgoing(m any) (*outgoing, error) {
	t := reflect.TypeOf(m)
	out, ok := a.byType[t]
	if ok {
		return out, out.err
	}
	if t == nil {
		return nil, fmt.Errorf("%w: the message is a nil interface", ErrNotRegistered)
	}
	// The type as it was registered may differ by a pointer.
	if t.Kind() == reflect.Pointer && a.byType[t.Elem()] != nil {
		return nil, fmt.Errorf("%w: %v, but %v is; send the value", ErrNotRegistered, t, t.Elem())
	}
	if p := reflect.PointerTo(t); a.byType[p] != nil {
		return nil, fmt.Errorf("%w: %v, but %v is; send a pointer", ErrNotRegistered, t, p)
	}
	return nil, fmt.Errorf("%w: %v; call wire.Register[%[2]v](name) before the handshake", ErrNotRegistered, t)
}

// Append appends the message m, with the number of its type. If it fails, it returns dst as it was. It returns
// [ErrNotRegistered], [ErrLayout], [ErrLimit] or [ErrEncode], wrapped, with the type and what to do.
func (a *Agreement) Append(dst []byte, m any) ([]byte, error) {
	out, err := a.outgoing(m)
	if err != nil {
		return dst, err
	}
	return a.offer.append(dst, out, m)
}

func (o *Offer) append(dst []byte, out *outgoing, m any) ([]byte, error) {
	data, err := out.encode(binary.AppendUvarint(dst, out.number), m, o.limits)
	if err != nil {
		return dst, fmt.Errorf("%w: %q (%v) as %s: %w", kindOf(err, ErrEncode), out.name, out.typ, out.codecName(), err)
	}
	if n := len(data) - len(dst); n > o.limits.Message {
		return dst, fmt.Errorf("%w: %q (%v) takes %d bytes, of %d; send it in parts", ErrLimit, out.name, out.typ, n, o.limits.Message)
	}
	return data, nil
}

// kindOf returns ErrLimit for what a limit has caused, else the other kind.
func kindOf(err, other error) error {
	if errors.Is(err, ErrLimit) {
		return ErrLimit
	}
	return other
}

func (e *entry) encode(dst []byte, m any, limits Limits) ([]byte, error) {
	if e.pointer && reflect.ValueOf(m).IsNil() {
		return dst, errors.New("the pointer is nil")
	}
	if e.own && (e.pointer || e.asValue) {
		return codec.AppendOwn(dst, m.(encoding.BinaryAppender))
	}
	p := reflect.ValueOf(m)
	if !e.pointer {
		p = reflect.New(e.base)
		p.Elem().Set(reflect.ValueOf(m))
	}
	if e.own {
		return codec.AppendOwn(dst, p.Interface().(encoding.BinaryAppender))
	}
	if err := e.plan.Check(p.Elem(), limits.Depth, limits.Values); err != nil {
		return dst, limitError{err}
	}
	data := dst
	err := codec.Contained("its encoding", func() (err error) {
		data, err = e.codec.Append(dst, p.Interface())
		return err
	})
	if err == nil && len(data) < len(dst) {
		err = fmt.Errorf("the codec has taken %d bytes away", len(dst)-len(data))
	}
	if err != nil {
		return dst, err
	}
	if _, err = e.need(data[len(dst):], limits); err != nil { // The other side would refuse it.
		return dst, err
	}
	return data, nil
}

// Decode returns the message that the other side has appended, as the type that was registered. It keeps no part of the
// data. The data has one message and nothing else. Errors wrap [ErrData], [ErrLimit], [ErrNotRegistered] or [ErrLayout].
func (a *Agreement) Decode(data []byte) (any, error) {
	if len(data) > a.offer.limits.Message {
		return nil, fmt.Errorf("%w: a message has %d bytes, of %d", ErrLimit, len(data), a.offer.limits.Message)
	}
	r := reader{data: data}
	number := r.uvarint()
	if r.err != nil {
		return nil, fmt.Errorf("the number of a message's type: %w", r.err)
	}
	in, err := a.lookUp(number, false)
	if err != nil {
		return nil, err
	}
	v, _, err := in.decode(r.data, a.offer.limits)
	return v, err
}

func (a *Agreement) lookUp(number uint64, value bool) (*entry, error) {
	if number >= uint64(len(a.incoming)) {
		return nil, fmt.Errorf("%w: a type has number %d; the other side has offered %d types", ErrData, number, len(a.incoming))
	}
	in := a.incoming[number]
	if in.err != nil {
		return nil, in.err
	}
	if in.key != nil != value {
		return nil, fmt.Errorf("%w: %q is used as a message and as a context value", ErrData, in.name)
	}
	return in.entry, nil
}

// decode also returns how much memory the value may take.
func (e *entry) decode(data []byte, limits Limits) (v any, need int, err error) {
	if need, err = e.need(data, limits); err != nil {
		return nil, 0, fmt.Errorf("%w: %q (%v): %w", kindOf(err, ErrData), e.name, e.typ, err)
	}
	p := reflect.New(e.base)
	if e.own {
		err = codec.UnmarshalOwn(data, p.Interface().(encoding.BinaryUnmarshaler))
	} else {
		err = codec.Contained("its decoding", func() error { return e.codec.Unmarshal(data, p.Interface()) })
	}
	switch {
	case err != nil:
		return nil, 0, fmt.Errorf("%w: %d bytes are no %q (%v) as %s: %w", ErrData, len(data), e.name, e.typ, e.codecName(), err)
	case e.pointer:
		return p.Interface(), need, nil
	}
	return p.Elem().Interface(), need, nil
}

// need bounds the memory of a value before any is taken: its own size, its text and bytes, and for each value in it the
// largest thing that may be made for one. Slices that grow are up to four times as large as they should be for a while.
func (e *entry) need(data []byte, limits Limits) (int, error) {
	values, need := 0, int(e.base.Size())
	if !e.own {
		var err error
		if values, err = e.codec.Measure(data, limits); err != nil {
			return 0, err
		}
		need += growth * len(data)
	}
	each := growth * e.plan.Element
	if left := limits.Memory - need; left < 0 || values > 0 && values > left/each {
		return 0, tooMuch("%d values in %d bytes may take more than %d bytes of memory", values, len(data), limits.Memory)
	}
	return need + values*each, nil
}

const growth = 4
