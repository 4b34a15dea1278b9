package actor

import (
	"cmp"
	"fmt"
	"strconv"
	"strings"
)

// PID identifies an actor within its system for as long as the system runs.
// It is a slot of the process table and the slot's generation: slots are used
// again, PIDs are not. The zero PID is nobody's.
//
// PIDs of systems that run in a process at the same time differ: in another system, a PID is stale,
// and a call with it returns [ErrStalePID]. When a system has stopped, a later one may use its PIDs.
type PID struct {
	slot uint32
	gen  uint32
}

// ParsePID returns the PID that String or MarshalText has written, with or
// without the brackets.
func ParsePID(text string) (PID, error) {
	inner := strings.TrimSuffix(strings.TrimPrefix(text, "<"), ">")
	slot, gen, _ := strings.Cut(inner, ".")
	a, errSlot := strconv.ParseUint(slot, 10, 32)
	b, errGen := strconv.ParseUint(gen, 10, 32)
	if errSlot != nil || errGen != nil {
		return PID{}, fmt.Errorf("actor: %.40q is no PID; one looks like <12.1>, or 12.1", text)
	}
	return PID{uint32(a), uint32(b)}, nil
}

// PIDFromNumber returns the PID with the given [PID.Number].
func PIDFromNumber(n uint64) PID { return PID{uint32(n >> 32), uint32(n)} }

// Number returns the PID as a number, which is 0 for nobody's.
func (p PID) Number() uint64 { return uint64(p.slot)<<32 | uint64(p.gen) }

// MarshalText writes the PID without brackets, as in 12.1, and nobody's as
// nothing. So it is short in JSON and needs no escape in an address.
func (p PID) MarshalText() ([]byte, error) {
	if p == (PID{}) {
		return nil, nil
	}
	return fmt.Appendf(nil, "%d.%d", p.slot, p.gen), nil
}

// UnmarshalText reads what MarshalText has written.
func (p *PID) UnmarshalText(text []byte) (err error) {
	if *p = (PID{}); len(text) == 0 {
		return nil
	}
	*p, err = ParsePID(string(text))
	return err
}

// Compare orders PIDs by their places in the process table, as in
// [System.Infos]. It returns -1, 0 or 1.
func (p PID) Compare(other PID) int { return cmp.Compare(p.Number(), other.Number()) }

// String returns the PID as "<slot.generation>".
func (p PID) String() string { return fmt.Sprintf("<%d.%d>", p.slot, p.gen) }
