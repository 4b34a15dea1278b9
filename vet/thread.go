package vet

import "go/ast"

// checkThreads reports handlers that lock their thread and have no call that unlocks it. A package that has actors
// on threads of their own is left out: there it is allowed.
func checkThreads(c *code) {
	for _, used := range c.TypesInfo.Uses {
		if used.Pkg() == c.actor && (used.Name() == "OnOwnThread" || used.Name() == "OnMainThread" || used.Name() == "OnBlocking" || used.Name() == "WithPump") {
			return
		}
	}
	for _, h := range c.handlers() {
		var locks []*ast.CallExpr
		unlocks := false
		ast.Inspect(h.body, func(n ast.Node) bool {
			switch n := n.(type) {
			case *ast.GoStmt:
				return false // It has a thread of its own.
			case *ast.CallExpr:
				if c.isCallOf(n, "runtime", "LockOSThread") {
					locks = append(locks, n)
				}
				unlocks = unlocks || c.isCallOf(n, "runtime", "UnlockOSThread")
			}
			return true
		})
		for _, l := range locks {
			if !unlocks {
				c.report(l.Pos(), "the handler locks its thread and does not unlock it: on the scheduler, the Go runtime ends the process when it returns; "+
					"unlock it, or spawn the actor WithBackend(OnOwnThread)")
			}
		}
	}
}
