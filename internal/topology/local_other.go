//go:build !linux

package topology

import (
	"errors"
	"runtime"
)

// Local returns the machine that the program runs on. Nothing is known of it
// but the number of its processors.
func Local() Machine { return flat(upTo(cpuCount())) }

// Pin binds the calling thread to a processor, which can't be done here.
func Pin(int) error {
	return errors.New("topology: threads can't be bound to processors on " + runtime.GOOS)
}

// CanPin reports whether threads can be bound to processors here.
const CanPin = false

// Here returns the processor that the caller runs on, which is not known here.
func Here() int { return -1 }
