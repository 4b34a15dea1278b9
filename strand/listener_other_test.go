//go:build !(linux || darwin || freebsd || netbsd || openbsd || dragonfly)

package strand_test

import "testing"

// lorises is how many there can be: no limit on descriptors is known here.
func lorises(*testing.T) int { return 100 }
