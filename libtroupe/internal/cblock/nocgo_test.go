//go:build !cgo || !unix

package cblock_test

import "testing"

func TestHandlersThatBlockInC(t *testing.T) {
	t.Skip("needs cgo and a C compiler; on Debian: apt-get install gcc libc6-dev")
}
