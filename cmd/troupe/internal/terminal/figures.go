package terminal

// Figures are what was measured in one run, by name.
type Figures map[string]float64

// Parts of names: a load, and what was measured under it.
const (
	idle       = "idle_"
	underFlood = "flood_"

	p50, p95, p99 = "p50_us", "p95_us", "p99_us"
	longestKey    = "max_us"
	threads       = "threads"
	rss           = "rss_mb"
	heap          = "heap_mb"
	cpu           = "cpu_s_per_s" // Of the emulator's process, which also runs the program, but not cat.
	cpuPerGB      = "cpu_s_per_gb"
	speed         = "mb_per_s"

	pipeP50, pipeP99 = "pipe_p50_us", "pipe_p99_us"
	pipeSwitches     = "pipe_switches" // Context switches of the process for each message that a stage has taken.
)

// Names of figures that are of no load.
const (
	ptySmall    = "pty_1mb_mb_per_s"
	ptyLarge    = "pty_large_mb_per_s"
	manyThreads = "many_threads"
)

// names are all figures, in the order of the tables.
var names = []string{
	idle + p50, idle + p95, idle + p99, idle + longestKey, idle + threads, idle + rss, idle + heap, idle + cpu,
	underFlood + p50, underFlood + p95, underFlood + p99, underFlood + longestKey,
	underFlood + threads, underFlood + rss, underFlood + heap, underFlood + cpu, underFlood + cpuPerGB, underFlood + speed,
	ptySmall, ptyLarge, manyThreads,
	idle + pipeP50, idle + pipeP99, idle + pipeSwitches,
	underFlood + pipeP50, underFlood + pipeP99, underFlood + pipeSwitches,
}

// Spread is a figure over all rounds.
type Spread struct {
	Median float64 `json:"median"`
	Min    float64 `json:"min"`
	Max    float64 `json:"max"`
}
