package stream

import (
	"encoding/binary"
	"errors"
	"fmt"
	"hash/fnv"
	"strconv"
	"strings"
)

// A Position says where a message is stored. It stays the same when the message is delivered
// again, and when it is replayed from the dead letters, so it is an id for Once of a journal.
type Position struct {
	Topic     string
	Partition int
	Sequence  uint64 // In the partition. The first message has 1.
}

// String returns topic, partition and sequence, such as "orders/3/1042".
func (p Position) String() string { return fmt.Sprintf("%s/%d/%d", p.Topic, p.Partition, p.Sequence) }

// ParsePosition reads what [Position.String] has written.
func ParsePosition(text string) (p Position, err error) {
	parts := strings.Split(text, "/")
	if len(parts) == 3 {
		var partition int
		var sequence uint64
		partition, err = strconv.Atoi(parts[1])
		if err == nil {
			sequence, err = strconv.ParseUint(parts[2], 10, 64)
		}
		if err == nil && parts[0] != "" && partition >= 0 {
			return Position{parts[0], partition, sequence}, nil
		}
	}
	return p, fmt.Errorf("%w: %q is no position; write topic/partition/sequence", ErrConfig, text)
}

// topicRecord is a message as it is stored: a format byte, numbers and texts with their
// lengths, and then the message itself.
type topicRecord struct {
	version int
	key     string
	// The rest is empty unless the message was replayed.
	hops   int
	only   string // The one consumer that gets it.
	origin uint64 // The sequence in the same partition under which it was published.
	data   []byte
}

const recordFormat = 1

func (r topicRecord) encode() []byte {
	b := make([]byte, 0, len(r.data)+len(r.key)+len(r.only)+32)
	b = append(b, recordFormat)
	b = binary.AppendUvarint(b, uint64(r.version))
	b = binary.AppendUvarint(b, uint64(len(r.key)))
	b = append(b, r.key...)
	b = binary.AppendUvarint(b, uint64(r.hops))
	if r.hops > 0 {
		b = binary.AppendUvarint(b, uint64(len(r.only)))
		b = append(b, r.only...)
		b = binary.AppendUvarint(b, r.origin)
	}
	return append(b, r.data...)
}

var errRecord = errors.New("the record is no message of a topic")

// decodeRecord reads what encode has written. The result refers to b.
func decodeRecord(b []byte) (r topicRecord, err error) {
	if len(b) == 0 || b[0] != recordFormat {
		return r, fmt.Errorf("%w: its format is unknown", errRecord)
	}
	b = b[1:]
	number := func() (n uint64) {
		n, size := binary.Uvarint(b)
		if size <= 0 || n > 1<<62 {
			err = fmt.Errorf("%w: it is cut off", errRecord)
			return 0
		}
		b = b[size:]
		return n
	}
	text := func() string {
		n := number()
		if err != nil || n > uint64(len(b)) {
			err = fmt.Errorf("%w: it is cut off", errRecord)
			return ""
		}
		s := string(b[:n])
		b = b[n:]
		return s
	}
	r.version = int(number())
	if err == nil {
		r.key = text()
	}
	if err == nil {
		r.hops = int(number())
	}
	if err == nil && r.hops > 0 {
		r.only = text()
		if err == nil {
			r.origin = number()
		}
	}
	r.data = b
	return r, err
}

// encode returns a message as it is stored.
func (t *Topic[T]) encode(v T) (r topicRecord, id string, err error) {
	defer func() {
		if p := recover(); p != nil {
			err = fmt.Errorf("stream: topic %q: a function of Config, or its codec, has panicked: %v", t.core.name, p)
		}
	}()
	r.version = t.config.Version
	if t.config.Key != nil {
		r.key = t.config.Key(v)
	}
	if t.config.ID != nil {
		id = t.config.ID(v)
	}
	if len(r.key) > MaxKey {
		return r, id, fmt.Errorf("%w: the key %.40q... has %d bytes; the limit is %d", ErrTooLong, r.key, len(r.key), MaxKey)
	}
	if r.data, err = t.config.Codec.Marshal(v); err != nil {
		return r, id, fmt.Errorf("stream: topic %q: encode a message as %s: %w", t.core.name, t.config.Codec.Name(), err)
	}
	if len(r.data) > MaxMessage {
		return r, id, fmt.Errorf("%w: the message has %d bytes; the limit is %d", ErrTooLong, len(r.data), MaxMessage)
	}
	return r, id, nil
}

// decode returns a message in its present version.
func (t *Topic[T]) decode(r topicRecord) (v T, err error) {
	read := func(to any) error { return t.config.Codec.Unmarshal(r.data, to) }
	switch {
	case r.version > t.config.Version:
		return v, fmt.Errorf("the message has version %d of %s, and this program knows %d; replay it with a newer program", r.version, t.config.Type, t.config.Version)
	case r.version < t.config.Version && t.config.Upcast != nil:
		v, err = t.config.Upcast(r.version, read)
	default:
		err = read(&v)
	}
	if err != nil {
		return v, fmt.Errorf("read version %d of %s as %s: %w", r.version, t.config.Type, t.config.Codec.Name(), err)
	}
	return v, nil
}

// partition returns where the messages of a key are.
func (c *topicCore) partition(key string) int {
	if key == "" {
		return int(c.next.Add(1) % uint64(len(c.logs)))
	}
	h := fnv.New64a()
	_, _ = h.Write([]byte(key))
	return int(h.Sum64() % uint64(len(c.logs)))
}
