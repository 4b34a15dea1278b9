package journal

// Admit is for stores: it decides about a write to a stream that has a version and has
// seen a fence, and tells whether the stream has the write's command id already. It
// sets the results of the write, and reports whether its events are to be stored.
func (w *Write) Admit(version, fence uint64, done bool) bool {
	w.Version, w.Err = version, nil
	switch {
	case w.Fence < fence:
		w.Err = &FencedError{w.Stream, w.Fence, fence}
	case done:
		w.Err = ErrDone
	case w.Expected != AnyVersion && w.Expected != version:
		w.Err = &ConflictError{w.Stream, w.Expected, version}
	default:
		w.Version += uint64(len(w.Events))
		return true
	}
	return false
}
