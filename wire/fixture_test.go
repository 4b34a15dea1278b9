package wire_test

import (
	"encoding/binary"
	"errors"
	"testing"
	"time"

	"github.com/troupe-go/troupe/wire"
)

// transfer is encoded by a codec.
type transfer struct {
	From, To string
	Amount   int64
	Note     []byte `json:"note,omitempty"`
	At       time.Time
	Parts    []part
	More     map[string]part
	Last     *part
	Rates    [2]float64
	cut      int // Not registered with this one; see lossy.
}

// order is transfer with exported fields alone.
type order struct {
	From, To string
	Amount   int64
	Note     []byte `json:"note,omitempty"`
	At       time.Time
	Parts    []part
	More     map[string]part
	Last     *part
	Rates    [2]float64
	Local    chan int `json:"-"`
}

type part struct {
	Name  string
	Cents uint32
	Done  bool
}

// tick encodes itself.
type tick struct{ n, m uint64 }

func (t tick) AppendBinary(b []byte) ([]byte, error) {
	return binary.BigEndian.AppendUint64(binary.BigEndian.AppendUint64(b, t.n), t.m), nil
}

func (t *tick) UnmarshalBinary(b []byte) error {
	if len(b) != 16 {
		return errors.New("want 16 bytes")
	}
	t.n, t.m = binary.BigEndian.Uint64(b), binary.BigEndian.Uint64(b[8:])
	return nil
}

// stubborn encodes itself with bad methods.
type stubborn struct{ how string }

func (s *stubborn) AppendBinary(b []byte) ([]byte, error) {
	switch s.how {
	case "panics":
		panic("stubborn")
	case "fails":
		return nil, errors.New("stubborn")
	case "forgets":
		return []byte("own"), nil // Without what was there.
	}
	return append(b, s.how...), nil
}

func (s *stubborn) UnmarshalBinary(b []byte) error {
	if s.how = string(b); s.how == "bad" {
		panic("stubborn")
	}
	return nil
}

// list can be cyclic.
type list struct {
	N    int
	Next *list
}

// sides returns what two sides understand of each other, if each registers its types.
func sides(tb testing.TB, here, there func(r *wire.Registry)) (a, b *wire.Agreement) {
	tb.Helper()
	offers := [2]*wire.Offer{}
	for i, register := range []func(*wire.Registry){here, there} {
		r := &wire.Registry{}
		register(r)
		var err error
		if offers[i], err = r.Offer(); err != nil {
			tb.Fatal(err)
		}
	}
	a, err := offers[0].Agree(offers[1].Bytes())
	if err != nil {
		tb.Fatal(err)
	}
	if b, err = offers[1].Agree(offers[0].Bytes()); err != nil {
		tb.Fatal(err)
	}
	return a, b
}

var errFunds, errBank = errors.New("no funds"), errors.New("the bank is closed")

type tenantKey struct{}

// everything registers the types of this file.
func everything(r *wire.Registry) {
	wire.Register[order]("bank.order", wire.In(r))
	wire.Register[tick]("tick", wire.In(r))
	wire.Register[*part]("bank.part", wire.In(r))
	wire.Register[stubborn]("stubborn", wire.In(r))
	wire.Register[list]("list", wire.In(r))
	wire.Register[map[string][]int]("lists", wire.In(r))
	wire.Register[float64]("float", wire.In(r))
	wire.Register[string]("text", wire.In(r))
	wire.Error(errFunds, "bank.funds", wire.In(r))
	wire.Error(errBank, "bank.closed", wire.In(r))
	wire.Value[string](tenantKey{}, "bank.tenant", wire.In(r))
}
