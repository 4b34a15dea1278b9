package planted

import (
	"fmt"
	"go/ast"
	"go/token"
	"go/types"
	"path"
	"strconv"
	"strings"
)

// fit returns the place of the fault, or says why it has none. The place has to hold
// out against the renaming of everything in it, so what looks like it is counted, too.
func (s *source) fit(f Fault) (place, error) {
	p, err := s.find(f)
	if err != nil {
		return place{}, err
	}
	pattern, err := parsePattern(f.Old, f.New)
	if err != nil {
		return place{}, err
	}
	_, in, _ := s.declared(f.In)
	alike := pattern.search(in)
	for i, m := range alike {
		if s.offset(m.first.Pos()) == p.begin && len(alike) > 1 && f.Nth != i+1 {
			return place{}, fmt.Errorf("in %s, %d places look like Old but for their names, and Nth is %d: it has to be %d, Old being\n%s",
				f.In, len(alike), f.Nth, i+1, f.Old)
		}
	}
	if name := s.unknown(p); name != "" {
		return place{}, fmt.Errorf("in %s: New speaks of %s, which the package does not have; was it renamed?", f.In, name)
	}
	return p, nil
}

// unknown returns a name in the replacement that nothing in the package has.
func (s *source) unknown(p place) (name string) {
	known := map[string]bool{}
	for _, i := range p.file.syntax.Imports {
		full, err := strconv.Unquote(i.Path.Value)
		if err == nil {
			known["import "+path.Base(full)] = true
		}
		known[path.Base(full)] = true
	}
	for _, n := range declaredIn(p.replace) {
		known[n] = true
	}
	before := [2]string{}
	_ = tokens(p.replace, func(_ int, tok token.Token, lit string) { // It has been parsed.
		imported := before[1] == "." && known["import "+before[0]]
		if tok == token.IDENT && !s.names[lit] && !known[lit] && types.Universe.Lookup(lit) == nil && !imported {
			name = lit
		}
		if lit == "" {
			lit = tok.String()
		}
		before[0], before[1] = before[1], lit
	})
	return name
}

// declaredIn returns the names that statements declare.
func declaredIn(text string) (declared []string) {
	add := func(xs ...ast.Expr) {
		for _, x := range xs {
			if id, ok := x.(*ast.Ident); ok {
				declared = append(declared, id.Name)
			}
		}
	}
	stmts, err := parseStmts(text)
	if err != nil {
		stmts, _ = parseStmts("_ = " + strings.TrimSpace(text))
	}
	for _, s := range stmts {
		ast.Inspect(s, func(n ast.Node) bool {
			switch n := n.(type) {
			case *ast.AssignStmt:
				if n.Tok == token.DEFINE {
					add(n.Lhs...)
				}
			case *ast.RangeStmt:
				add(n.Key, n.Value)
			case *ast.Field:
				for _, id := range n.Names {
					add(id)
				}
			case *ast.ValueSpec:
				for _, id := range n.Names {
					add(id)
				}
			}
			return true
		})
	}
	return declared
}
