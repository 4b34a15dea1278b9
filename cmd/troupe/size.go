package main

import (
	"fmt"
	"math"

	"github.com/dustin/go-humanize"
)

// size is a flag for a number of bytes, with or without a unit.
type size int64

// String returns the size with a unit.
func (s *size) String() string {
	return humanize.IBytes(uint64(*s))
}

// Set parses a number such as 1000, 64MiB or 1.5GB.
func (s *size) Set(text string) error {
	n, err := humanize.ParseBytes(text)
	if err != nil || n > math.MaxInt64 {
		return fmt.Errorf("not a size such as 1000, 64MiB or 1.5GB")
	}
	*s = size(n)
	return nil
}

// Type names the flag's value in the help.
func (s *size) Type() string {
	return "SIZE"
}
