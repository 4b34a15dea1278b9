package planted

import (
	"os"
	"testing"
	"time"
)

// slow is how much processor time, or time in all, of a fault is worth a line: most take a second.
const slow = 3 * time.Second

// cost is what processes of the go command, or of tests, took.
type cost struct {
	runs             int
	processor, total time.Duration
}

// add adds a process that has ended, or did not start and has no state.
func (c *cost) add(total time.Duration, ended *os.ProcessState) {
	c.runs++
	c.total += total
	if ended != nil {
		c.processor += ended.UserTime() + ended.SystemTime()
	}
}

// slow reports whether the cost is worth a line.
func (c *cost) slow() bool { return c.processor >= slow || c.total >= slow }

// tell logs a cost that is worth a line. It is read with go test -v, beside all that the test logs.
func (c *cost) tell(t *testing.T, what string) {
	t.Helper()
	if c.slow() {
		t.Logf("slow: %.1f s of processors, %.1f s in all, runs: %d: %s", c.processor.Seconds(), c.total.Seconds(), c.runs, what)
	}
}
