package protobuf_test

import (
	"fmt"

	"google.golang.org/protobuf/types/known/wrapperspb"

	"github.com/troupe-go/troupe/journal"
	"github.com/troupe-go/troupe/journal/protobuf"
)

// Deposited is an event: it embeds its message, which protoc has generated.
type Deposited struct{ *wrapperspb.Int64Value }

func Example() {
	set := journal.Events[any](journal.Encoding(protobuf.Codec), journal.Event[Deposited]("deposited"))
	stored, err := set.Encode(Deposited{wrapperspb.Int64(150)})
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Printf("%s version %d, %s: %x\n", stored.Type, stored.Schema, stored.Codec, stored.Data)
	event, err := set.Decode(journal.Record{Encoded: stored})
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Println(event.(Deposited).Value)
	// Output:
	// deposited version 1, protobuf: 089601
	// 150
}
