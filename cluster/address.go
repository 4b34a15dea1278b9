package cluster

import (
	"fmt"

	"github.com/troupe-go/troupe/actor"
	"github.com/troupe-go/troupe/internal/kernel/standin"
)

// Address returns where an actor is, for people: its node and its PID there, as "a/12.1". The actor of a system that is no node has
// its PID alone, and a zero ref is "nobody". [wire.Export] has it for programs, with the node's birth.
func Address[M any](ref actor.Ref[M]) string {
	if ref == (actor.Ref[M]{}) {
		return "nobody"
	}
	at, err := standin.Of(ref)
	pid := ref.PID()
	if err == nil {
		pid = actor.PIDFromNumber(at.Number)
	}
	text, _ := pid.MarshalText() // It returns no error.
	if err != nil {
		return string(text)
	}
	return fmt.Sprintf("%s/%s", at.Name, text)
}
