//go:build !cgo || !unix || race

package cblock_test

import "testing"

func TestHandlersThatBlockInC(t *testing.T) {
	t.Skip("needs cgo, and with it a C compiler (on Debian: apt-get install gcc libc6-dev), and time that the race detector does not leave it")
}
