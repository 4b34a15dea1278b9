//go:build !modelcheck && !race && !invariants

package actor_test

import "github.com/troupe-go/troupe/internal/planted"

var registryFaults = planted.Group{
	Run: "^Test(RegistrationAtTheSpawn|NameAndRestart|PIDBeyondTheTable|StalePIDs|Infos)$",
	Faults: []planted.Fault{
		{
			Name: "a spawn without its name keeps its place",
			File: "proc.go",
			Old:  "			p.disownLocked(child)\n			p.sys.table.remove(from, child)\n",
			New:  "			p.disownLocked(child)\n",
			Want: "FAIL",
			Run:  "^TestRegistrationAtTheSpawn$",
		},
		{
			Name: "a ghost gives itself a name",
			File: "registry.go",
			Old:  "	if err := c.absent(); err != nil {\n",
			New:  "	if err := c.absent(); false {\n",
			Want: "FAIL",
			Run:  "^TestNameAndRestart$",
		},
		{
			Name: "a PID of another system is looked up beyond the end",
			File: "table.go",
			Old:  "	if int(i/chunkSize) >= len(chunks) {\n		return nil\n	}\n",
			New:  "",
			Want: "FAIL",
			Run:  "^TestPIDBeyondTheTable$",
		},
		{
			Name: "a PID leads to the next in its place",
			File: "table.go",
			Old:  "	if p == nil || p.pid != id {\n",
			New:  "	if p == nil {\n",
			Want: "FAIL",
			Run:  "^TestStalePIDs$",
		},
	},
}
