package simtest

import (
	"fmt"
	"runtime"
	"strconv"
	"strings"
	"time"

	"github.com/troupe-go/troupe/internal/sim"
)

// stuckAfter is the real time that one step may take.
const stuckAfter = time.Second

// watch waits for done. It returns what the simulation is on if one step takes
// too long in real time: nothing inside the bubble can tell.
func watch(e *sim.Engine, done <-chan struct{}) string {
	ticker := time.NewTicker(stuckAfter / 4)
	defer ticker.Stop()
	seen, same := int64(-1), 0
	for {
		select {
		case <-done:
			return ""
		case <-ticker.C:
		}
		running, steps := e.InStep()
		if !running || steps != seen {
			seen, same = steps, 0
			continue
		}
		if same++; same >= 4 {
			name := e.Running()
			return fmt.Sprintf("%s is on one step for more than %v of real time: it computes for ever, or is blocked in something that a simulation can't wake, such as a mutex or a system call\n%s",
				name, stuckAfter, stackOf(name))
		}
	}
}

// stackOf returns the stack of the work that runs, which is in the newest of the
// bubbles that are left.
func stackOf(name string) string {
	buf := make([]byte, 4<<20)
	buf = buf[:runtime.Stack(buf, true)]
	stack, newest := "(the stack of "+strconv.Quote(name)+" was not found)", -1
	for block := range strings.SplitSeq(string(buf), "\n\n") {
		head, _, _ := strings.Cut(block, "\n")
		if !strings.Contains(block, "sched.(*Fiber).loop") || strings.Contains(head, "[coroutine") {
			continue
		}
		if bubble := bubbleOf(head); bubble > newest {
			stack, newest = block, bubble
		}
	}
	return stack
}

// bubbleOf returns the number of the bubble in the first line of a stack.
func bubbleOf(head string) int {
	_, number, _ := strings.Cut(head, "synctest bubble ")
	digits, _, _ := strings.Cut(number, "]")
	n, err := strconv.Atoi(digits)
	if err != nil {
		return -1
	}
	return n
}
