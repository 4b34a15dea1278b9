package wire

import "fmt"

// Limits bound what one message may take. They are checked before memory is taken. Zero means the default; values below
// zero are errors.
type Limits struct {
	// Message is the size of an encoded message in bytes, and of all context values together. Defaults to 512 KB.
	Message int
	// Depth is how deeply values may be nested. Defaults to 64.
	Depth int
	// Values is the number of values in a message: scalars, lists, maps and their entries. Defaults to 200,000.
	Values int
	// Memory is the most that a message may take when it is decoded, in bytes, as estimated from its type, its size
	// and the number of its values. Defaults to 64 MB. Methods UnmarshalBinary have to bound themselves.
	Memory int
}

// The defaults. The size is what a link between nodes takes in one piece; the others are generous beside it, and far
// from what hurts.
const (
	defaultMessage = 512 << 10
	defaultDepth   = 64
	defaultValues  = 200_000
	defaultMemory  = 64 << 20
)

func (l Limits) withDefaults() (Limits, error) {
	for _, f := range []struct {
		name    string
		limit   *int
		initial int
	}{
		{"Message", &l.Message, defaultMessage},
		{"Depth", &l.Depth, defaultDepth},
		{"Values", &l.Values, defaultValues},
		{"Memory", &l.Memory, defaultMemory},
	} {
		switch {
		case *f.limit < 0:
			return l, fmt.Errorf("wire: Limits.%s is %d; it must be positive, or 0 for %d", f.name, *f.limit, f.initial)
		case *f.limit == 0:
			*f.limit = f.initial
		}
	}
	return l, nil
}

// Check returns an [ErrLimit] if data with so many values, or nested so deeply, exceeds the limits. A [Codec] calls it.
func (l Limits) Check(values, depth int) error {
	switch {
	case values > l.Values:
		return tooMuch("there are more than %d values", l.Values)
	case depth > l.Depth:
		return tooMuch("values are nested more than %d deep", l.Depth)
	}
	return nil
}

// limitError is an ErrLimit that does not say so, since what is around it does.
type limitError struct{ error }

func (limitError) Is(target error) bool { return target == ErrLimit }

func tooMuch(format string, args ...any) error { return limitError{fmt.Errorf(format, args...)} }
