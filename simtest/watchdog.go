package simtest

import (
	"fmt"
	"runtime"
	"strconv"
	"strings"
	"time"

	"github.com/troupe-go/troupe/internal/cputime"
	"github.com/troupe-go/troupe/internal/sim"
)

// A step is stuck after stuckAfter of real time if it is blocked, and after as much of this process's processor time if it
// computes: on a busy machine, a step may have to wait that long for a processor. Where that is not known, a step is stuck
// after hopeless of real time.
const (
	stuckAfter = time.Second
	hopeless   = 20 * stuckAfter
)

// step is the step that a simulation is on, and since when.
type step struct {
	number int64
	since  time.Time
	spent  time.Duration // The processor time of the process then.
}

func stepOf(number int64) step {
	spent, _ := cputime.Process()
	return step{number, time.Now(), spent}
}

// watch waits for done. It returns what the simulation is on if one step takes
// too long in real time: nothing inside the bubble can tell.
func watch(e *sim.Engine, bubble int, done <-chan struct{}) string {
	ticker := time.NewTicker(stuckAfter / 4)
	defer ticker.Stop()
	last := stepOf(-1)
	for {
		select {
		case <-done:
			return ""
		case <-ticker.C:
		}
		if running, number := e.InStep(); !running || number != last.number {
			last = stepOf(number)
			continue
		}
		if time.Since(last.since) < stuckAfter {
			continue
		}
		name := e.Running()
		if stack := stackOf(name, bubble); last.isStuck(stack) {
			return fmt.Sprintf("%s is on one step for more than %v of real time: it computes for ever, or is blocked in something that a simulation can't wake, such as a mutex or a system call\n%s",
				name, stuckAfter, stack)
		}
	}
}

// isStuck reports whether a step with the given stack, which has taken stuckAfter, will not end.
func (s step) isStuck(stack string) bool {
	if time.Since(s.since) >= hopeless {
		return true
	}
	head, _, _ := strings.Cut(stack, "\n")
	if !strings.HasPrefix(head, "goroutine ") {
		return false // It ends just now, or begins.
	}
	if !strings.Contains(head, "[run") { // Neither running nor runnable.
		return true
	}
	spent, known := cputime.Process()
	return known && spent-s.spent >= stuckAfter
}

// stackOf returns the stack of the work that runs in the bubble.
func stackOf(name string, bubble int) string {
	for _, block := range blocksOf(bubble) {
		head, _, _ := strings.Cut(block, "\n")
		if strings.Contains(block, "workers.(*Fiber).loop") && !strings.Contains(head, "[coroutine") {
			return block
		}
	}
	return "(the stack of " + strconv.Quote(name) + " was not found)"
}

// maxStacks is how many stacks a report has.
const maxStacks = 10

// stacksIn returns the stacks of the goroutines in the bubble.
func stacksIn(bubble int) string {
	blocks := blocksOf(bubble)
	if more := len(blocks) - maxStacks; more > 0 {
		blocks = append(blocks[:maxStacks], fmt.Sprintf("and %d more", more))
	}
	return strings.Join(blocks, "\n\n")
}

// blocksOf returns the stacks of the goroutines in the bubble, one by one.
func blocksOf(bubble int) (blocks []string) {
	buf := make([]byte, 4<<20)
	buf = buf[:runtime.Stack(buf, true)]
	for block := range strings.SplitSeq(strings.TrimSpace(string(buf)), "\n\n") {
		head, _, _ := strings.Cut(block, "\n")
		if bubbleOf(head) == bubble {
			blocks = append(blocks, block)
		}
	}
	return blocks
}

// currentBubble returns the number of the caller's bubble.
func currentBubble() int {
	var buf [128]byte
	head, _, _ := strings.Cut(string(buf[:runtime.Stack(buf[:], false)]), "\n")
	return bubbleOf(head)
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
