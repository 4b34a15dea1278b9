package topology

// ParseList reads a list of processors.
func ParseList(text string) ([]int, error) { return parseList(text) }

// MaxCPU bounds what a list may name.
const MaxCPU = maxCPU
