//go:build linux || darwin || freebsd || netbsd || openbsd || dragonfly

package strand

// Users counts who uses a descriptor.
type Users struct{ u users }

// Enter returns false if the descriptor was closed.
func (u *Users) Enter() bool { return u.u.enter() }

// Close enters, and reports whether it is the first.
func (u *Users) Close() bool { return u.u.close() }

// Leave reports whether the caller was the last of a descriptor that was closed.
func (u *Users) Leave() bool { return u.u.leave() }
