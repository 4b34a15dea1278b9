package vet

import (
	"go/ast"
	"go/token"
	"go/types"
)

// checkState reports messages that lead to a field of the actor which the actor's own methods change: by the address of a
// field, or by a map, slice or pointer whose contents are changed in place.
func checkState(c *code) {
	changed := c.changedFields()
	for _, h := range c.handlers() {
		if h.self == nil {
			continue
		}
		ast.Inspect(h.body, func(n ast.Node) bool {
			call, ok := n.(*ast.CallExpr)
			if !ok {
				return true
			}
			typeName, method, _ := c.methodCall(call)
			if !sends[typeName][method] || method == "Fail" || len(call.Args) < 2 {
				return true
			}
			for _, x := range parts(call.Args[1]) {
				if u, ok := x.(*ast.UnaryExpr); ok && u.Op == token.AND {
					if f := c.field(u.X, h.self); f != nil {
						c.report(x.Pos(), "the message has the address of the field %s, which the actor goes on to use: its receiver reads it at the same time; send a copy", f.Name())
					}
				} else if f := c.field(x, h.self); f != nil && changed[f] {
					c.report(x.Pos(), "the message leads to what is in the field %s, which the actor changes in place: its receiver reads it at the same time; send a copy", f.Name())
				}
			}
			return true
		})
	}
}

// parts are the values in a message: the elements of a composite literal, or the message itself.
func parts(x ast.Expr) (all []ast.Expr) {
	x = ast.Unparen(x)
	if u, ok := x.(*ast.UnaryExpr); ok && u.Op == token.AND {
		if _, ok := ast.Unparen(u.X).(*ast.CompositeLit); ok {
			return parts(u.X)
		}
	}
	lit, ok := x.(*ast.CompositeLit)
	if !ok {
		return []ast.Expr{x}
	}
	for _, e := range lit.Elts {
		if kv, ok := e.(*ast.KeyValueExpr); ok {
			e = kv.Value
		}
		all = append(all, parts(e)...)
	}
	return all
}

// field returns the field of self that x is, or nil.
func (c *code) field(x ast.Expr, self *types.Var) *types.Var {
	sel, ok := ast.Unparen(x).(*ast.SelectorExpr)
	if !ok || self != nil && !c.isVar(sel.X, self) {
		return nil
	}
	s := c.TypesInfo.Selections[sel]
	if s == nil || s.Kind() != types.FieldVal {
		return nil
	}
	f, ok := s.Obj().(*types.Var)
	if !ok {
		return nil
	}
	return f.Origin()
}

// changedFields returns the fields of maps, slices and pointers whose contents the package changes.
func (c *code) changedFields() map[*types.Var]bool {
	changed := map[*types.Var]bool{}
	mark := func(x ast.Expr) {
		if f := c.field(x, nil); f != nil {
			changed[f] = true
		}
	}
	change := func(to ast.Expr) {
		switch to := ast.Unparen(to).(type) {
		case *ast.IndexExpr: // m.f[i] = v
			if _, isArray := c.TypesInfo.TypeOf(to.X).Underlying().(*types.Array); !isArray {
				mark(to.X)
			}
		case *ast.StarExpr: // *m.f = v
			mark(to.X)
		case *ast.SelectorExpr: // m.f.g = v, where f is a pointer.
			if t := c.TypesInfo.TypeOf(to.X); t != nil {
				if _, isPointer := t.Underlying().(*types.Pointer); isPointer {
					mark(to.X)
				}
			}
		}
	}
	for _, f := range c.Files {
		ast.Inspect(f, func(n ast.Node) bool {
			switch n := n.(type) {
			case *ast.AssignStmt:
				for _, to := range n.Lhs {
					change(to)
				}
			case *ast.IncDecStmt:
				change(n.X)
			case *ast.CallExpr:
				id, ok := ast.Unparen(n.Fun).(*ast.Ident)
				if !ok || len(n.Args) == 0 {
					return true
				}
				if b, ok := c.TypesInfo.Uses[id].(*types.Builtin); ok && (b.Name() == "delete" || b.Name() == "clear" || b.Name() == "copy") {
					mark(n.Args[0])
				}
			}
			return true
		})
	}
	return changed
}
