// Package wire decides what may leave the process: types of messages, errors and context values, each under a name that
// all nodes know. A message without a name is an error at its sender.
//
// A program registers its types when it starts, and calls Check:
//
//	wire.Register[Transfer]("bank.transfer")
//	wire.Error(ErrFunds, "bank.funds")
//	wire.Value[Tenant](tenantKey{}, "bank.tenant")
//	if err := wire.Default.Check(); err != nil { ... }
//
// Check names each field of which a codec would lose something: unexported ones, channels, interfaces, refs of actors.
//
// A link between two nodes begins with a handshake. Each side makes an [Offer] of its [Registry], sends the offer's bytes,
// and calls Agree with the bytes of the other. The [Agreement] then turns messages into bytes and back. Types are known by
// their place in the offer, so a message has no name in it. A type whose fields, codec or version differ between the sides
// is refused at the sender, by an [ErrLayout] that says how they differ; see [Version] and [Reads] for programs of several
// versions. A Registry has [Limits], and what the other side sends can ask for no more memory than they allow, except by
// methods UnmarshalBinary of the program, which have to bound themselves.
//
// The package moves no bytes: it has neither connections nor frames. Refs and Replies cross in messages, but not below maps, and what
// carries messages binds them. [Export] and [Import] take the first ref to another node. PIDs do not cross: send a Ref.
package wire
