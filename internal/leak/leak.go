// Package leak finds goroutines that tests leave behind.
//
// It takes the place of go.uber.org/goleak, which brings ten lines into go.sum and
// seven modules into the module graph of everyone who imports Troupe.
package leak

import (
	"fmt"
	"io"
	"log"
	"log/slog"
	"os"
	"runtime"
	"slices"
	"strings"
	"testing"
	"time"
)

// A goroutine that was told to end may take a while on a busy machine. Only a test
// that leaks waits for so long.
const limit = 10 * time.Second

// longest is the longest pause between two looks at the goroutines.
const longest = 100 * time.Millisecond

// Main runs the tests of a package and exits. If they pass and leave a goroutine
// that was not there before them, it prints the goroutine's stack and fails. Actors that
// fail in tests, mostly on purpose, are not logged, unless a test gives a logger.
func Main(m interface{ Run() int }) {
	slog.SetDefault(slog.New(slog.DiscardHandler))
	log.SetOutput(os.Stderr) // Which SetDefault has taken away.
	log.SetFlags(log.LstdFlags)
	os.Exit(run(m, os.Stderr, limit))
}

// Check fails the test at its end, after the cleanups that are registered later, if
// there is a goroutine that is not there now. Tests that run in parallel see each
// other's goroutines.
func Check(tb testing.TB) {
	tb.Helper()
	check(tb, limit)
}

func check(tb testing.TB, patience time.Duration) {
	tb.Helper()
	before := goroutines()
	tb.Cleanup(func() {
		tb.Helper()
		for _, stack := range leaked(before, patience) {
			tb.Errorf("the test leaves this goroutine behind:\n%s", stack)
		}
	})
}

func run(tests interface{ Run() int }, out io.Writer, patience time.Duration) (code int) {
	before := goroutines()
	if code := tests.Run(); code != 0 {
		return code
	}
	for _, stack := range leaked(before, patience) {
		code = 1
		_, _ = fmt.Fprintf(out, "the tests leave this goroutine behind:\n%s\n\n", stack)
	}
	return code
}

// leaked waits until all goroutines have ended that are not in before, and returns the
// stacks of the goroutines that do not end in time.
func leaked(before map[string]string, patience time.Duration) (stacks []string) {
	deadline := time.Now().Add(patience)
	for pause := time.Microsecond; ; pause = min(2*pause, longest) {
		stacks = stacks[:0]
		for id, stack := range goroutines() {
			if _, known := before[id]; !known {
				stacks = append(stacks, stack)
			}
		}
		if len(stacks) == 0 || time.Now().After(deadline) {
			slices.Sort(stacks)
			return stacks
		}
		time.Sleep(pause)
	}
}

// goroutines returns the stacks of all goroutines by their numbers. The goroutine of
// os/signal is left out: it begins with the first Notify and never ends.
func goroutines() map[string]string {
	buf := make([]byte, 64<<10)
	n := runtime.Stack(buf, true)
	for n == len(buf) {
		buf = make([]byte, 2*len(buf))
		n = runtime.Stack(buf, true)
	}
	stacks := map[string]string{}
	for stack := range strings.SplitSeq(strings.TrimSpace(string(buf[:n])), "\n\n") {
		if !strings.Contains(stack, "\ncreated by os/signal.") {
			stacks[id(stack)] = stack
		}
	}
	return stacks
}

// id returns the number in the first line of a stack, "goroutine 7 [running]:".
func id(stack string) string {
	number, _, _ := strings.Cut(strings.TrimPrefix(stack, "goroutine "), " ")
	return number
}
