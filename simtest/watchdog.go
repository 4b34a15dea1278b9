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
		running, number := e.InStep()
		if number != last.number || !running && !e.Away() {
			last = stepOf(number)
			continue
		}
		if time.Since(last.since) < stuckAfter {
			continue
		}
		stack := stackOf(bubble)
		if stack == "" && !running { // All steps that are away are blocked.
			last = stepOf(number)
			continue
		}
		if last.isStuck(stack) {
			return stuck(e.Running(), stack)
		}
	}
}

// stuck says what it means that a step does not end.
func stuck(name, stack string) string {
	if name == "" {
		name = "work that was blocked and goes on"
	}
	if stack == "" {
		stack = "(its stack was not found)"
	}
	text := fmt.Sprintf("%s is on one step for more than %v of real time", name, stuckAfter)
	if lock := lockOf(stack); lock != "" {
		return "not simulated: " + text + ", in " + lock + ". Time stands still in a simulation while work waits for such a lock, so nothing else is run. " +
			"Use strand.Mutex, a channel of one place, or an actor in its stead\n" + stack
	}
	return text + ": it computes for ever, or is blocked in something that a simulation can't wake, such as a system call\n" + stack
}

// lockOf returns in which lock of package sync a goroutine is blocked, as its stack says,
// and where; and "" if it is in none.
func lockOf(stack string) string {
	head, rest, _ := strings.Cut(stack, "\n")
	_, state, _ := strings.Cut(head, "[")
	state, _, _ = strings.Cut(state, "]")
	state, _, _ = strings.Cut(state, ",")
	if !strings.HasPrefix(state, "sync.Mutex.") && !strings.HasPrefix(state, "sync.RWMutex.") {
		return ""
	}
	lines := strings.Split(rest, "\n")
	for i := 0; i+1 < len(lines); i += 2 { // A call and its place.
		if !strings.HasPrefix(lines[i], "sync.") && !strings.HasPrefix(lines[i], "internal/sync.") {
			place, _, _ := strings.Cut(strings.TrimSpace(lines[i+1]), " +0x")
			return state + " at " + place
		}
	}
	return state
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

// stackOf returns the stack of the work that runs in the bubble, and "" if it was not found.
// Work that was blocked in something that ends a step is left out.
func stackOf(bubble int) string {
	for _, block := range blocksOf(bubble) {
		head, _, _ := strings.Cut(block, "\n")
		if strings.Contains(block, "workers.(*Fiber).loop") && !strings.Contains(head, "[coroutine") && !strings.Contains(head, "(durable)") {
			return block
		}
	}
	return ""
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
