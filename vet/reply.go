package vet

import (
	"go/ast"
	"go/types"
	"slices"

	"golang.org/x/tools/go/cfg"
)

// checkReplies follows each path through a handler from the point where its message is known to have a Reply. A path
// that returns a literal nil, and has mentioned neither the Reply nor the message as a whole, has forgotten it: a Reply that is
// handed to a function, put into a field or sent on counts as answered. A path that returns an error answers by that.
//
// A struct as the type of all messages may stand for several kinds, and some of them have no answer. So a path that
// depends on a field of it is left alone, if any other path uses the Reply.
func checkReplies(c *code) {
	for _, h := range c.handlers() {
		if h.message == nil {
			continue
		}
		if field := replyField(h.message.Type()); field != "" {
			p := paths{code: c, messages: []types.Object{h.message}}
			p.kinds = p.mentions(h.body)
			p.forgotten(h, field, h.message.Type(), func(g *cfg.CFG) *cfg.Block { return g.Blocks[0] })
			continue
		}
		if !types.IsInterface(h.message.Type()) {
			continue
		}
		ast.Inspect(h.body, func(n ast.Node) bool {
			if _, nested := n.(*ast.FuncLit); nested {
				return false
			}
			s, ok := n.(*ast.TypeSwitchStmt)
			if !ok || c.switched(s) != h.message {
				return true
			}
			for _, stmt := range s.Body.List {
				c.clause(h, stmt.(*ast.CaseClause))
			}
			return true
		})
	}
}

// clause follows the paths from a case of a type switch on the message.
func (c *code) clause(h handler, clause *ast.CaseClause) {
	if len(clause.List) != 1 {
		return
	}
	t := c.TypesInfo.TypeOf(clause.List[0])
	field := ""
	if t != nil {
		field = replyField(t)
	}
	if field == "" {
		return
	}
	messages := []types.Object{h.message}
	if bound := c.TypesInfo.Implicits[clause]; bound != nil {
		messages = append(messages, bound)
	}
	p := paths{code: c, messages: messages}
	p.forgotten(h, field, t, func(g *cfg.CFG) *cfg.Block {
		for _, b := range g.Blocks {
			if b.Kind == cfg.KindSwitchCaseBody && b.Stmt == clause {
				return b
			}
		}
		return nil
	})
}

// switched returns the variable that a type switch is about, or nil.
func (c *code) switched(s *ast.TypeSwitchStmt) types.Object {
	var x ast.Expr
	switch a := s.Assign.(type) {
	case *ast.AssignStmt:
		x = a.Rhs[0]
	case *ast.ExprStmt:
		x = a.X
	}
	if assert, ok := ast.Unparen(x).(*ast.TypeAssertExpr); ok {
		if id, ok := ast.Unparen(assert.X).(*ast.Ident); ok {
			return c.TypesInfo.Uses[id]
		}
	}
	return nil
}

// replyField returns the name of a field of a message that is a Reply or has one in it, or "".
func replyField(t types.Type) string {
	if p, ok := types.Unalias(t).(*types.Pointer); ok {
		t = p.Elem()
	}
	s, ok := t.Underlying().(*types.Struct)
	if !ok || isActorType(t, "Reply") {
		return ""
	}
	for f := range s.Fields() {
		if hasReply(f.Type()) {
			return f.Name()
		}
	}
	return ""
}

// hasReply reports whether a value of the type has a Reply in itself.
func hasReply(t types.Type) bool {
	if isActorType(t, "Reply") {
		return true
	}
	switch u := t.Underlying().(type) {
	case *types.Struct:
		for f := range u.Fields() {
			if hasReply(f.Type()) {
				return true
			}
		}
	case *types.Array:
		return hasReply(u.Elem())
	}
	return false
}

// paths are the paths through a handler.
type paths struct {
	*code
	messages []types.Object // The variables that hold the message.
	kinds    bool           // The message may be of several kinds, by its fields.
}

// forgotten reports the first return of nil on a path on which no variable that holds the message was used for its Reply.
func (c paths) forgotten(h handler, field string, t types.Type, start func(*cfg.CFG) *cfg.Block) {
	g := cfg.New(h.body, c.mayReturn)
	first := start(g)
	if first == nil {
		return
	}
	seen := map[*cfg.Block]bool{}
	var walk func(b *cfg.Block) *ast.ReturnStmt
	walk = func(b *cfg.Block) *ast.ReturnStmt {
		if seen[b] {
			return nil
		}
		seen[b] = true
		for _, n := range b.Nodes {
			if c.mentions(n) || c.kinds && len(b.Succs) == 2 && c.decides(n) {
				return nil
			}
			if ret, ok := n.(*ast.ReturnStmt); ok {
				if len(ret.Results) == 1 && c.TypesInfo.Types[ret.Results[0]].IsNil() {
					return ret
				}
				return nil
			}
		}
		for _, next := range b.Succs {
			if ret := walk(next); ret != nil {
				return ret
			}
		}
		return nil
	}
	if ret := walk(first); ret != nil {
		c.report(ret.Pos(), "%s is not answered on a path to this return: its asker waits until its time is over; use %s.Send or Fail",
			types.TypeString(t, types.RelativeTo(c.Pkg)), field)
	}
}

// mentions reports whether the node uses a message as a whole, or a field of it that has a Reply.
func (c paths) mentions(n ast.Node) (found bool) {
	ast.Inspect(n, func(n ast.Node) bool {
		switch n := n.(type) {
		case *ast.SelectorExpr:
			if c.isMessage(n.X) {
				if s := c.TypesInfo.Selections[n]; s == nil || s.Kind() != types.FieldVal || hasReply(s.Type()) {
					found = true
				}
				return false
			}
		case *ast.TypeSwitchStmt, *ast.TypeAssertExpr:
			// A look at the type is no use of the Reply. The cases that follow bind the message to other variables.
			if a, ok := n.(*ast.TypeAssertExpr); ok && a.Type == nil && c.isMessage(a.X) {
				return false
			}
		case ast.Expr:
			if c.isMessage(n) {
				found = true
			}
		}
		return !found
	})
	return found
}

// decides reports whether the node is a condition that looks at the message.
func (c paths) decides(n ast.Node) (found bool) {
	x, ok := n.(ast.Expr)
	if !ok {
		return false
	}
	ast.Inspect(x, func(n ast.Node) bool {
		if x, ok := n.(ast.Expr); ok && c.isMessage(x) {
			found = true
		}
		return !found
	})
	return found
}

// isMessage reports whether x is a variable that holds the message.
func (c paths) isMessage(x ast.Expr) bool {
	id, ok := ast.Unparen(x).(*ast.Ident)
	return ok && c.TypesInfo.Uses[id] != nil && slices.Contains(c.messages, c.TypesInfo.Uses[id])
}

// mayReturn reports whether a call can return. A panic can't, nor can the end of the process.
func (c *code) mayReturn(call *ast.CallExpr) bool {
	if id, ok := ast.Unparen(call.Fun).(*ast.Ident); ok {
		b, ok := c.TypesInfo.Uses[id].(*types.Builtin)
		return !ok || b.Name() != "panic"
	}
	for _, end := range [][2]string{{"os", "Exit"}, {"runtime", "Goexit"}, {"log", "Fatal"}, {"log", "Fatalf"}, {"log", "Fatalln"}} {
		if c.isCallOf(call, end[0], end[1]) {
			return false
		}
	}
	return true
}
