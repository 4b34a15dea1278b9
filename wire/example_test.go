package wire_test

import (
	"errors"
	"fmt"

	"github.com/troupe-go/troupe/wire"
)

type Transfer struct {
	From, To string
	Cents    int64
}

type Session struct {
	User string
	conn chan []byte
}

var ErrFunds = errors.New("not enough money")

// Two nodes shake hands, and a message and an error cross.
func Example() {
	node := func() *wire.Registry { // The same program on both; a program with one registry uses wire.Default.
		r := &wire.Registry{}
		wire.Register[Transfer]("bank.transfer", wire.In(r))
		wire.Error(ErrFunds, "bank.funds", wire.In(r))
		return r
	}
	here, err := node().Offer()
	if err != nil {
		fmt.Println(err)
		return
	}
	there, err := node().Offer()
	if err != nil {
		fmt.Println(err)
		return
	}
	sender, err := here.Agree(there.Bytes())
	if err != nil {
		fmt.Println(err)
		return
	}
	receiver, err := there.Agree(here.Bytes())
	if err != nil {
		fmt.Println(err)
		return
	}

	data, err := sender.Append(nil, Transfer{"ada", "bob", 150})
	if err != nil {
		fmt.Println(err)
		return
	}
	m, err := receiver.Decode(data)
	fmt.Printf("%+v %v\n", m, err)

	remote, err := receiver.DecodeError(sender.AppendError(nil, fmt.Errorf("transfer: %w", ErrFunds)))
	fmt.Println(remote, errors.Is(remote, ErrFunds), err)
	// Output:
	// {From:ada To:bob Cents:150} <nil>
	// transfer: not enough money true <nil>
}

// Check finds what would be lost on the way.
func ExampleRegistry_Check() {
	r := &wire.Registry{}
	wire.Register[Session]("bank.session", wire.In(r))
	fmt.Println(r.Check())
	_ = Session{}.conn
	// Output:
	// wire: "bank.session" as json: wire_test.Session: field conn: it is unexported and would be lost; export it, or give wire_test.Session the methods AppendBinary and UnmarshalBinary
}

// A node with a newer program refuses at the sender what the older one would misread.
func ExampleVersion() {
	type transferV1 struct{ From, To string }
	older, newer := &wire.Registry{}, &wire.Registry{}
	wire.Register[transferV1]("bank.transfer", wire.In(older))
	wire.Register[Transfer]("bank.transfer", wire.In(newer), wire.Version(2))
	here, err := newer.Offer()
	if err != nil {
		fmt.Println(err)
		return
	}
	there, err := older.Offer()
	if err != nil {
		fmt.Println(err)
		return
	}
	agreement, err := here.Agree(there.Bytes())
	if err != nil {
		fmt.Println(err)
		return
	}
	_, err = agreement.Append(nil, Transfer{"ada", "bob", 150})
	fmt.Println(errors.Is(err, wire.ErrLayout), err)
	// Output:
	// true wire: the other side has another layout: "bank.transfer": it has version 2 here and 1 there; update one side, or let the newer one read the older by wire.Reads(1)
}
