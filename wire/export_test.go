package wire

// BuiltInErrors returns the names of the errors that every registry has.
func BuiltInErrors() []string {
	var names []string
	for _, reg := range builtIn {
		names = append(names, reg.name)
	}
	return names
}

// Forget takes all registrations back.
func Forget(r *Registry) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.types, r.errors, r.problems = nil, nil, nil
}

// AppendNumber appends a message of the type with the given number, unchecked.
func AppendNumber(number byte, data string) []byte { return append([]byte{number}, data...) }
