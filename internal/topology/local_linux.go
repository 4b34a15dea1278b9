package topology

import (
	"fmt"
	"os"
	"sync"
	"unsafe"

	"golang.org/x/sys/unix"
)

// Local returns the machine that the program runs on. It is read once, in a
// fraction of a millisecond on a small machine: the affinity of the process is
// what it was before any thread was pinned.
var Local = sync.OnceValue(func() Machine {
	allowed := allowedCPUs()
	m, err := Read(os.DirFS("/sys"), allowed)
	if err != nil {
		return flat(allowed)
	}
	return m
})

// allowedCPUs returns the processors in the affinity mask of the process.
func allowedCPUs() []int {
	set := unix.NewCPUSet(maxCPU)
	if err := unix.SchedGetaffinityDynamic(os.Getpid(), set); err != nil {
		return upTo(cpuCount())
	}
	ids := make([]int, 0, set.Count())
	for id := range maxCPU {
		if set.IsSet(id) {
			ids = append(ids, id)
		}
	}
	return ids
}

// Pin binds the calling thread to a processor. The caller has locked its
// goroutine to the thread, and does not unlock it: the thread is of no use to
// others.
func Pin(id int) error {
	set := unix.NewCPUSet(id + 1)
	set.Set(id)
	if err := unix.SchedSetaffinityDynamic(0, set); err != nil {
		return fmt.Errorf("topology: pin a thread to processor %d: %w", id, err)
	}
	return nil
}

// CanPin reports whether threads can be bound to processors here.
const CanPin = true

// Here returns the processor that the caller runs on, or -1. It may be another
// one by the time it returns. It costs a system call, about 120 ns.
func Here() int {
	var id uint32
	if _, _, errno := unix.RawSyscall(unix.SYS_GETCPU, uintptr(unsafe.Pointer(&id)), 0, 0); errno != 0 {
		return -1
	}
	return int(id)
}
