package topology

import (
	"fmt"
	"slices"
	"strconv"
	"strings"
)

// maxCPU is more than any kernel is built for (8,192), and keeps a list that
// makes no sense from asking for all memory.
const maxCPU = 1 << 16

// parseList reads a list of processors as the kernel writes it, such as
// "0-3,8". The empty list is valid: a NUMA node may have memory alone.
func parseList(text string) ([]int, error) {
	text = strings.TrimSpace(text)
	if text == "" {
		return nil, nil
	}
	var ids []int
	for part := range strings.SplitSeq(text, ",") {
		from, to, isRange := strings.Cut(part, "-")
		if !isRange {
			to = from
		}
		first, err1 := parseID(from)
		last, err2 := parseID(to)
		if err1 != nil || err2 != nil || first > last {
			return nil, fmt.Errorf("%q is no list of processors such as 0-3,8", text)
		}
		for id := first; id <= last; id++ {
			ids = append(ids, id)
		}
		if len(ids) > maxCPU {
			return nil, fmt.Errorf("%q names more than %d processors", text, maxCPU)
		}
	}
	slices.Sort(ids)
	return slices.Compact(ids), nil
}

func parseID(text string) (int, error) {
	id, err := strconv.ParseUint(text, 10, 32)
	if err == nil && id >= maxCPU {
		err = fmt.Errorf("processor %d is beyond %d", id, maxCPU-1)
	}
	return int(id), err
}
