package actor

import (
	"reflect"
	"unsafe"

	"github.com/troupe-go/troupe/internal/kernel/bytype"
	"github.com/troupe-go/troupe/internal/kernel/layout"
)

// messageType is all that is known of a type of messages, or of a type whose values were found in an interface of one.
// It is found out once.
type messageType struct {
	*layout.Layout
	name string // For people.
	asks *laneAsks
	// keep and chunk are for its lanes, and seeded says that the first places are in the buffers.
	keep, chunk int32
	seeded      bool
	large       bool // They lie on the heap; see boxes.
}

var messageTypes bytype.Map[messageType]

// messageTypeOf is not inlined: generic code calls it, and the compiler would copy it for each type.
//
//go:noinline
func messageTypeOf(t reflect.Type) *messageType { return messageTypes.Of(t, newMessageType) }

func newMessageType(t reflect.Type) *messageType {
	place := max(1, int(t.Size())) // In a buffer.
	if t.Size() > maxByValue {
		place = int(unsafe.Sizeof(unsafe.Pointer(nil)))
	}
	m := &messageType{
		Layout: layout.New(t, replyRules{}),
		name:   t.String(),
		keep:   int32(max(keepMessages, keepBytes/place)),
		chunk:  claimChunk,
	}
	if m.asks = newLaneAsks(m.Layout); m.asks != nil {
		m.chunk = 1
	}
	m.large = t.Size() > maxByValue
	m.seeded = t.Size() != 0 && t.Size() <= seedBytes && m.IsFlat()
	return m
}

// fitsPocket reports whether messages of the type may lie in a pocket.
func (m *messageType) fitsPocket() bool { return m.chunk > 1 && !m.large }

// sizeOf returns the size of a message. It allocates only if there is an interface in the message.
func sizeOf[M any](m *M) int {
	bytes, partial := messageTypeOf(reflect.TypeFor[M]()).Size(unsafe.Pointer(m))
	if partial {
		boxed := *m // It is on the heap, and m need not be.
		bytes += layout.SizeInInterfaces(reflect.ValueOf(&boxed).Elem())
	}
	return bytes
}

// replyRules are the rules of layouts.
type replyRules struct{}

// replyMark is the first field of each Reply, and of no type that embeds one.
type replyMark struct{}

var replyMarkType = reflect.TypeOf(Reply[int]{}.mark)

// IsReply reports whether t is a Reply.
func (replyRules) IsReply(t reflect.Type) bool {
	return t.Kind() == reflect.Struct && t.NumField() > 0 && t.Field(0).Type == replyMarkType
}

// ownPath is the import path of this package.
var ownPath = reflect.TypeFor[PID]().PkgPath()

// IsOpaque reports whether t is a type of this package: the actor behind a Ref keeps Replies that have nothing to do
// with the message.
func (replyRules) IsOpaque(t reflect.Type) bool { return t.PkgPath() == ownPath }

// Of returns the layout of a type that was found in an interface.
func (replyRules) Of(t reflect.Type) *layout.Layout { return messageTypeOf(t).Layout }

// addressAt returns the address that the Reply at r has, or the zero address if r is nil. A Reply begins with it.
func addressAt(r unsafe.Pointer) address {
	if r == nil {
		return address{}
	}
	return *(*address)(r)
}
