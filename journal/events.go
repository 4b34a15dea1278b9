package journal

import (
	"errors"
	"fmt"
	"maps"
	"reflect"
	"slices"
)

// Set is the closed set of the events that an actor may store. E is mostly a sealed
// interface, so that nothing else compiles. A Set is safe for concurrent use.
type Set[E any] struct {
	byType map[reflect.Type]Definition
	byName map[string]Definition // Former names included.
	ups    map[upKey]Definition
	codecs map[string]Codec
	write  Codec
	err    error
}

type upKey struct {
	name   string
	schema int
}

// Events makes a set of definitions. Err returns the mistakes in them, and so
// does every use of the set.
func Events[E any](defs ...Definition) *Set[E] {
	s := &Set[E]{
		byType: map[reflect.Type]Definition{}, byName: map[string]Definition{}, ups: map[upKey]Definition{},
		codecs: map[string]Codec{JSON.Name(): JSON}, write: JSON,
	}
	for _, d := range defs {
		s.err = errors.Join(s.err, s.add(d))
	}
	for _, up := range s.ups {
		s.err = errors.Join(s.err, s.checkUp(up))
	}
	for _, name := range s.Names() {
		if d := s.byName[name]; name != ErasedType {
			if err := check(s.write, d.typ); err != nil {
				s.err = errors.Join(s.err, fmt.Errorf("journal: event %q %w", name, err))
			}
		}
	}
	return s
}

// Err returns what is wrong with the definitions, or nil.
func (s *Set[E]) Err() error { return s.err }

// Names returns the names of the events, sorted, without former ones.
func (s *Set[E]) Names() []string {
	names := make([]string, 0, len(s.byType))
	for _, d := range s.byType {
		names = append(names, d.name)
	}
	slices.Sort(names)
	return names
}

func (s *Set[E]) add(d Definition) error {
	switch {
	case d.codecs != nil:
		return s.addCodecs(d.codecs)
	case d.lift != nil:
		key := upKey{d.name, d.schema}
		if _, twice := s.ups[key]; twice {
			return fmt.Errorf("journal: two upcasters for version %d of %q", d.schema, d.name)
		}
		s.ups[key] = d
		return nil
	case d.typ != nil:
		return s.addEvent(d)
	default:
		return errors.New("journal: an empty Definition; use Event, Upcast or Encoding")
	}
}

func (s *Set[E]) addCodecs(codecs []Codec) error {
	for i, c := range codecs {
		if c == nil {
			return errors.New("journal: a nil Codec")
		}
		if i == 0 {
			s.write = c
		}
		s.codecs[c.Name()] = c
	}
	return nil
}

func (s *Set[E]) addEvent(d Definition) error {
	if err := d.check(); err != nil {
		return err
	}
	if want := reflect.TypeFor[E](); !d.typ.AssignableTo(want) {
		return fmt.Errorf("journal: event %q is a %v, which is no %v", d.name, d.typ, want)
	}
	if other, twice := s.byType[d.typ]; twice {
		return fmt.Errorf("journal: %v is both %q and %q", d.typ, other.name, d.name)
	}
	s.byType[d.typ] = d
	for _, name := range append([]string{d.name}, d.formerly...) {
		if other, twice := s.byName[name]; twice {
			return fmt.Errorf("journal: %q is both %v and %v", name, other.typ, d.typ)
		}
		s.byName[name] = d
	}
	return nil
}

// checkUp says what is wrong with an upcaster: it must lead to the present type, or to
// the one that the next upcaster reads.
func (s *Set[E]) checkUp(up Definition) error {
	d, ok := s.byName[up.name]
	switch {
	case !ok || d.name != up.name:
		return fmt.Errorf("journal: an upcaster for %q, but no such Event", up.name)
	case up.schema < 1 || up.schema >= d.schema:
		return fmt.Errorf("journal: an upcaster for version %d of %q, whose version is %d", up.schema, up.name, d.schema)
	}
	next, more := s.ups[upKey{up.name, up.schema + 1}]
	if up.out == d.typ || more && up.out == next.in {
		return nil
	}
	return fmt.Errorf("journal: the upcaster for version %d of %q makes a %v; want %v, or what the upcaster for version %d reads",
		up.schema, up.name, up.out, d.typ, up.schema+1)
}

// Encode returns the stored form of an event. It returns [ErrUnknownType], wrapped, for
// an event that is not in the set, and an error for one of more than [MaxEvent] bytes.
func (s *Set[E]) Encode(e E) (Encoded, error) {
	if s.err != nil {
		return Encoded{}, s.err
	}
	d, ok := s.byType[reflect.TypeOf(e)]
	if !ok {
		return Encoded{}, fmt.Errorf("%w: %T; add journal.Event[%[2]T](name) to the set of events", ErrUnknownType, e)
	}
	if d.name == ErasedType {
		return Encoded{}, fmt.Errorf("journal: %T is the event of an erasure, which Journal.Erase stores alone", e)
	}
	data, err := s.write.Marshal(e)
	if err != nil {
		return Encoded{}, fmt.Errorf("journal: encode event %q as %s: %w", d.name, s.write.Name(), err)
	}
	if len(data) > MaxEvent {
		return Encoded{}, fmt.Errorf("journal: event %q takes %d bytes; the limit is %d", d.name, len(data), MaxEvent)
	}
	return Encoded{Type: d.name, Schema: d.schema, Codec: s.write.Name(), Data: data}, nil
}

// Decode returns the event that was stored, lifted to the present version. Errors are
// an [*EventError].
func (s *Set[E]) Decode(r Record) (event E, err error) {
	if s.err != nil {
		return event, s.err
	}
	v, err := s.decode(r.Encoded)
	if err != nil {
		return event, &EventError{r.Stream, r.Version, r.Type, r.Schema, err}
	}
	return v.(E), nil
}

func (s *Set[E]) decode(r Encoded) (any, error) {
	d, ok := s.byName[r.Type]
	if !ok && r.Type == ErasedType {
		return nil, fmt.Errorf("%w: the stream was erased; add journal.Erasure[T]() to the set of events, and remove what is kept of the stream", ErrUnknownType)
	}
	if !ok {
		return nil, fmt.Errorf("%w; add it to the set of events, or its new name with Formerly(%q)", ErrUnknownType, r.Type)
	}
	codec, ok := s.codecs[r.Codec]
	if !ok {
		return nil, fmt.Errorf("unknown codec %q; add it by journal.Encoding, known are %q", r.Codec, slices.Sorted(maps.Keys(s.codecs)))
	}
	if r.Schema == d.schema {
		return d.decode(codec, r.Data)
	}
	up, ok := s.ups[upKey{d.name, r.Schema}]
	if !ok {
		return nil, fmt.Errorf("%w: no journal.Upcast for its version; the present one is %d", ErrUnknownType, d.schema)
	}
	v, err := up.decode(codec, r.Data)
	for err == nil {
		if v, err = up.lift(v); err != nil || reflect.TypeOf(v) == d.typ {
			break
		}
		up = s.ups[upKey{d.name, up.schema + 1}]
	}
	if err != nil {
		return nil, fmt.Errorf("lift it from version %d: %w", up.schema, err)
	}
	return v, nil
}
