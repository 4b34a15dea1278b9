package wire

import (
	"bytes"
	"cmp"
	"encoding/binary"
	"fmt"
	"reflect"
	"slices"
)

// Offer is what this side says at the handshake: its types with names, versions and layouts. Both sides send the Bytes of
// an Offer, and Agree on what has come. It is safe for concurrent use.
type Offer struct {
	types  []*entry // Sorted by name; a type's number on the wire is its place.
	errors []registration
	limits Limits
	bytes  []byte
}

// Offer returns what is registered now. It fails if [Registry.Check] would.
func (r *Registry) Offer() (*Offer, error) {
	types, named, err := r.entries()
	if err != nil {
		return nil, err
	}
	limits, err := r.Limits.withDefaults()
	if err != nil {
		return nil, err
	}
	if len(types) > maxTypes {
		return nil, fmt.Errorf("wire: %d types are registered; the limit is %d", len(types), maxTypes)
	}
	slices.SortFunc(types, func(a, b *entry) int { return cmp.Compare(a.name, b.name) })
	o := &Offer{types: types, errors: named, limits: limits}
	o.bytes = binary.AppendUvarint([]byte(magic), uint64(len(types)))
	for _, e := range types {
		o.bytes = e.offered().append(o.bytes)
	}
	return o, nil
}

// Bytes returns what is to be sent to the other side. The caller must not change it.
func (o *Offer) Bytes() []byte { return o.bytes }

// magic begins an offer. Its last byte is the version of all formats of this package.
const magic = "troupe\x01"

// maxTypes and maxOffer bound what the other side can ask for.
const (
	maxTypes = 1 << 14
	maxOffer = 1 << 22
)

// offered is one line of an offer.
type offered struct {
	name    string
	value   bool // It is a context value.
	version int
	oldest  int
	codec   string
	layout  uint64
}

func (e *entry) offered() offered {
	return offered{e.name, e.key != nil, e.version, e.oldest, e.codecName(), e.plan.Layout}
}

func (l offered) append(dst []byte) []byte {
	kind := byte(0)
	if l.value {
		kind = 1
	}
	dst = append(dst, kind)
	dst = appendText(dst, l.name)
	dst = binary.AppendUvarint(dst, uint64(l.version))
	dst = binary.AppendUvarint(dst, uint64(l.oldest))
	dst = appendText(dst, l.codec)
	return binary.BigEndian.AppendUint64(dst, l.layout)
}

// readOffer reads the bytes of an offer.
func readOffer(data []byte) ([]offered, error) {
	if len(data) > maxOffer {
		return nil, fmt.Errorf("%w: the other side's offer has %d bytes, of %d", ErrLimit, len(data), maxOffer)
	}
	rest, ok := bytes.CutPrefix(data, []byte(magic))
	if !ok {
		return nil, fmt.Errorf("%w: the other side's offer begins with %.16q, and not with %q; is it another program, or a version of Troupe with other formats?", ErrData, data, magic)
	}
	r := reader{data: rest}
	n := r.count(maxTypes, minLine)
	lines := make([]offered, 0, n)
	for i := 0; i < n && r.err == nil; i++ {
		kind := r.byte()
		l := offered{value: kind == 1, name: r.text(maxName), version: r.number(), oldest: r.number(), codec: r.text(maxName), layout: r.fixed()}
		if r.err == nil && (kind > 1 || !nameForm.MatchString(l.name) || l.version < 1 || l.oldest < 1 || l.oldest > l.version) {
			r.fail("line %d (kind %d, name %q, versions %d to %d) is none that this package writes", i, kind, l.name, l.oldest, l.version)
		}
		if i > 0 && r.err == nil && l.name <= lines[i-1].name {
			r.fail("%q comes after %q", l.name, lines[i-1].name)
		}
		lines = append(lines, l)
	}
	if err := r.end(); err != nil {
		return nil, fmt.Errorf("the other side's offer: %w", err)
	}
	return lines, nil
}

// minLine is how many bytes a line has at least.
const minLine = 1 + 2 + 1 + 1 + 1 + 8

// Agree compares the two sides' types. Types that only one side has, or that differ, are no error here: they are when a
// message of theirs is sent. Agree fails if the bytes are none of an offer.
func (o *Offer) Agree(theirs []byte) (*Agreement, error) {
	lines, err := readOffer(theirs)
	if err != nil {
		return nil, err
	}
	a := &Agreement{offer: o, byType: make(map[reflect.Type]*outgoing, len(o.types)), incoming: make([]incoming, len(lines))}
	for i, l := range lines {
		a.incoming[i].name = l.name
		a.incoming[i].err = fmt.Errorf("%w here: %q, which the other side has; register it", ErrNotRegistered, l.name)
	}
	for number, e := range o.types {
		out := &outgoing{entry: e, number: uint64(number)}
		i, found := slices.BinarySearchFunc(lines, e.name, func(l offered, name string) int { return cmp.Compare(l.name, name) })
		if found {
			out.err = differ(e.offered(), lines[i])
			a.incoming[i] = incoming{e.name, e, out.err}
		} else {
			out.err = fmt.Errorf("%w on the other side: %q (%v); register it there, or do not send it", ErrNotRegistered, e.name, e.typ)
		}
		if e.key == nil {
			a.byType[e.typ] = out
		} else {
			a.values = append(a.values, out)
		}
	}
	return a, nil
}

// differ says why messages of a type can't go between the sides, or returns nil.
func differ(here, there offered) error {
	newer, older := here, there
	if newer.version < older.version {
		newer, older = older, newer
	}
	var how string
	switch {
	case here.value != there.value:
		how = "it is a message on one side and a context value on the other; give one of them another name"
	case here.codec != there.codec:
		how = fmt.Sprintf("it is encoded as %s here and as %s there; choose one codec", here.codec, there.codec)
	case here.version != there.version && newer.oldest > older.version:
		how = fmt.Sprintf("it has version %d here and %d there; update one side, or let the newer one read the older by wire.Reads(%d)", here.version, there.version, older.version)
	case here.version == there.version && here.layout != there.layout:
		how = fmt.Sprintf("its fields differ, but both sides call them version %d; give the newer one wire.Version(%d)", here.version, here.version+1)
	default:
		return nil
	}
	return fmt.Errorf("%w: %q: %s", ErrLayout, here.name, how)
}
