package planted

import (
	"fmt"
	"go/ast"
	"go/parser"
	"go/scanner"
	"go/token"
	"go/types"
	"reflect"
	"strings"
)

// pattern is the syntax of a fault's Old: an expression, or statements that follow
// each other. Its identifiers stand for any others, the same for the same.
type pattern struct {
	expr  ast.Expr
	stmts []ast.Stmt
}

// parsePattern parses Old. It is an expression if New is one, too.
func parsePattern(before, after string) (pattern, error) {
	if x, err := parser.ParseExpr(before); err == nil {
		if _, err := parser.ParseExpr(after); err == nil {
			return pattern{expr: x}, nil
		}
	}
	stmts, err := parseStmts(before)
	if err != nil {
		return pattern{}, fmt.Errorf("the Old is neither an expression nor statements: %w\n%s", err, before)
	}
	if _, err := parseStmts(after); err != nil {
		return pattern{}, fmt.Errorf("the New is not of the kind of Old, statements: %w\n%s", err, after)
	}
	return pattern{stmts: stmts}, nil
}

// parseStmts parses statements, or the clauses of a switch or select.
func parseStmts(text string) ([]ast.Stmt, error) {
	var first error
	for _, around := range []string{"{\n%s\n}", "switch {\n%s\n}", "select {\n%s\n}"} {
		src := "package p\nfunc _() {\n" + fmt.Sprintf(around, text) + "\n}"
		f, err := parser.ParseFile(token.NewFileSet(), "", src, parser.SkipObjectResolution)
		if err != nil {
			if first == nil {
				first = err
			}
			continue
		}
		if fn := f.Decls[0].(*ast.FuncDecl); len(f.Decls) == 1 && len(fn.Body.List) == 1 {
			return bodyOf(fn.Body.List[0]).List, nil
		}
	}
	return nil, first
}

func bodyOf(s ast.Stmt) *ast.BlockStmt {
	switch s := s.(type) {
	case *ast.SwitchStmt:
		return s.Body
	case *ast.SelectStmt:
		return s.Body
	case *ast.BlockStmt:
		return s
	}
	return &ast.BlockStmt{}
}

// match is a place that looks like a pattern, and the names it has in place of the
// pattern's.
type match struct {
	first, last ast.Node
	names       names
}

// search returns the places below root that look like the pattern, in the order of
// the text.
func (p pattern) search(root ast.Node) (found []match) {
	ast.Inspect(root, func(n ast.Node) bool {
		if p.expr != nil {
			if x, ok := n.(ast.Expr); ok {
				if names, ok := unify(p.expr, x); ok {
					found = append(found, match{x, x, names})
				}
			}
			return true
		}
		list := listOf(n)
		for i := 0; i+len(p.stmts) <= len(list) && len(p.stmts) > 0; i++ {
			part := list[i : i+len(p.stmts)]
			if names, ok := unify(p.stmts, part); ok {
				found = append(found, match{part[0], part[len(part)-1], names})
			}
		}
		return true
	})
	return found
}

// listOf returns the statements directly below n.
func listOf(n ast.Node) []ast.Stmt {
	switch n := n.(type) {
	case *ast.BlockStmt:
		return n.List
	case *ast.CaseClause:
		return n.Body
	case *ast.CommClause:
		return n.Body
	}
	return nil
}

// names maps the identifiers of a pattern to those at a place. A plain name stands
// for one other, everywhere in the pattern. Fields and methods are known by what is
// selected from, since two types may have a field of the same name: q.n is "q.n".
type names struct{ to, from map[string]string }

func (n names) bind(old, now string) bool {
	if old == "_" || types.Universe.Lookup(old) != nil || types.Universe.Lookup(now) != nil {
		return old == now
	}
	to, bound := n.to[old]
	from, taken := n.from[now]
	if bound || taken {
		return to == now && from == old
	}
	n.to[old], n.from[now] = now, old
	return true
}

// bindSelected binds the name of a field or method, with and without what is before it.
func (n names) bindSelected(base ast.Expr, old, now string) {
	for _, key := range []string{lastToken(base) + "." + old, "." + old} {
		if n.to[key] == "" || old != now {
			n.to[key] = now
		}
	}
}

// lastToken returns the token with which the expression ends.
func lastToken(x ast.Expr) string {
	switch x := x.(type) {
	case *ast.Ident:
		return x.Name
	case *ast.SelectorExpr:
		return x.Sel.Name
	case *ast.IndexExpr, *ast.IndexListExpr, *ast.SliceExpr:
		return "]"
	case *ast.CompositeLit, *ast.FuncLit:
		return "}"
	}
	return ")"
}

// same reports whether each name stands for itself.
func (n names) same() bool {
	for old, now := range n.to {
		if old[strings.LastIndex(old, ".")+1:] != now {
			return false
		}
	}
	return true
}

// rename returns the text with the names of the place.
func (n names) rename(text string) (string, error) {
	if n.same() {
		return text, nil
	}
	var b strings.Builder
	last := 0
	before := [2]string{} // The two tokens before this one.
	err := tokens(text, func(offset int, tok token.Token, lit string) {
		if tok == token.IDENT {
			now, ok := n.to[lit]
			if before[1] == "." {
				if now, ok = n.to[before[0]+"."+lit]; !ok {
					now, ok = n.to["."+lit]
				}
			}
			if ok {
				b.WriteString(text[last:offset] + now)
				last = offset + len(lit)
			}
		}
		if lit == "" {
			lit = tok.String()
		}
		before[0], before[1] = before[1], lit
	})
	b.WriteString(text[last:])
	return b.String(), err
}

// tokens calls f for each token of the text.
func tokens(text string, f func(offset int, tok token.Token, lit string)) error {
	var failed error
	var s scanner.Scanner
	file := token.NewFileSet().AddFile("", -1, len(text))
	s.Init(file, []byte(text), func(_ token.Position, msg string) { failed = fmt.Errorf("%s in\n%s", msg, text) }, 0)
	for {
		pos, tok, lit := s.Scan()
		if tok == token.EOF {
			return failed
		}
		f(file.Offset(pos), tok, lit)
	}
}

// unify compares the shapes of two pieces of syntax, and maps the names in
// the first to the names in the second.
func unify[T any](old, now T) (names, bool) {
	n := names{map[string]string{}, map[string]string{}}
	return n, n.unify(reflect.ValueOf(old), reflect.ValueOf(now))
}

var (
	position = reflect.TypeFor[token.Pos]()
	comments = reflect.TypeFor[*ast.CommentGroup]()
	ident    = reflect.TypeFor[ast.Ident]()
)

func (n names) unify(old, now reflect.Value) bool {
	switch old.Kind() {
	case reflect.Interface, reflect.Pointer:
		if old.IsNil() || now.IsNil() {
			return old.IsNil() == now.IsNil()
		}
		return old.Elem().Type() == now.Elem().Type() && n.unify(old.Elem(), now.Elem())
	case reflect.Slice:
		if old.Len() != now.Len() {
			return false
		}
		for i := range old.Len() {
			if !n.unify(old.Index(i), now.Index(i)) {
				return false
			}
		}
		return true
	case reflect.Struct:
		if old.Type() == ident {
			return n.bind(old.FieldByName("Name").String(), now.FieldByName("Name").String())
		}
		return n.unifyFields(old, now)
	}
	return old.Equal(now)
}

// unifyFields compares all that has a meaning: of positions it is whether they are there, as
// where f(x...) differs from f(x).
func (n names) unifyFields(old, now reflect.Value) bool {
	if sel, ok := old.Addr().Interface().(*ast.SelectorExpr); ok {
		n.bindSelected(sel.X, sel.Sel.Name, now.FieldByName("Sel").Elem().FieldByName("Name").String())
		return n.unify(old.FieldByName("X"), now.FieldByName("X"))
	}
	for i := range old.NumField() {
		name, a, b := old.Type().Field(i).Name, old.Field(i), now.Field(i)
		switch a.Type() {
		case comments:
			continue
		case position:
			if (name == "Ellipsis" || name == "Assign") && (a.Int() == 0) != (b.Int() == 0) {
				return false
			}
			continue
		}
		if !n.unify(a, b) {
			return false
		}
	}
	return true
}
