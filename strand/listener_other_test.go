//go:build !(linux || darwin || freebsd || netbsd || openbsd || dragonfly)

package strand_test

import "testing"

// maxSlowClients is the largest number of slow clients: no limit on descriptors is known here.
func maxSlowClients(*testing.T) int { return 100 }
