//go:build !unix

package terminal

// spent says that the system does not tell.
func spent() (cpu, rss float64) { return 0, 0 }

// switches says that the system does not tell.
func switches() int64 { return 0 }
