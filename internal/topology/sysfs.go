package topology

import (
	"errors"
	"fmt"
	"io/fs"
	"path"
	"slices"
	"strconv"
	"strings"
)

// Read reads the topology from a sysfs, which begins at /sys. Only the
// processors that are online and among allowed are of the machine; allowed nil
// means all. A tree without caches or NUMA nodes, as in some virtual machines,
// is a machine that does not tell of them. A file that is there and can't be
// understood is an error, since half a topology would mislead.
//
// It reads about ten small files for each group of processors that share a
// cache and one for each core.
func Read(sys fs.FS, allowed []int) (Machine, error) {
	r := reader{sys}
	online, err := r.list("devices/system/cpu/online")
	if err != nil {
		return Machine{}, err
	}
	if allowed != nil {
		online = slices.DeleteFunc(online, func(id int) bool { return !slices.Contains(allowed, id) })
	}
	if len(online) == 0 {
		return Machine{}, errors.New("topology: none of the processors that are online is allowed")
	}
	m := flat(online)
	byID := make(map[int]*CPU, len(online))
	for i := range m.CPUs {
		byID[m.CPUs[i].ID] = &m.CPUs[i]
	}
	if err := errors.Join(r.nodes(byID), r.caches(online, byID), r.threads(online, byID)); err != nil {
		return Machine{}, err
	}
	m.sort()
	return m, nil
}

type reader struct{ sys fs.FS }

func (r reader) text(name string) (string, error) {
	data, err := fs.ReadFile(r.sys, name)
	if err != nil {
		return "", fmt.Errorf("topology: %w", err)
	}
	return strings.TrimSpace(string(data)), nil
}

func (r reader) list(name string) ([]int, error) {
	text, err := r.text(name)
	if err != nil {
		return nil, err
	}
	ids, err := parseList(text)
	if err != nil {
		return nil, fmt.Errorf("topology: %s: %w", name, err)
	}
	return ids, nil
}

// optional is list for a file that need not be there.
func (r reader) optional(name string) ([]int, error) {
	ids, err := r.list(name)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	return ids, err
}

func (r reader) nodes(byID map[int]*CPU) error {
	nodes, err := r.optional("devices/system/node/online")
	if err != nil {
		return err
	}
	for _, node := range nodes {
		ids, err := r.optional(fmt.Sprintf("devices/system/node/node%d/cpulist", node))
		if err != nil {
			return err
		}
		for _, id := range ids {
			if c := byID[id]; c != nil {
				c.Node = node
			}
		}
	}
	return nil
}

// caches reads the last level of one processor of each group. Processors may
// differ in their last level: some small cores have no third one.
func (r reader) caches(online []int, byID map[int]*CPU) error {
	for _, id := range online {
		if byID[id].Cache >= 0 {
			continue
		}
		sharing, err := r.lastLevel(fmt.Sprintf("devices/system/cpu/cpu%d/cache", id))
		if err != nil {
			return err
		}
		if !slices.Contains(sharing, id) {
			continue // It shares with nobody that is known.
		}
		for _, other := range sharing {
			if c := byID[other]; c != nil {
				c.Cache = sharing[0]
			}
		}
	}
	return nil
}

// lastLevel returns the processors that share the highest level of the caches in
// dir.
func (r reader) lastLevel(dir string) (sharing []int, err error) {
	entries, err := fs.ReadDir(r.sys, dir)
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return nil, fmt.Errorf("topology: %w", err)
	}
	highest := 0
	for _, entry := range entries {
		if !strings.HasPrefix(entry.Name(), "index") {
			continue
		}
		index := path.Join(dir, entry.Name())
		level, err := r.level(index)
		if err != nil {
			return nil, err
		}
		if level <= highest {
			continue
		}
		ids, err := r.optional(path.Join(index, "shared_cpu_list"))
		if err != nil {
			return nil, err
		}
		if len(ids) > 0 {
			highest, sharing = level, ids
		}
	}
	return sharing, nil
}

// level returns the level of a cache. One for instructions alone, which is of the
// first level, counts like the one for data beside it.
func (r reader) level(index string) (int, error) {
	text, err := r.text(path.Join(index, "level"))
	if err != nil {
		return 0, err
	}
	level, err := strconv.Atoi(text)
	if err != nil || level < 1 {
		return 0, fmt.Errorf("topology: %s/level: %q is no level of cache", index, text)
	}
	return level, nil
}

// threads numbers the hardware threads of each core.
func (r reader) threads(online []int, byID map[int]*CPU) error {
	known := make(map[int]bool, len(online))
	for _, id := range online {
		if known[id] {
			continue
		}
		siblings, err := r.optional(fmt.Sprintf("devices/system/cpu/cpu%d/topology/thread_siblings_list", id))
		if err != nil {
			return err
		}
		thread := 0
		for _, other := range siblings {
			if c := byID[other]; c != nil && !known[other] {
				c.Thread, known[other] = thread, true
				thread++
			}
		}
	}
	return nil
}
