package vet

import (
	"go/ast"
	"go/types"
)

// onlyHandler are the methods of a Context that have no effect elsewhere than in the handler that it was given to.
var onlyHandler = map[string]bool{"Become": true, "Unbecome": true, "Stash": true, "Unstash": true}

// beside are the functions that run a function beside the handler. The number is the place of that function among the
// arguments.
var beside = map[string]int{
	actorPath + ".PipeToSelf":                           1,
	"time.AfterFunc":                                    1,
	"context.AfterFunc":                                 1,
	"github.com/troupe-go/troupe/task.Detach":           1,
	"(*github.com/troupe-go/troupe/task.Group).Go":      0,
	"(*github.com/troupe-go/troupe/sched.Group).Go":     0,
	"(*github.com/troupe-go/troupe/sched.Scheduler).Go": 1,
	"(*sync.WaitGroup).Go":                              0,
}

// checkContexts reports a Context that an actor keeps in a field, and calls of onlyHandler methods by such a field or in
// a function that runs beside the handler. A handler of messages whose first statement keeps the Context renews it each time,
// which is no mistake.
func checkContexts(c *code) {
	for _, f := range c.Files {
		ast.Inspect(f, func(n ast.Node) bool {
			switch n := n.(type) {
			case *ast.GoStmt:
				c.besideHandler(n.Call.Fun)
			case *ast.CallExpr:
				if i, ok := c.besideArgument(n); ok && i < len(n.Args) {
					c.besideHandler(n.Args[i])
				}
				if typeName, method, of := c.methodCall(n); typeName == "Context" && onlyHandler[method] && c.isField(of) {
					c.report(n.Pos(), "%s by a Context that was kept in a field: it returns ErrNotInHandler outside of that handler; use the handler's own", method)
				}
			}
			return true
		})
	}
	for _, h := range c.handlers() {
		if h.self == nil {
			continue
		}
		ast.Inspect(h.body, func(n ast.Node) bool {
			a, ok := n.(*ast.AssignStmt)
			if !ok || len(a.Lhs) != len(a.Rhs) || h.message != nil && a == h.body.List[0] {
				return true
			}
			for i, to := range a.Lhs {
				sel, ok := ast.Unparen(to).(*ast.SelectorExpr)
				if ok && c.isVar(sel.X, h.self) && c.isVar(a.Rhs[i], h.ctx) {
					c.report(a.Pos(), "the Context is kept in the field %s: it belongs to this call and this incarnation; pass it on instead", sel.Sel.Name)
				}
			}
			return true
		})
	}
}

// besideArgument returns which argument of a call is a function that runs beside the caller.
func (c *code) besideArgument(call *ast.CallExpr) (int, bool) {
	fun := ast.Unparen(call.Fun)
	if x, ok := fun.(*ast.IndexExpr); ok {
		fun = x.X
	}
	if x, ok := fun.(*ast.IndexListExpr); ok {
		fun = x.X
	}
	sel, ok := fun.(*ast.SelectorExpr)
	if !ok {
		return 0, false
	}
	fn, ok := c.TypesInfo.Uses[sel.Sel].(*types.Func)
	if !ok {
		return 0, false
	}
	i, ok := beside[plainName(fn.Origin())]
	return i, ok
}

// plainName is the full name of a function, without the type parameters of its receiver.
func plainName(fn *types.Func) string {
	recv := fn.Signature().Recv()
	if recv == nil {
		return fn.FullName()
	}
	t := recv.Type()
	if p, ok := t.(*types.Pointer); ok {
		if n, ok := types.Unalias(p.Elem()).(*types.Named); ok && n.Obj().Pkg() != nil {
			return "(*" + n.Obj().Pkg().Path() + "." + n.Obj().Name() + ")." + fn.Name()
		}
	}
	return fn.FullName()
}

// besideHandler reports what a function literal that runs beside the handler does with a Context of that.
func (c *code) besideHandler(fun ast.Expr) {
	lit, ok := ast.Unparen(fun).(*ast.FuncLit)
	if !ok {
		return
	}
	ast.Inspect(lit.Body, func(n ast.Node) bool {
		call, ok := n.(*ast.CallExpr)
		if !ok {
			return true
		}
		typeName, method, of := c.methodCall(call)
		id, isIdent := of.(*ast.Ident)
		if typeName != "Context" || !onlyHandler[method] || !isIdent {
			return true
		}
		v := c.TypesInfo.Uses[id]
		if v != nil && (v.Pos() < lit.Pos() || v.Pos() > lit.End()) { // It is not a parameter of a handler inside.
			c.report(call.Pos(), "%s beside the handler: it returns ErrNotInHandler there; send the actor a message, and call it in that one's handler", method)
		}
		return true
	})
}

// isField reports whether x is a field of a struct.
func (c *code) isField(x ast.Expr) bool {
	sel, ok := ast.Unparen(x).(*ast.SelectorExpr)
	if !ok {
		return false
	}
	s := c.TypesInfo.Selections[sel]
	return s != nil && s.Kind() == types.FieldVal
}

// isVar reports whether x is the variable.
func (c *code) isVar(x ast.Expr, v *types.Var) bool {
	id, ok := ast.Unparen(x).(*ast.Ident)
	return ok && v != nil && c.TypesInfo.Uses[id] == v
}
