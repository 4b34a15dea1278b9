package terminal

import (
	"bytes"
	"os"
	"strconv"
)

// held returns the threads and the memory that the process has now.
func held() (threads int, rss float64, ok bool) {
	text, err := os.ReadFile("/proc/self/status")
	if err != nil {
		return 0, 0, false
	}
	threads, errThreads := strconv.Atoi(field(text, "Threads:"))
	kib, errRSS := strconv.Atoi(field(text, "VmRSS:"))
	return threads, float64(kib) * 1024 / 1e6, errThreads == nil && errRSS == nil
}

// field returns the first word after a name.
func field(text []byte, name string) string {
	_, rest, _ := bytes.Cut(text, []byte("\n"+name))
	words := bytes.Fields(rest[:min(len(rest), 64)])
	if len(words) == 0 {
		return ""
	}
	return string(words[0])
}
