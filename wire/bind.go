package wire

import (
	"errors"
	"fmt"
	"reflect"
	"strings"

	"github.com/troupe-go/troupe/actor"
	"github.com/troupe-go/troupe/internal/codec"
	"github.com/troupe-go/troupe/internal/kernel/standin"
)

var (
	pidType   = reflect.TypeFor[actor.PID]()
	actorPath = pidType.PkgPath()
	refs      = codec.NewRefs(isRef)
)

// isRef reports whether a type is an actor.Ref or an actor.Reply.
func isRef(t reflect.Type) bool {
	return t.PkgPath() == actorPath && (strings.HasPrefix(t.Name(), "Ref[") || strings.HasPrefix(t.Name(), "Reply["))
}

// refMemory is more than what a ref takes that is read and bound: two stand-ins and their places in tables.
const refMemory = 1 << 10

// takes is a rule of plans.
func takes(t reflect.Type) int {
	if isRef(t) {
		return refMemory
	}
	return 0
}

// Bind binds the refs in what v points to, to a system that is a node. Refs that were read from bytes are unbound, and all that is
// done with them returns [actor.ErrUnbound]; what carries messages between nodes binds the refs in them. Bind is for refs that a
// program has kept somewhere else, such as in a file. It finds them in fields, slices, arrays, pointers and interfaces, and returns an error if v
// has refs below a map. Refs that are bound stay as they are. A Reply that is bound after its ask is over is late.
func Bind(sys *actor.System, v any) error {
	at := reflect.ValueOf(v)
	if at.Kind() != reflect.Pointer || at.IsNil() {
		return fmt.Errorf("wire: bind the refs of a %T; give Bind a pointer to the value", v)
	}
	if err := refs.Check(at.Type().Elem()); err != nil {
		return fmt.Errorf("wire: bind: %w", err)
	}
	host, err := standin.HostOf(sys)
	if err != nil {
		return fmt.Errorf("wire: bind the refs of a %T: %w", v, err)
	}
	return refs.Bind(at.Elem(), func(ref any) error { return host.Bind(ref, nil) })
}

// Export returns a ref as bytes that [Import] takes on any node: the actor's node, its number and the lane. That is how the first ref gets to another
// node, by a file, a flag or a name service. The actor's system must be a node. A zero ref is [actor.ErrNoRef].
func Export[M any](ref actor.Ref[M]) ([]byte, error) {
	data, err := ref.AppendBinary(nil)
	if err == nil && len(data) == 0 {
		err = actor.ErrNoRef
	}
	if err != nil {
		return nil, fmt.Errorf("wire: export a ref: %w", err)
	}
	return data, nil
}

// Import returns the ref that [Export] has made bytes of, bound to a system that is a node. On the actor's own node it
// leads to the actor itself. M is the type of the actor's messages; where the actor takes others, sending is an error. Bytes that are none of a ref are an [ErrData].
func Import[M any](sys *actor.System, data []byte) (actor.Ref[M], error) {
	var ref actor.Ref[M]
	err := ref.UnmarshalBinary(data)
	if err == nil && len(data) == 0 {
		err = errors.New("there are none")
	}
	if err != nil {
		return actor.Ref[M]{}, fmt.Errorf("%w: import a ref from %d bytes: %w", ErrData, len(data), err)
	}
	if err := Bind(sys, &ref); err != nil {
		return actor.Ref[M]{}, err
	}
	return ref, nil
}

// DecodeFor is Decode for what carries messages: it calls bind with a pointer to each Ref and each Reply in the message, which is a
// *actor.Ref[M] or a *actor.Reply[T], before it returns the message. An error of bind is returned.
func (a *Agreement) DecodeFor(data []byte, bind func(ref any) error) (any, error) {
	m, err := a.Decode(data)
	if err != nil || !refs.In(reflect.TypeOf(m)) {
		return m, err
	}
	at := reflect.New(reflect.TypeOf(m)).Elem()
	at.Set(reflect.ValueOf(m))
	if err := refs.Bind(at, bind); err != nil {
		return nil, fmt.Errorf("wire: a ref in a %T: %w", m, err)
	}
	return at.Interface(), nil
}
