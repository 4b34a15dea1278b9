package netio

import "fmt"

// Codec makes messages of type In from the bytes of a stream, and bytes from
// messages of type Out. One value serves any number of streams at the same time.
type Codec[In, Out any] interface {
	// NewDecoder returns a decoder for one stream, or says what is wrong with the codec's
	// settings. It is called once for each stream, also at the same time by several, and
	// once before the first, to find wrong settings early.
	NewDecoder() (Decoder[In], error)
	// Append appends the bytes of v to dst. With an error dst is unchanged, and
	// nothing is sent.
	Append(dst []byte, v Out) ([]byte, error)
}

// Decoder makes messages from the bytes of one stream, as they come. It is used by
// one goroutine at a time.
type Decoder[In any] interface {
	// Decode looks for a message at the begin of data, and returns how many bytes
	// are done with, and the message if it is complete. It must not keep data.
	// While ok is false it is called again when there is more, with what it has
	// left at the begin of data; it may remember how far it has looked. Final says
	// that nothing comes behind data. An error ends the stream. For Timeouts, bytes that
	// are done with before their message is complete are none of it.
	Decode(data []byte, final bool) (n int, m In, ok bool, err error)
}

// Map returns a codec that turns the messages of c into others by f. So the messages of a
// peer can become the type of all messages of an actor. F is called
// on the strand that reads, so it must not wait.
func Map[In, Out, M any](c Codec[In, Out], f func(In) M) Codec[M, Out] {
	return mapped[In, Out, M]{c, f}
}

type mapped[In, Out, M any] struct {
	Codec[In, Out]
	f func(In) M
}

func (c mapped[In, Out, M]) NewDecoder() (Decoder[M], error) {
	if c.Codec == nil || c.f == nil {
		return nil, fmt.Errorf("%w: Map has a nil argument", ErrConfig)
	}
	d, err := newDecoder(c.Codec)
	if err != nil {
		return nil, err
	}
	return mapDecoder[In, M]{d, c.f}, nil
}

type mapDecoder[In, M any] struct {
	Decoder[In]
	f func(In) M
}

func (d mapDecoder[In, M]) Decode(data []byte, final bool) (n int, m M, ok bool, err error) {
	n, in, ok, err := d.Decoder.Decode(data, final)
	if ok && err == nil {
		m = d.f(in)
	}
	return n, m, ok, err
}

// limited returns a limit, or what it defaults to.
func limited(size, byDefault int) (int, error) {
	switch {
	case size < 0:
		return 0, fmt.Errorf("%w: MaxSize is %d; it must be at least 1, or 0 for the default of %d", ErrConfig, size, byDefault)
	case size == 0:
		return byDefault, nil
	}
	return size, nil
}
