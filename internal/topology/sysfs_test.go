package topology_test

import (
	"errors"
	"fmt"
	"io/fs"
	"strings"
	"testing"
	"testing/fstest"

	"github.com/troupe-go/troupe/internal/topology"
)

// tree is a sysfs that is written by hand.
type tree struct{ fstest.MapFS }

func newTree(online string) tree {
	t := tree{fstest.MapFS{}}
	t.write("devices/system/cpu/online", online)
	return t
}

func (t tree) write(name, text string) { t.MapFS[name] = &fstest.MapFile{Data: []byte(text + "\n")} }

func (t tree) cache(cpu, index, level int, shared string) {
	dir := fmt.Sprintf("devices/system/cpu/cpu%d/cache/index%d/", cpu, index)
	t.write(dir+"level", fmt.Sprint(level))
	t.write(dir+"shared_cpu_list", shared)
}

func (t tree) siblings(cpu int, list string) {
	t.write(fmt.Sprintf("devices/system/cpu/cpu%d/topology/thread_siblings_list", cpu), list)
}

func (t tree) nodes(lists ...string) {
	t.write("devices/system/node/online", fmt.Sprintf("0-%d", len(lists)-1))
	for i, list := range lists {
		t.write(fmt.Sprintf("devices/system/node/node%d/cpulist", i), list)
	}
}

// twoSockets has 2 nodes of 4 cores with 2 threads each. The cores 0 to 3, and
// their second threads 8 to 11, are of node 0. Each pair of cores has a cache of
// its own.
func twoSockets() tree {
	t := newTree("0-15")
	t.nodes("0-3,8-11", "4-7,12-15")
	for cpu := range 16 {
		core := cpu % 8
		pair := core &^ 1
		own := fmt.Sprintf("%d,%d", core, core+8)
		t.siblings(cpu, own)
		t.cache(cpu, 0, 1, own)
		t.cache(cpu, 1, 1, own)
		t.cache(cpu, 2, 2, own)
		t.cache(cpu, 3, 3, fmt.Sprintf("%d-%d,%d-%d", pair, pair+1, pair+8, pair+9))
	}
	return t
}

func read(t *testing.T, sys fs.FS, allowed ...int) topology.Machine {
	t.Helper()
	m, err := topology.Read(sys, allowed)
	if err != nil {
		t.Fatal(err)
	}
	return m
}

// order writes the machine as id/node/cache, in its order.
func order(m topology.Machine) string {
	var all []string
	for _, c := range m.CPUs {
		all = append(all, fmt.Sprintf("%d/%d/%d", c.ID, c.Node, c.Cache))
	}
	return strings.Join(all, " ")
}

func TestTwoSockets(t *testing.T) {
	m := read(t, twoSockets())
	const want = "0/0/0 1/0/0 2/0/2 3/0/2 4/1/4 5/1/4 6/1/6 7/1/6 " +
		"8/0/0 9/0/0 10/0/2 11/0/2 12/1/4 13/1/4 14/1/6 15/1/6"
	if got := order(m); got != want {
		t.Errorf("the machine is\n%s, want\n%s", got, want)
	}
	if m.Flat() {
		t.Error("two sockets are taken for one cache")
	}
	for _, c := range []struct {
		a, b int
		want topology.Distance
	}{
		{0, 0, topology.SameCache}, {0, 8, topology.SameCache}, {0, 9, topology.SameCache},
		{0, 2, topology.SameNode}, {3, 8, topology.SameNode},
		{0, 4, topology.Remote}, {15, 2, topology.Remote},
	} {
		a, _ := m.Find(c.a)
		b, _ := m.Find(c.b)
		if got := a.Distance(b); got != c.want {
			t.Errorf("from %d to %d it is %d, want %d", c.a, c.b, got, c.want)
		}
	}
	if _, ok := m.Find(16); ok {
		t.Error("found a processor that does not exist")
	}
}

func TestAffinityMaskLimits(t *testing.T) {
	// The first threads are not allowed, so the second ones stand for their cores.
	m := read(t, twoSockets(), 8, 9, 2, 3, 10, 77)
	if got, want := order(m), "8/0/0 9/0/0 2/0/2 3/0/2 10/0/2"; got != want {
		t.Errorf("the machine is %s, want %s", got, want)
	}
	if c, _ := m.Find(8); c.Thread != 0 {
		t.Error("the only thread of a core that is allowed is not its first")
	}
	if c, _ := m.Find(10); c.Thread != 1 {
		t.Error("the second thread of a core is its first")
	}
	if _, err := topology.Read(twoSockets(), []int{16, 17}); err == nil {
		t.Error("a mask of processors that don't exist was accepted")
	}
}

// TestHybridProcessor has two big cores with two threads each, four small ones that share
// a second level, and all of these a third; two tiny cores have no third level.
func TestHybridProcessor(t *testing.T) {
	sys := newTree("0-9")
	for cpu := range 10 {
		switch {
		case cpu < 4:
			own := fmt.Sprintf("%d-%d", cpu&^1, cpu|1)
			sys.siblings(cpu, own)
			sys.cache(cpu, 2, 2, own)
			sys.cache(cpu, 3, 3, "0-7")
		case cpu < 8:
			sys.siblings(cpu, fmt.Sprint(cpu))
			sys.cache(cpu, 2, 2, "4-7")
			sys.cache(cpu, 3, 3, "0-7")
		default:
			sys.siblings(cpu, fmt.Sprint(cpu))
			sys.cache(cpu, 2, 2, "8-9")
		}
	}
	const want = "0/0/0 2/0/0 4/0/0 5/0/0 6/0/0 7/0/0 8/0/8 9/0/8 1/0/0 3/0/0"
	if got := order(read(t, sys)); got != want {
		t.Errorf("the machine is %s, want %s", got, want)
	}
}

// TestOfflineProcessors has a gap, whose processors have directories without caches.
func TestOfflineProcessors(t *testing.T) {
	sys := newTree("0,3")
	sys.nodes("0-3")
	sys.cache(0, 3, 3, "0,3")
	sys.cache(3, 3, 3, "0,3")
	sys.write("devices/system/cpu/cpu1/online", "0")
	m := read(t, sys)
	if got := order(m); got != "0/0/0 3/0/0" || !m.Flat() {
		t.Errorf("the machine is %s, flat %t", got, m.Flat())
	}
}

// TestMachinesWithoutCachesOrNodes have no caches, or no nodes, or neither.
func TestMachinesWithoutCachesOrNodes(t *testing.T) {
	m := read(t, newTree("0-3"))
	if got := order(m); got != "0/0/-1 1/0/-1 2/0/-1 3/0/-1" || !m.Flat() {
		t.Errorf("the machine is %s, flat %t", got, m.Flat())
	}
	sys := newTree("0-3")
	sys.nodes("0-1", "2-3", "") // The third node is memory.
	m = read(t, sys)
	if got := order(m); got != "0/0/-1 1/0/-1 2/1/-1 3/1/-1" || m.Flat() {
		t.Errorf("the machine is %s, flat %t", got, m.Flat())
	}
	if d := m.CPUs[1].Distance(m.CPUs[2]); d != topology.Remote {
		t.Errorf("two nodes are %d apart", d)
	}
	if d := m.CPUs[0].Distance(m.CPUs[1]); d != topology.SameCache {
		t.Errorf("two of a node are %d apart", d)
	}
}

// TestMalformed spoils one file after the other.
func TestMalformed(t *testing.T) {
	for name, text := range map[string]string{
		"devices/system/cpu/online":                             "0-",
		"devices/system/node/online":                            "x",
		"devices/system/node/node1/cpulist":                     "4-7;12",
		"devices/system/cpu/cpu0/cache/index3/level":            "third",
		"devices/system/cpu/cpu0/cache/index2/level":            "0",
		"devices/system/cpu/cpu4/cache/index3/shared_cpu_list":  "0-99999999999",
		"devices/system/cpu/cpu2/topology/thread_siblings_list": "2,",
	} {
		sys := twoSockets()
		sys.write(name, text)
		_, err := topology.Read(sys, nil)
		if err == nil || !strings.Contains(err.Error(), name) {
			t.Errorf("%s with %q: %v", name, text, err)
		}
	}
	_, err := topology.Read(fstest.MapFS{}, nil)
	if !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("an empty tree: %v", err)
	}
	if _, err := topology.Read(newTree(""), nil); err == nil {
		t.Error("a machine without processors was accepted")
	}
	sys := twoSockets()
	delete(sys.MapFS, "devices/system/cpu/cpu0/cache/index3/level")
	if _, err := topology.Read(sys, nil); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("a cache without a level: %v", err)
	}
}
