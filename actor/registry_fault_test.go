//go:build !modelcheck && !race && !invariants

package actor_test

import "github.com/troupe-go/troupe/internal/planted"

var registryFaults = planted.Group{
	Run: "^Test(RegistrationAtTheSpawn|NameAndRestart|PIDBeyondTheTable|StalePIDs|Infos)$",
	Faults: []planted.Fault{
		{
			Name: "a spawn without its name keeps its place",
			In:   "proc.adopt",
			Old: `p.sys.removeProc(from, child)
return err`,
			New:  "return err",
			Want: "FAIL",
			Run:  "^TestRegistrationAtTheSpawn$",
		},
		{
			Name: "a ghost gives itself a name",
			In:   "scope.Register",
			Old: `if err := c.absent(); err != nil {
	return fmt.Errorf("register %s as %q: %w", p, name, err)
}`,
			New: `if err := c.absent(); false {
	return fmt.Errorf("register %s as %q: %w", p, name, err)
}`,
			Want: "FAIL",
			Run:  "^TestNameAndRestart$",
		},
		{
			Name: "a PID of another system is looked up beyond the end",
			Dir:  "../internal/kernel/pids",
			In:   "Table.at",
			Old: `if int(i/chunkSize) >= len(chunks) {
	return nil
}`,
			New:  "",
			Want: "FAIL",
			Run:  "^TestPIDBeyondTheTable$",
		},
		{
			Name: "a PID leads to the next in its place",
			In:   "System.lookup",
			Old: `if p == nil || p.pid != id {
	return nil
}`,
			New: `if p == nil {
	return nil
}`,
			Want: "FAIL",
			Run:  "^TestStalePIDs$",
		},
	},
}
