package wire

import (
	"errors"
	"fmt"
	"reflect"
	"regexp"
	"strings"
	"sync"

	"github.com/troupe-go/troupe/internal/codec"
)

// Registry has the types, errors and context values that may leave this process. Programs mostly use [Default]. The zero
// Registry is empty and ready. Its fields are set before its first use; the rest is safe for concurrent use.
type Registry struct {
	// Codec encodes the types that have no AppendBinary and UnmarshalBinary, unless With names another. Defaults to
	// [JSON].
	Codec Codec
	// Limits bound messages, of both directions.
	Limits Limits

	mu       sync.Mutex
	types    []registration // Of messages and context values.
	errors   []registration
	problems []error
}

// Default is the registry of Register, Error and Value, unless [In] names another.
var Default = &Registry{}

// Option is a setting of one registration.
type Option func(*registration)

type registration struct {
	in      *Registry
	name    string
	typ     reflect.Type
	key     any // Of a context value, else nil.
	err     error
	version int
	oldest  int
	codec   Codec
	problem error
}

// In registers in the given registry instead of [Default].
func In(r *Registry) Option {
	return func(reg *registration) { reg.in = r }
}

// Version numbers the layout of a type; the first one has 1, the default. A change of the layout needs a new version, so
// that nodes with the old and the new program notice that they differ.
func Version(n int) Option {
	return func(reg *registration) {
		if n < 1 {
			reg.problem = fmt.Errorf("wire: version %d of %q; the first version is 1", n, reg.name)
		}
		reg.version = n
	}
}

// Reads promises that messages go both ways between this version and those from oldest on: the codec leaves unknown
// fields out and missing ones zero, and the program copes with that. Without, only equal versions exchange messages.
func Reads(oldest int) Option {
	return func(reg *registration) { reg.oldest = oldest }
}

// With encodes the type by the given codec instead of Registry.Codec.
func With(c Codec) Option {
	return func(reg *registration) {
		if c == nil {
			reg.problem = fmt.Errorf("wire: a nil Codec for %q", reg.name)
		}
		reg.codec = c
	}
}

// Register lets messages of type M cross, under a name that is the same on all nodes and never changes. M is a concrete
// type or a pointer to one; where actors take an interface, register each type of their messages.
//
// If *M has the methods AppendBinary and UnmarshalBinary, they encode it; else a [Codec] does. Mistakes are kept for
// [Registry.Check]. Call it when the program starts: the handshakes that came before do not have the type.
func Register[M any](name string, opts ...Option) {
	add(registration{name: name, typ: reflect.TypeFor[M]()}, opts)
}

// Value lets the value of type V that contexts have under a key cross, with each ask. It is otherwise like [Register].
func Value[V any](key any, name string, opts ...Option) {
	reg := registration{name: name, typ: reflect.TypeFor[V](), key: key}
	if key == nil || !reflect.TypeOf(key).Comparable() {
		reg.problem = fmt.Errorf("wire: the key %v of the value %q is nil or can't be compared; contexts can't have it", key, name)
	}
	add(reg, opts)
}

// Error lets an error cross: on the other side, errors.Is finds the error of the same name in what arrives. Package actor's
// errors and context's have names already. Of other errors the text arrives.
func Error(err error, name string, opts ...Option) {
	reg := registration{name: name, err: err}
	if err == nil || !reflect.TypeOf(err).Comparable() {
		reg.problem = fmt.Errorf("wire: the error %q is nil or can't be compared; register a value of errors.New", name)
	}
	add(reg, opts)
}

func add(reg registration, opts []Option) {
	reg.in = Default
	for _, opt := range opts {
		if opt == nil {
			reg.problem = fmt.Errorf("wire: a nil Option for %q", reg.name)
			continue
		}
		opt(&reg)
	}
	r := reg.in
	if r == nil {
		reg.problem = fmt.Errorf("wire: %q is registered in a nil Registry", reg.name)
		r = Default
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	if err := r.admit(&reg); err != nil {
		r.problems = append(r.problems, err)
		return
	}
	if reg.err != nil {
		r.errors = append(r.errors, reg)
		return
	}
	r.types = append(r.types, reg)
}

// maxName bounds names, which are sent at each handshake.
const maxName = 200

var nameForm = regexp.MustCompile(`^[A-Za-z0-9_][A-Za-z0-9_./-]*$`)

func (r *Registry) admit(reg *registration) error {
	if reg.problem != nil {
		return reg.problem
	}
	if len(reg.name) > maxName || !nameForm.MatchString(reg.name) {
		return fmt.Errorf("wire: the name %.220q; a name has letters, digits, dots, slashes and dashes, and up to %d of them", reg.name, maxName)
	}
	if reg.err != nil {
		return r.admitError(reg)
	}
	if reg.version == 0 {
		reg.version = 1
	}
	if reg.oldest == 0 {
		reg.oldest = reg.version
	}
	if reg.oldest < 1 || reg.oldest > reg.version {
		return fmt.Errorf("wire: %q has version %d and reads from %d on; want 1 to %[2]d", reg.name, reg.version, reg.oldest)
	}
	for _, other := range r.types {
		switch {
		case other.name == reg.name:
			return fmt.Errorf("wire: %q is both %v and %v", reg.name, other.typ, reg.typ)
		case reg.key == nil && other.key == nil && other.typ == reg.typ:
			return fmt.Errorf("wire: %v is both %q and %q", reg.typ, other.name, reg.name)
		case reg.key != nil && other.key == reg.key:
			return fmt.Errorf("wire: the values %q and %q have the same key", other.name, reg.name)
		}
	}
	return nil
}

func (r *Registry) admitError(reg *registration) error {
	if reg.version != 0 || reg.oldest != 0 || reg.codec != nil {
		return fmt.Errorf("wire: the error %q has options; errors have neither versions nor codecs", reg.name)
	}
	for _, known := range [][]registration{builtIn, r.errors} {
		for _, other := range known {
			if other.name == reg.name || other.err == reg.err { //nolint:errorlint // The very error is meant.
				return fmt.Errorf("wire: the error %q (%w) is registered as %q (%w) already", reg.name, reg.err, other.name, other.err)
			}
		}
	}
	return nil
}

// NameOf returns the name under which messages of a type are registered.
func (r *Registry) NameOf(t reflect.Type) (name string, ok bool) {
	r.mu.Lock()
	defer r.mu.Unlock()
	for _, reg := range r.types {
		if reg.key == nil && reg.typ == t {
			return reg.name, true
		}
	}
	return "", false
}

// Check returns all that is wrong with the registrations: names that are taken, types of which a part would be lost, with
// the field and what to do. Programs call it after they have registered everything; so does [Registry.Offer].
func (r *Registry) Check() error {
	_, err := r.Offer()
	return err
}

// entry is a registration with what follows from it.
type entry struct {
	registration
	base    reflect.Type // Without the pointer.
	pointer bool
	own     bool // Encoded by its own methods.
	asValue bool // The method AppendBinary needs no pointer.
	plan    codec.Plan
}

func (r *Registry) entry(reg registration) (*entry, error) {
	e := &entry{registration: reg, base: reg.typ}
	if e.codec == nil {
		e.codec = r.Codec
	}
	if e.codec == nil {
		e.codec = JSON
	}
	if e.base.Kind() == reflect.Pointer {
		e.base, e.pointer = e.base.Elem(), true
	}
	if e.base.Kind() == reflect.Interface && !e.pointer {
		return nil, fmt.Errorf("wire: %q: %v is an interface; register each type that implements it, by a name of its own", e.name, e.typ)
	}
	if why := refuse(e.base); why != "" {
		return nil, fmt.Errorf("wire: %q: %s", e.name, why)
	}
	if err := refs.Check(e.base); err != nil {
		return nil, fmt.Errorf("wire: %q: %w", e.name, err)
	}
	if e.own = codec.IsOwn(e.base); e.own {
		if from := codec.Promoter(e.base, codec.IsOwn); from != "" {
			return nil, fmt.Errorf("wire: %q: the methods AppendBinary and UnmarshalBinary of %v may be those of its embedded field %s; name that field", e.name, e.base, from)
		}
		e.asValue = codec.AppendsAsValue(e.base)
		e.plan.Layout = codec.Sum("own")
		return e, nil
	}
	rules := e.codec.Rules()
	if len(rules.Tags) == 0 || rules.Whole == nil {
		return nil, fmt.Errorf("wire: the codec %q has no Rules; set Tags and Whole", e.codec.Name())
	}
	e.plan = codec.Of(e.base, codec.Rules{Tags: rules.Tags, Whole: rules.Whole, Refuse: refuse, Takes: takes})
	if e.plan.Err != nil {
		return nil, fmt.Errorf("wire: %q as %s: %w", e.name, e.codecName(), e.plan.Err)
	}
	return e, nil
}

func (e *entry) codecName() string {
	if e.own {
		return "own"
	}
	return e.codec.Name()
}

// refuse says why types of package actor that mean something in one system alone do not cross.
func refuse(t reflect.Type) string {
	if t.PkgPath() != actorPath {
		return ""
	}
	switch name, _, generic := strings.Cut(t.Name(), "["); {
	case t == pidType:
		return fmt.Sprintf("an %v names an actor of one system, and would name another actor in another; send a Ref", t)
	case name == "System", generic && name == "Context":
		return fmt.Sprintf("an %v can't leave its process; send a Ref", t)
	}
	return ""
}

// entries returns what is registered, with all that is wrong with it.
func (r *Registry) entries() (types []*entry, named []registration, err error) {
	r.mu.Lock()
	defer r.mu.Unlock()
	problems := r.problems[:len(r.problems):len(r.problems)]
	for _, reg := range r.types {
		e, err := r.entry(reg)
		if err != nil {
			problems = append(problems, err)
			continue
		}
		types = append(types, e)
	}
	return types, append(builtIn[:len(builtIn):len(builtIn)], r.errors...), errors.Join(problems...)
}
