package wiretest

import (
	"encoding/binary"
	"errors"

	"github.com/troupe-go/troupe/actor"
	"github.com/troupe-go/troupe/wire"
)

// call is the message of the suite's actors.
type call struct {
	N     int
	Note  []byte
	Reply actor.Reply[answer]
	Other actor.Ref[call]
}

// answer is what they reply.
type answer struct {
	N   int
	Ref actor.Ref[call]
}

// stranger is a message that is not registered.
type stranger struct{ N int }

// tenantKey is the key of the context value that crosses.
type tenantKey struct{}

// tenant is its value.
type tenant struct{ Name string }

// errRefused is the error that crosses.
var errRefused = errors.New("wiretest: refused")

// Register registers what the tests of [Run] send.
func Register(r *wire.Registry) {
	wire.Register[call]("wiretest.call", wire.In(r))
	wire.Register[answer]("wiretest.answer", wire.In(r))
	wire.Value[tenant](tenantKey{}, "wiretest.tenant", wire.In(r))
	wire.Error(errRefused, "wiretest.refused", wire.In(r))
}

func (c call) AppendBinary(dst []byte) ([]byte, error) {
	reply, err := c.Reply.MarshalBinary()
	if err != nil {
		return dst, err
	}
	other, err := c.Other.MarshalBinary()
	if err != nil {
		return dst, err
	}
	return appendParts(binary.AppendVarint(dst, int64(c.N)), c.Note, reply, other), nil
}

func (c *call) UnmarshalBinary(data []byte) error {
	n, parts, err := readParts(data, 3)
	if err != nil {
		return err
	}
	c.N, c.Note = n, append([]byte(nil), parts[0]...)
	return errors.Join(c.Reply.UnmarshalBinary(parts[1]), c.Other.UnmarshalBinary(parts[2]))
}

func (a answer) AppendBinary(dst []byte) ([]byte, error) {
	ref, err := a.Ref.MarshalBinary()
	return appendParts(binary.AppendVarint(dst, int64(a.N)), ref), err
}

func (a *answer) UnmarshalBinary(data []byte) error {
	n, parts, err := readParts(data, 1)
	if err != nil {
		return err
	}
	a.N = n
	return a.Ref.UnmarshalBinary(parts[0])
}

func appendParts(dst []byte, parts ...[]byte) []byte {
	for _, p := range parts {
		dst = append(binary.AppendUvarint(dst, uint64(len(p))), p...)
	}
	return dst
}

var errParts = errors.New("the parts are cut short")

func readParts(data []byte, want int) (n int, parts [][]byte, err error) {
	first, size := binary.Varint(data)
	if size <= 0 {
		return 0, nil, errParts
	}
	for data = data[size:]; len(parts) < want; {
		n, size := binary.Uvarint(data)
		if size <= 0 || n > uint64(len(data)-size) {
			return 0, nil, errParts
		}
		parts, data = append(parts, data[size:size+int(n)]), data[size+int(n):]
	}
	return int(first), parts, nil
}

// Move returns a ref of one system as the system with number to has it, 0 or 1: written by the one and read by the other, as a
// message does it. It fails t if it can't.
func Move[M any](t T, n Nodes, to int, ref actor.Ref[M]) actor.Ref[M] {
	t.Helper()
	data, err := ref.MarshalBinary()
	if err != nil {
		t.Fatal(err)
	}
	var moved actor.Ref[M]
	if err := moved.UnmarshalBinary(data); err != nil {
		t.Fatal(err)
	}
	if err := n.Bind[to](&moved); err != nil {
		t.Fatal(err)
	}
	return moved
}
