package terminal

import (
	"fmt"
	"math/rand/v2"
	"os"
)

// Sizes.
const (
	// Rows is how many lines the screen has.
	Rows = 24
	// Cols is how many columns the screen has.
	Cols = 80
	// ChunkSize is how much is written, and read, at a time: what a pseudo-terminal
	// of Linux hands out at once.
	ChunkSize = 4096
	// Megabyte is the text of the throughput measurement, in whole chunks.
	Megabyte = 256 * ChunkSize
)

// words are what the output is made of.
var words = []string{
	"accept", "actor", "block", "cancel", "deadline", "empty", "flush", "grant", "handler", "idle", "journal", "kept", "lane",
	"mailbox", "node", "open", "parse", "queue", "reply", "steal", "timeout", "up", "verify", "worker", "yield", "größer", "→", "漢字",
}

// flood returns output of n bytes, such as a program that logs in colours writes:
// lines with times, levels and words, now and then a bar that is drawn over. Each
// chunk of it stands by itself, since cat and the program's answers to keys come
// between each other. The same seed gives the same output.
func flood(seed uint64, n int) []byte {
	r := rand.New(rand.NewPCG(seed, seed))
	text := make([]byte, 0, n)
	for len(text) < n {
		end := min(len(text)+ChunkSize, n)
		for {
			l := line(r)
			if len(text)+len(l) > end {
				break
			}
			text = append(text, l...)
		}
		for len(text) < end {
			text = append(text, '.')
		}
	}
	return text
}

// line returns one line of output, and perhaps the bar before it.
func line(r *rand.Rand) []byte {
	const bars = 40
	var l []byte
	if r.IntN(bars) == 0 {
		done := r.IntN(100)
		l = fmt.Appendf(l, "\x1b[s\x1b[1;%dH\x1b[7m %d%% \x1b[0m\x1b[K\x1b[u", 1+done/2, done)
	}
	level := r.IntN(4)
	l = fmt.Appendf(l, "\x1b[2m%02d:%02d:%02d.%03d\x1b[0m \x1b[1;3%dm%s\x1b[0m",
		r.IntN(24), r.IntN(60), r.IntN(60), r.IntN(1000), 1+level, [...]string{"ERROR", "INFO ", "WARN ", "DEBUG"}[level])
	for range 4 + r.IntN(6) {
		l = fmt.Appendf(l, " %s", words[r.IntN(len(words))])
	}
	if r.IntN(2) == 0 {
		l = fmt.Appendf(l, " \x1b[38;5;%dmkey\x1b[39m=%d", r.IntN(256), r.IntN(1e6))
	}
	return append(l, "\r\n"...)
}

// floodFile writes megabytes of output to a file of its own, for cat.
func floodFile(megabytes int) (path string, err error) {
	f, err := os.CreateTemp("", "troupe-flood-*.txt")
	if err != nil {
		return "", fmt.Errorf("terminal: the file for cat: %w", err)
	}
	text := flood(1, Megabyte)
	for range megabytes {
		if _, err = f.Write(text); err != nil {
			break
		}
	}
	if closed := f.Close(); err == nil {
		err = closed
	}
	if err != nil {
		return "", fmt.Errorf("terminal: the file for cat: %w", err)
	}
	return f.Name(), nil
}
